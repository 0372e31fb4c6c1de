import { DeleteFiles } from './DeleteFiles'
import type { FileWork } from './file-actions'
import { MetadataForm } from './MetadataForm'
import { ShareDialog } from './ShareDialog'
import { RenameForm, TransferForm } from './TransferForm'

interface FileDialogsProps {
  bucket: string
  work: FileWork
  /** `isGone`: the files were deleted, moved or renamed. */
  onClose: (isGone: boolean) => void
}

/** Opens the dialog for an action on files. */
export function FileDialogs({ bucket, work: { what, files }, onClose }: FileDialogsProps) {
  const [first] = files
  switch (what) {
    case 'delete':
      return <DeleteFiles bucket={bucket} files={files} onClose={onClose} />
    case 'rename':
      return <RenameForm bucket={bucket} file={first!} onClose={onClose} />
    case 'metadata':
      return <MetadataForm bucket={bucket} file={first!} onClose={() => onClose(false)} />
    case 'share':
      return <ShareDialog bucket={bucket} file={first!} onClose={() => onClose(false)} />
    case 'copy':
      return <TransferForm action="copy" bucket={bucket} files={files} onClose={() => onClose(false)} />
    case 'move':
      return <TransferForm action="move" bucket={bucket} files={files} onClose={onClose} />
  }
}
