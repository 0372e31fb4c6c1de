import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { copyText } from '../../../lib/copy-text'
import { toast } from '../../../notices/notices'
import type { RowAction } from '../../../patterns/table/row-action'
import { CopyIcon, DeleteIcon, DownloadIcon } from '../../../ui/icons'
import { isReachable } from '../client/address'
import { presigned } from '../client/presign'
import type { FileRow } from './file-row'

/** Lets the browser fetch an object by itself, so that nothing of it passes through the page. */
export function download(bucket: string, key: string): void {
  const link = document.createElement('a')
  link.href = presigned(bucket, key)
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}

const encoded = (key: string) => key.split('/').map(encodeURIComponent).join('/')

/** What can be done to a file or a folder. `remove` asks first. */
export function useFileActions(bucket: string, remove: (file: FileRow) => void) {
  const t = useT('objectStorage')
  const { data } = useView(s3Service.view, {})
  const copy = (text: string) => void copyText(text).then((isCopied) => isCopied && toast(t('files.copied', { text })))
  const endpoint = data?.endpoint
  return (file: FileRow): RowAction[] => [
    ...(file.isFolder
      ? []
      : [
          {
            label: t('files.download'),
            icon: DownloadIcon,
            isLikely: true,
            disabledBecause: isReachable(file.Key) ? undefined : t('files.unreachable'),
            run: () => download(bucket, file.Key),
          },
        ]),
    {
      label: t('files.copyPath'),
      icon: CopyIcon,
      group: 'show' as const,
      run: () => copy(`s3://${bucket}/${file.Key}`),
    },
    ...(endpoint
      ? [
          {
            label: t('files.copyUrl'),
            icon: CopyIcon,
            group: 'show' as const,
            run: () => copy(`${endpoint}/${bucket}/${encoded(file.Key)}`),
          },
        ]
      : []),
    {
      label: t(file.isFolder ? 'files.deleteFolder' : 'files.delete'),
      icon: DeleteIcon,
      group: 'delete' as const,
      isDanger: true,
      run: () => remove(file),
    },
  ]
}
