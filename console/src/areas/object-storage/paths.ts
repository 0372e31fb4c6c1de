const part = encodeURIComponent
const root = '/s3-storage'

/** Encodes a key as a URL-safe ID. */
export const fileIdOf = (key: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(key)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** Decodes an ID to its key; null if the ID is invalid. */
export function keyOfFile(id: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(id.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * Prefix for a bucket named `files`: `buckets/files/` is the path of the file manager, and no bucket name may contain
 * `~`.
 */
const OWN = '~'
const bucketPart = (name: string) => (name === 'files' ? `${OWN}${name}` : part(name))
/** The bucket name for a path segment. */
export const bucketOfPart = (text: string): string => (text.startsWith(OWN) ? text.slice(OWN.length) : text)

/** Paths to object storage pages (S1§2). */
export const s3Paths = {
  root: () => root,
  buckets: () => `${root}/buckets`,
  addBucket: () => `${root}/buckets/add`,
  bucket: (name: string, tab: 'overview' | 'bucket-policy' | 'rules' = 'overview') =>
    `${root}/buckets/${bucketPart(name)}/${tab}`,
  policy: (name: string) => `${root}/buckets/${bucketPart(name)}/bucket-policy/manage`,
  /** The folder is passed as the search parameter `path`, with a trailing slash. */
  files: (bucket: string) => `${root}/buckets/files/${part(bucket)}`,
  addFolder: (bucket: string) => `${root}/buckets/files/${part(bucket)}/add`,
  file: (bucket: string, key: string) => `${root}/buckets/files/${part(bucket)}/${fileIdOf(key)}`,
  access: () => `${root}/access`,
  createKey: () => `${root}/access/create-key`,
}
