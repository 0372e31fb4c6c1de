/** What of a bucket's name is not as S3 asks, all at once, in words; none: it may be used. */
export function bucketNameFaults(name: string): string[] {
  const faults: string[] = []
  if (name.length < 3 || name.length > 63) faults.push('Use 3 to 63 characters')
  if (/[A-Z]/.test(name)) faults.push('Use lowercase letters')
  if (/[^A-Za-z0-9.-]/.test(name)) faults.push('Use letters, digits, hyphens and dots only')
  if (/^[^A-Za-z0-9]|[^A-Za-z0-9]$/.test(name)) faults.push('Begin and end with a letter or a digit')
  if (name.includes('..')) faults.push('Do not put two dots side by side')
  if (/\.-|-\./.test(name)) faults.push('Begin and end each part between dots with a letter or a digit')
  if (name.includes('--')) faults.push('Do not put two hyphens side by side')
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) faults.push('Do not use the form of an IP address')
  if (name.startsWith('xn--')) faults.push('Do not begin with xn--')
  return faults
}

/** The most that S3 takes of a key, in bytes of UTF-8. */
export const MOST_KEY_BYTES = 1024
/** The most of one name between slashes, in bytes of UTF-8: it has to be a file's name when it is downloaded. */
export const MOST_NAME_BYTES = 255

const bytes = (text: string) => new TextEncoder().encode(text).length
// oxlint-disable-next-line no-control-regex -- those are meant
const control = /[\u0000-\u001f\u007f]/

/** What of the name of a file or a folder in a bucket's folder cannot be. `folder`: the key before it, with its slash. */
export function objectNameFaults(name: string, folder: string): string[] {
  const faults: string[] = []
  if (name.trim() === '') faults.push('Enter a name')
  if (name.includes('/')) faults.push('Do not use a slash')
  if (name === '.' || name === '..') faults.push('Do not use . or .. alone')
  if (control.test(name)) faults.push('Do not use control characters')
  if (bytes(name) > MOST_NAME_BYTES) faults.push(`Use at most ${MOST_NAME_BYTES} bytes`)
  if (bytes(`${folder}${name}/`) > MOST_KEY_BYTES) faults.push('The whole path is too long for object storage')
  return faults
}
