const part = encodeURIComponent
const root = '/s3-storage'

/** Ids of files in addresses: their key, in letters that no router reads. */
export const fileIdOf = (key: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(key)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** The key that such an id stands for; null where it stands for none. */
export function keyOfFile(id: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(id.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** `buckets/files/` belongs to the file manager: the bucket of this name stands behind a sign that no name of a bucket has. */
const OWN = '~'
const bucketPart = (name: string) => (name === 'files' ? `${OWN}${name}` : part(name))
/** The bucket that a part of an address stands for. */
export const bucketOfPart = (text: string): string => (text.startsWith(OWN) ? text.slice(OWN.length) : text)

/** Addresses of the pages of object storage (S1§2). */
export const s3Paths = {
  root: () => root,
  buckets: () => `${root}/buckets`,
  addBucket: () => `${root}/buckets/add`,
  bucket: (name: string, tab: 'overview' | 'bucket-policy' | 'rules' = 'overview') =>
    `${root}/buckets/${bucketPart(name)}/${tab}`,
  policy: (name: string) => `${root}/buckets/${bucketPart(name)}/bucket-policy/manage`,
  /** The folder stands after `?`, as `path`: its prefix, with its slash. */
  files: (bucket: string) => `${root}/buckets/files/${part(bucket)}`,
  addFolder: (bucket: string) => `${root}/buckets/files/${part(bucket)}/add`,
  file: (bucket: string, key: string) => `${root}/buckets/files/${part(bucket)}/${fileIdOf(key)}`,
  access: () => `${root}/access`,
  createKey: () => `${root}/access/create-key`,
}
