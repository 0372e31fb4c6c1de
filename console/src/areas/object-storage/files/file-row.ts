import type { ListedObject, ObjectPage } from '../client/objects'
import { fileIdOf } from '../paths'

/** A row in the file manager, derived from an S3 list entry. Size in bytes; null for folders. */
export interface FileRow {
  Key: string
  Prefix: string
  ETag: string | null
  Size: number | null
  LastModified: string | null
  id: string
  name: string
  /** Lowercase file extension without the dot; empty if there is none. */
  type: string
  isFolder: boolean
  etag: string | null
}

/** The last segment of a key, without a folder's trailing slash. */
export const nameOf = (key: string): string => {
  const parts = key.split('/')
  return (key.endsWith('/') ? parts.at(-2) : parts.at(-1)) ?? ''
}

/** The folder that contains a key, with a trailing slash; empty at the top level. */
export const folderOf = (key: string): string => {
  const end = key.endsWith('/') ? key.length - 2 : key.length - 1
  return key.slice(0, key.lastIndexOf('/', end) + 1)
}

/** The file extension in a name, in lowercase and without the dot. */
export function typeOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 && at < name.length - 1 ? name.slice(at + 1).toLowerCase() : ''
}

// keep the joiners U+200C and U+200D, which emoji and Persian words rely on
// oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Escapes invisible characters. Bidirectional controls could make "gpj.exe" look like "exe.jpg". */
export const visible = (name: string): string =>
  name.replaceAll(UNSEEN, (sign) => {
    const code = sign.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
  })

const folder = (prefix: string): FileRow => ({
  ...{ Key: prefix, Prefix: prefix, ETag: null, Size: null, LastModified: null },
  ...{ id: fileIdOf(prefix), name: nameOf(prefix), type: '', isFolder: true, etag: null },
})

const file = ({ Key, ETag, Size, LastModified }: ListedObject): FileRow => {
  const name = nameOf(Key)
  return {
    ...{ Key, Prefix: folderOf(Key), ETag, Size, LastModified },
    ...{ id: fileIdOf(Key), name, type: typeOf(name), isFolder: false, etag: ETag },
  }
}

/** Caches the rows of each page so that rows keep their identity and are not rendered again when more pages load. */
const rowsOfPage = new WeakMap<ObjectPage, { folders: FileRow[]; files: FileRow[] }>()
function readPage(page: ObjectPage) {
  const rows = rowsOfPage.get(page) ?? { folders: page.prefixes.map(folder), files: page.objects.map(file) }
  rowsOfPage.set(page, rows)
  return rows
}

/** The rows in a folder, subfolders first. The object that represents the folder itself is left out. */
export function rowsOf(pages: readonly ObjectPage[], path: string): FileRow[] {
  const read = pages.map(readPage)
  const folders = new Map(read.flatMap((page) => page.folders.map((row) => [row.Key, row])))
  const files = read.flatMap((page) => page.files.filter(({ Key }) => Key !== path))
  return [...folders.values(), ...files]
}

const kinds = {
  image: 'avif bmp gif heic ico jpeg jpg png svg tif tiff webp',
  video: 'avi m4v mkv mov mp4 mpeg mpg webm',
  audio: 'aac flac m4a mp3 ogg opus wav',
  archive: '7z bz2 gz qcow2 rar tar tgz vmdk xz zip zst',
  document: 'csv doc docx log md ndjson odp ods odt pdf ppt pptx rtf txt xls xlsx',
  code: 'c cpp css go h html java js json jsx php py rb rs sh sql tf toml ts tsx xml yaml yml',
} as const
export type FileKind = keyof typeof kinds | 'folder' | 'other'

const kindOfType = new Map(
  Object.entries(kinds).flatMap(([kind, types]) => types.split(' ').map((type) => [type, kind as FileKind])),
)

/** File kind, derived from the extension. */
export const fileKind = ({ isFolder, type }: Pick<FileRow, 'isFolder' | 'type'>): FileKind =>
  isFolder ? 'folder' : (kindOfType.get(type) ?? 'other')
