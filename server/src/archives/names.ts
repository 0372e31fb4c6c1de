import { MOST_NAME_BYTES } from '@mainstay/contract/object-storage/bucket-names'

/** Name of the file that lists objects which could not be read. */
export const MISSING = '_missing.txt'

const bytes = (text: string) => Buffer.byteLength(text)

/** Matches Windows device names, which are reserved with any extension. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i

/**
 * Makes a path segment valid on all file systems: no `..`, no device names or control characters, at most 255 bytes.
 */
function cleanName(name: string): string {
  // on some systems, characters such as backslashes and colons are invalid or escape from the folder
  const plain = name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\:*?"<>|]/gu, '_')
    .replace(/[. ]+$/, (end) => '_'.repeat(end.length))
    .replace(device, (name) => `_${name}`)
  let size = 0
  let end = 0
  for (const sign of plain) {
    if ((size += bytes(sign)) > MOST_NAME_BYTES) return plain.slice(0, end)
    end += sign.length
  }
  return plain
}

/**
 * Converts an object key to the path of an archive entry. Removes leading slashes and replaces characters that are
 * invalid in file names with `_`.
 */
export const cleanPath = (key: string): string => {
  const folder = key.endsWith('/') ? '/' : ''
  const names = key.split('/').filter((name) => name !== '')
  return names.length === 0 ? '' : `${names.map(cleanName).join('/')}${folder}`
}

/**
 * Makes paths unique. If the name of a file is already taken by another file or a folder, a number is added before the
 * extension.
 */
export function uniquePaths(paths: readonly string[]): string[] {
  // many file systems ignore case and Unicode normalization
  const plain = (path: string) => path.normalize('NFC').toLowerCase()
  const taken = new Set([MISSING])
  const counts = new Map<string, number>()
  for (const path of paths)
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) taken.add(plain(path.slice(0, end)))
  return paths.map((path) => {
    if (path.endsWith('/')) return path
    const [, stem = '', ending = ''] = /^(.*?)(\.[^./]{1,16})?$/s.exec(path) ?? []
    let free = path
    // for a repeated name, continue counting where the previous one ended
    let count = counts.get(plain(path)) ?? 2
    for (; taken.has(plain(free)); count++) free = `${stem} (${count})${ending}`
    counts.set(plain(path), count)
    taken.add(plain(free))
    return free
  })
}
