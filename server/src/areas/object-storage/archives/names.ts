import { MOST_NAME_BYTES } from '@mainstay/contract/object-storage/bucket-names'

/** Where those that could not be read are told. */
export const MISSING = '_missing.txt'

const bytes = (text: string) => Buffer.byteLength(text)

/** Devices of Windows, whatever ending they have. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i

/** One name between slashes as every file system has it: no step of a path, no device, no control characters, no more than 255 bytes. */
function cleanName(name: string): string {
  // a backslash, a colon and their like are no part of a name on other systems, or lead out of the folder
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

/** A key as the path of an entry: without slashes at its begin, with `_` for what no file can be called. */
export const cleanPath = (key: string): string => {
  const folder = key.endsWith('/') ? '/' : ''
  const names = key.split('/').filter((name) => name !== '')
  return names.length === 0 ? '' : `${names.map(cleanName).join('/')}${folder}`
}

/** Each path once: a file whose name is taken, also by a folder, gets a number before its ending. */
export function uniquePaths(paths: readonly string[]): string[] {
  // many systems tell neither capital letters apart, nor how an accent is written
  const plain = (path: string) => path.normalize('NFC').toLowerCase()
  const taken = new Set([MISSING])
  const counts = new Map<string, number>()
  for (const path of paths)
    for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) taken.add(plain(path.slice(0, end)))
  return paths.map((path) => {
    if (path.endsWith('/')) return path
    const [, stem = '', ending = ''] = /^(.*?)(\.[^./]{1,16})?$/s.exec(path) ?? []
    let free = path
    // where the same name came before, it goes on from there
    let count = counts.get(plain(path)) ?? 2
    for (; taken.has(plain(free)); count++) free = `${stem} (${count})${ending}`
    counts.set(plain(path), count)
    taken.add(plain(free))
    return free
  })
}
