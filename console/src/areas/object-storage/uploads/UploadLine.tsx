import type { ReactNode } from 'react'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { IconButton } from '../../../ui/IconButton'
import { AscendingIcon, CloseIcon, PauseIcon, RefreshIcon, StartIcon } from '../../../ui/icons'
import { Bytes } from '../../../ui/values/Bytes'
import { visible } from '../files/file-row'
import { s3Paths } from '../paths'
import { isOpen, type FileUpload } from './file-upload'
import { abortUpload, pauseUpload, removeUpload, resumeUploads, retryUpload, uploadNext } from './queue'
import css from './uploads.module.css'

/** A file in the queue: name, progress and actions. */
export function UploadLine({ upload, isNext }: { upload: FileUpload; isNext: boolean }) {
  const t = useT('objectStorage')
  const { status, statusIcon: StatusIcon, name: plain, bucketName, folderPath, file, progress, problem } = upload
  const name = visible(plain)
  const { isPaused } = upload
  return (
    <li className={css.line} data-status={status}>
      {isPaused ? <PauseIcon /> : <StatusIcon />}
      <div className={css.words}>
        <span className={css.first}>
          <bdi className={css.name}>{name}</bdi>
          <span className={css.state}>{useStateText(upload)}</span>
        </span>
        {(status === 'PROGRESS' || (isPaused && progress > 0)) && (
          <ProgressBar isBare label={t('upload.one', { name })} share={progress / 100} />
        )}
        <span className={css.note}>
          <bdi>{`${bucketName}/${visible(folderPath)}`}</bdi> {file && <Bytes of={file.size} />}
        </span>
        {problem && <span className={css.fault}>{problem.message}</span>}
      </div>
      <span className={css.acts}>
        <Acts upload={upload} name={name} isNext={isNext} />
      </span>
    </li>
  )
}

function useStateText({ status, statusText, isPaused, progress, part, file }: FileUpload): string {
  const t = useT('objectStorage')
  const format = useFormat()
  const stored = format.percent(progress / 100, 0)
  if (isPaused) return progress > 0 ? t('upload.pausedAt', { stored }) : t('upload.paused')
  if (status === 'UPLOADED' && file) return t('upload.verified')
  if (status !== 'PROGRESS') return statusText
  if (part) return t('upload.part', { part: format.number(part.number), parts: format.number(part.of) })
  return progress > 0 ? stored : statusText
}

function Acts({ upload, name, isNext }: { upload: FileUpload; name: string; isNext: boolean }): ReactNode {
  const t = useT('objectStorage')
  const { id, status, isPaused, bucketName, folderPath } = upload
  if (status === 'UPLOADED')
    return (
      <Link to={s3Paths.files(bucketName)} search={folderPath === '' ? {} : { path: folderPath }} className={css.show}>
        {t('upload.open')}
      </Link>
    )
  if (!isOpen(upload))
    return (
      <>
        <IconButton
          icon={RefreshIcon}
          size="small"
          label={t('upload.retry', { name })}
          onPress={() => retryUpload(id)}
        />
        {status === 'FAILED' && (
          <IconButton
            icon={CloseIcon}
            size="small"
            label={t('upload.remove', { name })}
            onPress={() => removeUpload(id)}
          />
        )}
      </>
    )
  return (
    <>
      {status === 'PENDING' && !isPaused && !isNext && (
        <IconButton
          icon={AscendingIcon}
          size="small"
          label={t('upload.first', { name })}
          onPress={() => uploadNext(id)}
        />
      )}
      {isPaused ? (
        <IconButton
          icon={StartIcon}
          size="small"
          label={t('upload.resume', { name })}
          onPress={() => resumeUploads([id])}
        />
      ) : (
        <IconButton icon={PauseIcon} size="small" label={t('upload.pause', { name })} onPress={() => pauseUpload(id)} />
      )}
      <IconButton icon={CloseIcon} size="small" label={t('upload.abort', { name })} onPress={() => abortUpload(id)} />
    </>
  )
}
