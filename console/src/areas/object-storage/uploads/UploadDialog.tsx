import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { Button } from '../../../ui/Button'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { IconButton } from '../../../ui/IconButton'
import { CloseIcon, RefreshIcon } from '../../../ui/icons'
import { Dialog } from '../../../ui/overlays/Dialog'
import { Bytes } from '../../../ui/values/Bytes'
import { visible } from '../files/file-row'
import { abortAll, abortUpload, forgetOver, isOpen, retryUpload, useFileUploads, type FileUpload } from './queue'
import { useUploadDialog } from './upload-dialog'
import css from './uploads.module.css'

/** So many are in the document; those that are not over come first. */
const MOST_SHOWN = 200

const order: Readonly<Record<FileUpload['status'], number>> = {
  ...{ PROGRESS: 0, FAILED: 1, PENDING: 2, CANCELED: 3, UPLOADED: 4 },
}

/** All files of the queue, with how far each is. Closing it breaks nothing off. */
export default function UploadDialog() {
  const t = useT('objectStorage')
  const format = useFormat()
  const uploads = useFileUploads((state) => state.uploads)
  const close = () => useUploadDialog.setState({ isOpen: false })
  const total = uploads.length
  const over = uploads.filter((it) => !isOpen(it))
  const loaded = uploads.filter(({ status }) => status === 'UPLOADED').length
  const isRunning = over.length < total
  const shown = uploads.toSorted((one, other) => order[one.status] - order[other.status]).slice(0, MOST_SHOWN)
  return (
    <Dialog
      isOpen
      size="normal"
      title={isRunning ? t('upload.running', { count: total }) : t('upload.done', { loaded, total })}
      onClose={close}
      footer={
        <>
          {over.length > 0 && <Button onPress={forgetOver}>{t('upload.clear')}</Button>}
          {isRunning && <Button onPress={abortAll}>{t('upload.abortAll')}</Button>}
          <Button variant="primary" onPress={close}>
            {t(isRunning ? 'upload.hide' : 'close')}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        {isRunning && <p className={css.note}>{t('upload.goesOn')}</p>}
        <ul className={css.list}>
          {shown.map((upload) => (
            <UploadLine key={upload.id} upload={upload} />
          ))}
        </ul>
        {total > MOST_SHOWN && (
          <p className={css.note}>
            {t('delete.more', { count: total - MOST_SHOWN, shown: format.number(total - MOST_SHOWN) })}
          </p>
        )}
      </div>
    </Dialog>
  )
}

function UploadLine({ upload }: { upload: FileUpload }) {
  const t = useT('objectStorage')
  const format = useFormat()
  const {
    id,
    status,
    statusText,
    statusIcon: StatusIcon,
    name,
    bucketName,
    folderPath,
    file,
    progress,
    problem,
  } = upload
  const shownName = visible(name)
  return (
    <li className={css.line} data-status={status}>
      <StatusIcon />
      <div className={css.words}>
        <bdi className={css.name}>{shownName}</bdi>
        <span className={css.note}>
          <bdi>{`${bucketName}/${visible(folderPath)}`}</bdi> {file && <Bytes of={file.size} />}
        </span>
        {status === 'PROGRESS' && (
          <ProgressBar isBare label={t('upload.one', { name: shownName })} share={progress / 100} />
        )}
        {problem && <span className={css.fault}>{problem.message}</span>}
      </div>
      <span className={css.state}>
        {status === 'PROGRESS' && progress > 0 ? format.percent(progress / 100, 0) : statusText}
      </span>
      {isOpen(upload) ? (
        <IconButton
          icon={CloseIcon}
          size="small"
          label={t('upload.abort', { name: shownName })}
          onPress={() => abortUpload(id)}
        />
      ) : (
        status !== 'UPLOADED' && (
          <IconButton
            icon={RefreshIcon}
            size="small"
            label={t('upload.retry', { name: shownName })}
            onPress={() => retryUpload(id)}
          />
        )
      )}
    </li>
  )
}
