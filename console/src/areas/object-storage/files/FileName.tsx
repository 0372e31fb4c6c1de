import type { ReactNode } from 'react'
import {
  ArchiveFileIcon,
  AudioFileIcon,
  CodeFileIcon,
  FileIcon,
  FolderIcon,
  ImageFileIcon,
  TextFileIcon,
  VideoFileIcon,
  type Icon,
} from '../../../ui/icons'
import { fileKind, type FileKind, type FileRow } from './file-row'
import css from './files.module.css'

const icons: Readonly<Record<FileKind, Icon>> = {
  folder: FolderIcon,
  image: ImageFileIcon,
  video: VideoFileIcon,
  audio: AudioFileIcon,
  archive: ArchiveFileIcon,
  document: TextFileIcon,
  code: CodeFileIcon,
  other: FileIcon,
}

/** A file name with an icon for its type. */
export function FileName({ file, children }: { file: FileRow; children: ReactNode }) {
  const KindIcon = icons[fileKind(file)]
  return (
    <span className={css.name}>
      <KindIcon />
      {children}
    </span>
  )
}
