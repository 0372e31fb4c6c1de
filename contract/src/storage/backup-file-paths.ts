import * as z from 'zod'
import { says } from '../core/said'

/*
 * File names are bytes without `/` and NUL. In a path, control characters, `%` and bytes that are not UTF-8 are written as
 * `%` and two hex digits; everything else is UTF-8. So usual paths are written as usual: `/etc/hosts`.
 */

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

const escaped = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** Length of the valid UTF-8 sequence at this place; 0 if there is none. */
function sequenceAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  try {
    if (length > 0 && strict.decode(bytes.subarray(at, at + length)) !== '') return length
  } catch {
    // not valid
  }
  return 0
}

/** A file name as a part of a path. */
export function pathPart(name: Uint8Array): string {
  let part = ''
  for (let at = 0; at < name.length;) {
    const length = sequenceAt(name, at)
    const sign = length === 0 ? '' : strict.decode(name.subarray(at, at + length))
    part +=
      sign === '' || sign === '%' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(sign)
        ? [...name.subarray(at, at + Math.max(1, length))].map(escaped).join('')
        : sign
    at += Math.max(1, length)
  }
  return part
}

/** The bytes of a path or a part of it. */
export function pathBytes(path: string): Uint8Array {
  const bytes: number[] = []
  for (const [text, hex] of path.matchAll(/%([0-9A-Fa-f]{2})|[^%]+|%/gu))
    if (hex === undefined) bytes.push(...encoder.encode(text))
    else bytes.push(Number.parseInt(hex, 16))
  return Uint8Array.from(bytes)
}

/** A part of a path for display. */
export const shownName = (part: string): string => lenient.decode(pathBytes(part))

const parts = (path: string) => path.split('/').slice(1)
/** Whether a path is absolute and has only names: no empty part, `.`, `..`, `/` or NUL. */
const isPlain = (path: string): boolean =>
  path === '/' ||
  (path.startsWith('/') &&
    parts(path).every((part) => {
      const name = lenient.decode(pathBytes(part))
      return part !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)
    }))

/** Path of a file in a file system, such as `/etc/hosts`; `/` is the file system itself. */
export const FilePath = z.string().min(1).max(4096).refine(isPlain, says('storage.file_path'))
