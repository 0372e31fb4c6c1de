import { useState } from 'react'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { refresh } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { deleteBucket } from '../client/buckets'
import { abortMultiparts } from '../client/multipart'
import { deleteAll, deleteAllVersions, deleteEach } from '../delete-run'
import { DeleteDialog } from '../DeleteDialog'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'

interface DeleteBucketsProps {
  buckets: readonly { name: string }[]
  onClose: (isDone: boolean) => void
}

/** Maximum number of parallel requests. */
const AT_ONCE = 5

const renew = () => {
  void refreshS3(s3Query.buckets())
  void refresh([s3Keys.account])
}

/** Deletes one bucket, optionally with its contents, or several empty buckets. */
export const DeleteBuckets = ({ buckets, onClose }: DeleteBucketsProps) => {
  const [first] = buckets
  if (!first) return null
  return buckets.length === 1 ? (
    <DeleteOne name={first.name} onClose={onClose} />
  ) : (
    <DeleteSeveral names={buckets.map(({ name }) => name)} onClose={onClose} />
  )
}

function DeleteOne({ name, onClose }: { name: string; onClose: DeleteBucketsProps['onClose'] }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const [isFull, setFull] = useState(false)
  const texts = {
    deletedText: (count: number) => t('delete.objects', { count, shown: format.number(count) }),
    onClose: ({ isWhole, isBegun }: { isWhole: boolean; isBegun: boolean }) => {
      if (isBegun) renew()
      if (isWhole) toast(t('buckets.deleted', { name }))
      onClose(isWhole)
    },
  }
  if (isFull)
    return (
      <DeleteDialog
        {...texts}
        key="full"
        title={t('buckets.emptyTitle', { name })}
        text={t('buckets.emptyText')}
        verb={t('buckets.emptyVerb')}
        runningText={t('delete.running')}
        run={async (signal, tell) => {
          const files = await deleteAll(name, { prefixes: [''] }, signal, tell)
          if (files.faults.length > 0) return files
          // in a versioned bucket, the objects are only hidden by delete markers
          const progress = await deleteAllVersions(name, files, signal, tell)
          if (progress.faults.length > 0) return progress
          await abortMultiparts(name, signal)
          await deleteBucket(name, signal)
          return progress
        }}
      />
    )
  return (
    <DeleteDialog
      {...texts}
      key="empty"
      title={t('buckets.deleteTitle', { name })}
      text={t('buckets.deleteText')}
      typed={name}
      verb={t('buckets.delete')}
      runningText={t('buckets.deleting')}
      run={async (signal) => {
        await deleteBucket(name, signal)
        return { deleted: 0, faults: [] }
      }}
      onProblem={({ code }) => {
        const isNotEmpty = code === 'BucketNotEmpty'
        setFull(isNotEmpty)
        return isNotEmpty
      }}
    />
  )
}

function DeleteSeveral({ names, onClose }: { names: readonly string[]; onClose: DeleteBucketsProps['onClose'] }) {
  const t = useT('objectStorage')
  const format = useFormat()
  return (
    <DeleteDialog
      title={t('buckets.deleteMany', { count: names.length })}
      text={<p>{t('buckets.deleteManyText', { names: names.join(', ') })}</p>}
      verb={t('buckets.deleteManyVerb', { count: names.length })}
      runningText={t('buckets.deletingMany')}
      total={names.length}
      deletedText={(count) => t('delete.buckets', { count, shown: format.number(count) })}
      run={(signal, tell) => deleteEach(names, (name) => deleteBucket(name, signal), AT_ONCE, signal, tell)}
      onClose={({ isWhole, isBegun }) => {
        if (isBegun) renew()
        onClose(isWhole)
      }}
    />
  )
}
