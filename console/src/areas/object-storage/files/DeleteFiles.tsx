import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { deleteAll } from '../delete-run'
import { DeleteDialog } from '../DeleteDialog'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'
import { visible, type FileRow } from './file-row'

interface DeleteFilesProps {
  bucket: string
  files: readonly FileRow[]
  onClose: (isDone: boolean) => void
}

/** Deletes files, and folders with their contents. */
export function DeleteFiles({ bucket, files, onClose }: DeleteFilesProps) {
  const t = useT('objectStorage')
  const format = useFormat()
  const folders = files.filter(({ isFolder }) => isFolder)
  const [only] = files
  const count = files.length
  const deletedText = (deleted: number) => t('delete.objects', { count: deleted, shown: format.number(deleted) })
  return (
    <DeleteDialog
      title={
        count === 1
          ? t(only!.isFolder ? 'files.deleteFolderTitle' : 'files.deleteTitle', { name: visible(only!.name) })
          : t('files.deleteMany', { count, shown: format.number(count) })
      }
      text={t(folders.length > 0 ? 'files.deleteFoldersText' : 'files.deleteText')}
      verb={
        count === 1
          ? t(only!.isFolder ? 'files.deleteFolder' : 'files.delete')
          : t('files.deleteManyVerb', { count, shown: format.number(count) })
      }
      runningText={t('delete.running')}
      total={folders.length > 0 ? undefined : count}
      deletedText={deletedText}
      run={(signal, tell) =>
        deleteAll(
          bucket,
          {
            keys: files.filter(({ isFolder }) => !isFolder).map(({ Key }) => Key),
            prefixes: folders.map(({ Key }) => Key),
          },
          signal,
          (progress) => tell(progress),
        ).then((progress) => {
          if (progress.faults.length === 0) toast(deletedText(progress.deleted))
          return progress
        })
      }
      onClose={({ isWhole, isBegun }) => {
        if (isBegun) void refreshS3(s3Query.folder(bucket), s3Query.bucket(bucket, 'count'))
        onClose(isWhole)
      }}
    />
  )
}
