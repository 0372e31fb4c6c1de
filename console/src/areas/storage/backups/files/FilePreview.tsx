import { backupFiles, type FileEntry } from '@mainstay/contract/storage/backup-files'
import { useQuery } from '@tanstack/react-query'
import { viewKey } from '../../../../api/keys'
import { asProblem, type CallProblem } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { callForBeginning } from '../../../../api/transfers/read-beginning'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { Skeleton } from '../../../../ui/feedback/Skeleton'
import { BlobPicture } from '../../../../ui/values/BlobPicture'
import { CodeBlock } from '../../../../ui/values/CodeBlock'
import type { FolderPlace } from './download'
import css from './files.module.css'
import { MOST_PREVIEW_BYTES, previewOf } from './preview'
import { useClosedFiles } from './use-files-session'

interface FilePreviewProps {
  place: FolderPlace
  file: FileEntry
}

/** The beginning of a file as plain text, or an image. The audit log records the read as a download. */
export function FilePreview({ place, file }: FilePreviewProps) {
  const t = useT('storage')
  const shell = useT('shell')
  const format = useFormat()
  const params = { id: place.pointId }
  const query = { file_system: place.fileSystem, path: file.path }
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: viewKey('', backupFiles.download, params, query),
    queryFn: async ({ signal }) =>
      previewOf(await callForBeginning(backupFiles.download, { params, query }, MOST_PREVIEW_BYTES, { signal })),
    // each read is recorded
    ...{ staleTime: Infinity, gcTime: 0, retry: false },
  })
  const problem = error ? asProblem(error) : undefined
  useClosedFiles(problem)
  const whyNot = (reason: string) => <p className={css.note}>{t('backups.files.noPreview', { reason })}</p>
  if (problem)
    return (
      <ErrorPanel
        title={t('backups.files.previewFailed')}
        why={isBrokenOff(problem) ? t('backups.files.brokenOff') : problemText(problem, shell)}
        id={problem.requestId}
        isRetrying={isFetching}
        onRetry={() => void refetch()}
      />
    )
  if (!data) return <Skeleton width="60%" />
  switch (data.kind) {
    case 'none':
      return whyNot(t(data.reason, { size: format.bytes(MOST_PREVIEW_BYTES) }))
    case 'picture':
      return (
        <div className={css.picture}>
          <BlobPicture
            of={data.picture}
            alt={t('backups.files.previewOf', { name: file.name })}
            fallback={whyNot(t('backups.files.noPreview.damaged'))}
          />
        </div>
      )
    case 'text':
      return (
        <>
          <CodeBlock label={t('backups.files.previewOf', { name: file.name })}>{data.text}</CodeBlock>
          {data.isCut && (
            <p className={css.note}>
              {t('backups.files.previewPart', {
                size: format.bytes(MOST_PREVIEW_BYTES),
                total: format.bytes(file.size ?? 0),
              })}
            </p>
          )}
        </>
      )
  }
}

/** Whether the server began to send the file, but not to its end. */
const isBrokenOff = ({ kind }: CallProblem) => kind === 'unreadable'
