/** A request to S3. Values of headers are texts. */
export interface Asked {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  bucket: string
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string
}

export interface ObjectName {
  bucket: string
  key: string
}

/** `headers` take the place of all that were told of the source; `encryption`: headers that say how the copy is encrypted. */
export interface CopyOptions {
  overwrite: boolean
  headers?: Record<string, string>
  encryption?: Record<string, string>
}

const encryptionHeaders = ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id']

/** How an object is encrypted, of what was told of it: without these headers a copy is encrypted as its bucket says. */
export const encryptionIn = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(encryptionHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])))
