import type { ListedObject, ObjectPage } from '../client/objects'
import { fileIdOf } from '../paths'

/** A row of the file manager: what S3 lists, and what follows from it. Size in bytes; a folder has none of these. */
export interface FileRow {
  Key: string
  Prefix: string
  ETag: string | null
  Size: number | null
  LastModified: string | null
  id: string
  name: string
  /** The ending in small letters, without its dot; '' where there is none. */
  type: string
  isFolder: boolean
  etag: string | null
}

/** The last name of a key, without the slash of a folder. */
export const nameOf = (key: string): string => {
  const parts = key.split('/')
  return (key.endsWith('/') ? parts.at(-2) : parts.at(-1)) ?? ''
}

/** The folder of a key, with its slash; '' at the top. */
export const folderOf = (key: string): string => {
  const end = key.endsWith('/') ? key.length - 2 : key.length - 1
  return key.slice(0, key.lastIndexOf('/', end) + 1)
}

/** The ending of a name in small letters, without its dot. */
export function typeOf(name: string): string {
  const at = name.lastIndexOf('.')
  return at > 0 && at < name.length - 1 ? name.slice(at + 1).toLowerCase() : ''
}

// the joiners U+200C and U+200D stay: emoji and words of Persian are made with them
// oxlint-disable-next-line no-control-regex -- those are meant
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Characters that nobody sees, as they are written in programs: those that turn a text round make "exe.jpg" of "gpj.exe". */
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

/** The rows of a page are the same ones whatever pages come after it: what is shown of them is not drawn anew. */
const rowsOfPage = new WeakMap<ObjectPage, { folders: FileRow[]; files: FileRow[] }>()
function readPage(page: ObjectPage) {
  const rows = rowsOfPage.get(page) ?? { folders: page.prefixes.map(folder), files: page.objects.map(file) }
  rowsOfPage.set(page, rows)
  return rows
}

/** Rows of the pages of a folder, folders first. The key of the folder itself is no file in it. */
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

/** What sort of thing it is, by its ending. */
export const fileKind = ({ isFolder, type }: Pick<FileRow, 'isFolder' | 'type'>): FileKind =>
  isFolder ? 'folder' : (kindOfType.get(type) ?? 'other')
