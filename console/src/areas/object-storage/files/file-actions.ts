import { useCallback } from 'react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { downloadFrom } from '../../../api/transfers/download'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { copyText } from '../../../lib/copy-text'
import { toast } from '../../../notices/notices'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { CopyIcon, DeleteIcon, DownloadIcon, EditIcon, MoveIcon, ShareIcon } from '../../../ui/icons'
import { presigned } from '../client/presign'
import { downloadArchive } from './archive'
import { folderOf, type FileRow } from './file-row'

/** The dialog to open and the files that it applies to. */
export interface FileWork {
  what: 'delete' | 'rename' | 'copy' | 'move' | 'share' | 'metadata'
  files: readonly FileRow[]
}

const encoded = (key: string) => key.split('/').map(encodeURIComponent).join('/')

/** Actions for a file or folder. `begin` opens the dialog for an action. */
export function useFileActions(bucket: string, begin: (work: FileWork) => void) {
  const t = useT('objectStorage')
  const may = useMay()
  const { data } = useView(s3Service.view, {})
  const endpoint = data?.endpoint
  const [mayWrite, mayRemove] = [may(s3Keys.create.needs), may(s3Keys.delete.needs)]
  // keep the same function so that unchanged rows are not rendered again
  return useCallback(
    (file: FileRow): RowAction[] => {
      const { Key, isFolder } = file
      const copy = (text: string) =>
        void copyText(text).then((isCopied) => isCopied && toast(t('files.copied', { text })))
      const asking = (what: FileWork['what']) => () => begin({ what, files: [file] })
      return [
        isFolder
          ? {
              label: t('files.downloadFolder'),
              icon: DownloadIcon,
              run: () => void downloadArchive(bucket, folderOf(Key), [file]),
            }
          : {
              label: t('files.download'),
              icon: DownloadIcon,
              isLikely: true,
              run: () => downloadFrom(presigned(bucket, Key)),
            },
        ...(isFolder ? [] : [{ label: t('files.share'), icon: ShareIcon, run: asking('share') }]),
        ...(mayWrite && mayRemove
          ? [{ label: t('files.rename'), icon: EditIcon, group: 'change' as const, run: asking('rename') }]
          : []),
        ...(mayWrite
          ? [{ label: t('files.copy'), icon: CopyIcon, group: 'change' as const, run: asking('copy') }]
          : []),
        ...(mayWrite && mayRemove
          ? [{ label: t('files.move'), icon: MoveIcon, group: 'change' as const, run: asking('move') }]
          : []),
        ...(mayWrite && !isFolder
          ? [{ label: t('metadata.add'), icon: EditIcon, group: 'change' as const, run: asking('metadata') }]
          : []),
        { label: t('files.copyPath'), icon: CopyIcon, group: 'show', run: () => copy(`s3://${bucket}/${Key}`) },
        ...(endpoint
          ? [
              {
                label: t('files.copyUrl'),
                icon: CopyIcon,
                group: 'show' as const,
                run: () => copy(`${endpoint}/${bucket}/${encoded(Key)}`),
              },
            ]
          : []),
        {
          label: t(isFolder ? 'files.deleteFolder' : 'files.delete'),
          icon: DeleteIcon,
          group: 'delete' as const,
          isDanger: true,
          run: asking('delete'),
        },
      ]
    },
    [bucket, begin, t, endpoint, mayWrite, mayRemove],
  )
}
