import { useInfiniteQuery } from '@tanstack/react-query'
import { asProblem } from '../../../api/problem'
import { problemText } from '../../../api/problem-text'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { notifyError } from '../../../notices/notify-error'
import { Line } from '../../../patterns/Line'
import lines from '../../../patterns/lines.module.css'
import { Button } from '../../../ui/Button'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../../../ui/feedback/Skeleton'
import { IconButton } from '../../../ui/IconButton'
import { RestoreIcon } from '../../../ui/icons'
import { Drawer } from '../../../ui/overlays/Drawer'
import { Time } from '../../../ui/values/Time'
import { deleteVersion, listVersions, type FileVersion, type VersionPage } from '../client/versions'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'
import { nameOf, visible } from './file-row'

/** Lists deleted files in a folder of a versioned bucket. Removing the delete marker restores a file. */
export function DeletedFiles({ bucket, path, onClose }: { bucket: string; path: string; onClose: () => void }) {
  const t = useT('objectStorage')
  const shell = useT('shell')
  const queryKey = s3Query.bucket(bucket, `deleted ${path}`)
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) =>
      listVersions(bucket, { prefix: path, delimiter: '/', ...(pageParam && { after: pageParam }) }, signal),
    initialPageParam: undefined as VersionPage['next'],
    getNextPageParam: ({ next }) => next,
  })
  const deleted = data?.pages.flatMap(({ versions }) => versions.filter((it) => it.isMarker && it.isLatest)) ?? []
  async function restore(file: FileVersion) {
    const name = visible(nameOf(file.key))
    try {
      await deleteVersion(bucket, file)
    } catch (thrown) {
      return notifyError(thrown, t('deleted.restoreNamed', { name }))
    }
    toast(t('deleted.restored', { name }))
    await refreshS3(queryKey, s3Query.folder(bucket), s3Query.object(bucket, file.key))
  }
  return (
    <Drawer isOpen title={t('deleted.title')} onClose={onClose}>
      {isPending && <SkeletonRows rows={4} columns={2} />}
      {error && !data && (
        <ErrorPanel
          title={t('deleted.title')}
          why={problemText(asProblem(error), shell)}
          id={asProblem(error).requestId}
          onRetry={() => void refetch()}
        />
      )}
      {data && deleted.length === 0 && !hasNextPage && <p>{t('deleted.none')}</p>}
      <ul className={lines.list}>
        {deleted.map((file) => {
          const name = visible(nameOf(file.key))
          return (
            <Line
              key={file.key}
              name={name}
              notes={[t('deleted.when', { when: <Time key="when" at={file.modified} show="both" /> })]}
              action={
                <IconButton
                  icon={RestoreIcon}
                  label={t('deleted.restoreNamed', { name })}
                  onPress={() => void restore(file)}
                />
              }
            />
          )
        })}
      </ul>
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {t('deleted.more')}
        </Button>
      )}
    </Drawer>
  )
}
