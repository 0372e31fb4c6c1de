import type { Beginning } from '../../../../api/transfers/read-beginning'
import type { Key } from '../../../../i18n/catalogues'
import { pictureType, pixelsOf } from './picture-size'

/** Bytes of a file that a preview reads. */
export const MOST_PREVIEW_BYTES = 256 * 1024
const MOST_PIXELS = 40_000_000

/** How the beginning of a file is shown. The content may be malicious, so it is shown as an image or as plain text. */
export type Preview =
  | { kind: 'text'; text: string; isCut: boolean }
  | { kind: 'picture'; picture: Blob }
  | { kind: 'none'; reason: Key<'storage'> }

const none = (reason: Key<'storage'>): Preview => ({ kind: 'none', reason })

/** Chooses the preview by the content of a file; its name does not matter. */
export function previewOf({ bytes, isCut }: Beginning): Preview {
  if (bytes.length === 0) return none('backups.files.noPreview.empty')
  const type = pictureType(bytes)
  if (type) {
    if (isCut) return none('backups.files.noPreview.large')
    if ((pixelsOf(type, bytes) ?? Infinity) > MOST_PIXELS) return none('backups.files.noPreview.pixels')
    return { kind: 'picture', picture: new Blob([bytes], { type }) }
  }
  const text = textIn(bytes, isCut)
  return text === undefined ? none('backups.files.noPreview.binary') : { kind: 'text', text, isCut }
}

/** Control characters of texts: tab, line breaks, form feed, and the one that begins colors of terminals. */
const controls = new Set([9, 10, 12, 13, 27])

/** The bytes as text; undefined if they are not text in UTF-8. The last character of a part may be incomplete. */
function textIn(bytes: Uint8Array<ArrayBuffer>, isPart: boolean): string | undefined {
  if (bytes.some((byte) => byte < 32 && !controls.has(byte))) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isPart })
  } catch {
    return undefined
  }
}
