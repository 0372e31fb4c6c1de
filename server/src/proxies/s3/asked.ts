/** A request to S3. Header values are decoded text. */
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

/** `headers` replaces all metadata of the source. `encryption` holds the headers for encrypting the copy. */
export interface CopyOptions {
  overwrite: boolean
  headers?: Record<string, string>
  encryption?: Record<string, string>
}

const encryptionHeaders = ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id']

/** The encryption headers among an object's headers. Without them, a copy uses the default encryption of its bucket. */
export const encryptionIn = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(encryptionHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])))
