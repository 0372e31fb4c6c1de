import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { useState } from 'react'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { AddLink } from '../../../patterns/AddLink'
import { Meter } from '../../../ui/feedback/Meter'
import { columns } from '../../../patterns/table/columns'
import type { RowAction } from '../../../patterns/table/row-action'
import { buttonClass } from '../../../ui/button-class'
import { BucketIcon, DeleteIcon, FolderIcon, KeyIcon, SecurityIcon } from '../../../ui/icons'
import { listBuckets, type Bucket } from '../client/buckets'
import { s3Query } from '../keys'
import { useLocalList } from '../../../patterns/local-table/local-list'
import { LocalTable } from '../../../patterns/local-table/LocalTable'
import { s3Paths } from '../paths'
import { S3Page } from '../S3Page'
import { useAccount } from '../use-account'
import { useS3 } from '../use-s3'
import { DeleteBuckets } from './DeleteBuckets'
import css from './buckets.module.css'

const column = columns<Bucket>('objectStorage')
const bucketColumns = [
  column.link('name', 'buckets.name', (name) => s3Paths.files(name), { width: 320 }),
  column.created('created_at', { width: 160 }),
]
const sortBy = { name: ({ name }: Bucket) => name, created_at: ({ created_at: at }: Bucket) => at }
const matches = ({ name }: Bucket, search: string) => name.includes(search.trim().toLowerCase())

/** `s3-storage/buckets`: the user's buckets and their total usage. */
export default function BucketListPage() {
  const t = useT('objectStorage')
  const go = useAppNavigate()
  const view = useS3(s3Query.buckets(), listBuckets)
  const [deleted, remove] = useState<readonly Bucket[]>([])
  const list = useLocalList({
    name: 's3_bucket',
    rows: view.data,
    sortBy,
    start: { key: 'name', direction: 'asc' },
    matches,
    problem: view.problem,
    staleSince: view.staleSince,
    reload: view.reload,
  })
  const actions = (bucket: Bucket): RowAction[] => [
    { label: t('buckets.open'), icon: FolderIcon, isLikely: true, run: () => go(s3Paths.files(bucket.name)) },
    { label: t('buckets.details'), icon: BucketIcon, run: () => go(s3Paths.bucket(bucket.name)) },
    { label: t('policy.title'), icon: SecurityIcon, run: () => go(s3Paths.bucket(bucket.name, 'bucket-policy')) },
    { label: t('buckets.delete'), icon: DeleteIcon, group: 'delete', isDanger: true, run: () => remove([bucket]) },
  ]
  const add = (
    <AddLink to={s3Paths.addBucket()} needs={s3Keys.create.needs}>
      {t('buckets.add')}
    </AddLink>
  )
  return (
    <S3Page
      title={t('buckets.title')}
      isFilled
      actions={
        <>
          <Link to={s3Paths.access()} className={buttonClass({ variant: 'quiet' })}>
            <KeyIcon />
            <span>{t('access.title')}</span>
          </Link>
          {add}
        </>
      }
    >
      <Usage />
      <LocalTable
        list={list}
        label={t('buckets.many')}
        searchLabel={t('buckets.search')}
        count={view.data && t('buckets.count', { count: list.rows.length })}
        columns={bucketColumns}
        actions={actions}
        empty={t('buckets.empty')}
        emptyAction={add}
        onDelete={remove}
      />
      {deleted.length > 0 && <DeleteBuckets buckets={deleted} onClose={() => remove([])} />}
    </S3Page>
  )
}

/** Total usage of the user's buckets compared with their quota. */
function Usage() {
  const t = useT('objectStorage')
  const format = useFormat()
  const { data } = useAccount()
  if (!data) return <div className={css.usage} />
  return (
    <div className={css.usage}>
      <Meter label={t('usage.stored')} used={data.usage.size} limit={data.quota} format={format.bytes} />
      <span className={css.objects}>
        {data.quota_objects === null
          ? t('usage.objects', { count: data.usage.objects })
          : t('usage.objectsOf', { count: data.usage.objects, most: data.quota_objects })}
      </span>
    </div>
  )
}
