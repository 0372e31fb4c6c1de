import { says, type RuleText } from '../core/said'
/** Returns all violations of the S3 rules for bucket names, or an empty list if the name is valid. */
export function bucketNameFaults(name: string): RuleText[] {
  const faults: RuleText[] = []
  if (name.length < 3 || name.length > 63) faults.push(says('objectStorage.bucket_length'))
  if (/[A-Z]/.test(name)) faults.push(says('objectStorage.bucket_lowercase'))
  if (/[^A-Za-z0-9.-]/.test(name)) faults.push(says('objectStorage.bucket_characters'))
  if (/^[^A-Za-z0-9]|[^A-Za-z0-9]$/.test(name)) faults.push(says('objectStorage.bucket_ends'))
  if (name.includes('..')) faults.push(says('objectStorage.bucket_two_dots'))
  if (/\.-|-\./.test(name)) faults.push(says('objectStorage.bucket_part_ends'))
  if (name.includes('--')) faults.push(says('objectStorage.bucket_two_hyphens'))
  if (/^\d+\.\d+\.\d+\.\d+$/.test(name)) faults.push(says('objectStorage.bucket_is_address'))
  if (name.startsWith('xn--')) faults.push(says('objectStorage.bucket_xn'))
  return faults
}

/** Maximum length of an object key in S3, in UTF-8 bytes. */
export const MOST_KEY_BYTES = 1024
/** Maximum length of a path segment in UTF-8 bytes, because it becomes a file name when the object is downloaded. */
export const MOST_NAME_BYTES = 255

const bytes = (text: string) => new TextEncoder().encode(text).length
// oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
const control = /[\u0000-\u001f\u007f]/

/**
 * Returns the validation errors in the name of a file or folder. `folder` is the key of the parent folder, with a
 * trailing slash.
 */
export function objectNameFaults(name: string, folder: string): RuleText[] {
  const faults: RuleText[] = []
  if (name.trim() === '') faults.push(says('core.enter_name'))
  if (name.includes('/')) faults.push(says('objectStorage.no_slash'))
  if (name === '.' || name === '..') faults.push(says('objectStorage.no_dots_alone'))
  if (control.test(name)) faults.push(says('objectStorage.no_control_characters'))
  if (bytes(name) > MOST_NAME_BYTES) faults.push(says('core.too_many_bytes', { most: MOST_NAME_BYTES }))
  if (bytes(`${folder}${name}/`) > MOST_KEY_BYTES) faults.push(says('objectStorage.path_too_long'))
  return faults
}
