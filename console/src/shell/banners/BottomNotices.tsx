import { useEffect, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { bottomOf, hideNotice, maxBottomItems, removeNotice, useNotices, type Notice } from '../../notices/notices'
import { imageUpload } from '../../notices/image-upload'
import { silentMs } from '../../notices/kept-uploads'
import {
  abortUpload,
  findInterrupted,
  forgetUpload,
  goOn,
  goOnWith,
  useUploads,
  type Upload,
} from '../../notices/uploads'
import { problemText } from '../../api/problem-text'
import { Button } from '../../ui/Button'
import { FileButton } from '../../ui/fields/FileButton'
import { Toast } from '../../ui/feedback/Toast'
import css from './BottomNotices.module.css'

/** The corner of the page: what was done, what failed, what is going on. Hovering stops the clocks. */
export function BottomNotices() {
  const t = useT('shell')
  const notices = useNotices((state) => state.notices)
  const uploads = useUploads((state) => state.uploads)
  const [isHeld, setHeld] = useState(false)
  // a notification always has a place beside uploads: it is gone in seconds, and they are not
  const told = bottomOf(notices, maxBottomItems)
  const going = uploads.slice(0, maxBottomItems - Math.min(told.length, 1))
  const shown = bottomOf(notices, maxBottomItems - going.length)
  useEffect(() => {
    const look = () => void findInterrupted(imageUpload)
    look()
    // those of a page that was there until just now
    const timer = setTimeout(look, silentMs + 1000)
    return () => clearTimeout(timer)
  }, [])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only stops the clocks
    <section
      className={css.stack}
      aria-label={t('notices.label')}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {going.map((upload) => (
        <UploadToast key={upload.id} upload={upload} />
      ))}
      <div role="log" aria-live="polite" className={css.part}>
        {shown.map((notice) => (
          <NoticeToast key={notice.id} notice={notice} isHeld={isHeld} />
        ))}
      </div>
    </section>
  )
}

function NoticeToast({ notice, isHeld }: { notice: Notice; isHeld: boolean }) {
  const { id, durationMs, timestamp, type } = notice
  useEffect(() => {
    if (durationMs === null || isHeld) return
    const timer = setTimeout(() => hideNotice(id), durationMs)
    return () => clearTimeout(timer)
  }, [id, durationMs, isHeld, timestamp])
  return (
    <div role={type === 'error' ? 'alert' : undefined}>
      <Toast
        isFloating
        kind={type}
        title={notice.title}
        message={notice.message}
        share={notice.share}
        count={notice.count}
        onClose={type === 'progress' ? undefined : () => removeNotice(id)}
        actions={
          notice.actions.length > 0 &&
          notice.actions.map(({ label, run }) => (
            <Button key={label} variant="plain" size="small" onPress={run}>
              {label}
            </Button>
          ))
        }
      />
    </div>
  )
}

const doneMs = 3000

function UploadToast({ upload }: { upload: Upload }) {
  const t = useT('shell')
  const { id, name, status, sentBytes, sizeBytes, problem, canGoOn, wanted } = upload
  const isOpen = status === 'PENDING' || status === 'PROGRESS'
  useEffect(() => {
    if (status !== 'UPLOADED' && status !== 'CANCELED') return
    const timer = setTimeout(() => forgetUpload(id), doneMs)
    return () => clearTimeout(timer)
  }, [id, status])
  const titles = {
    PENDING: 'pending',
    PROGRESS: 'running',
    UPLOADED: 'uploaded',
    FAILED: 'failed',
    CANCELED: 'canceled',
  } as const
  const kinds = {
    PENDING: 'progress',
    PROGRESS: 'progress',
    UPLOADED: 'success',
    FAILED: upload.wanted ? 'warning' : 'error',
    CANCELED: 'warning',
  } as const
  return (
    <Toast
      isFloating
      kind={kinds[status]}
      title={t(`upload.${wanted ? 'interrupted' : titles[status]}`, { name })}
      message={
        wanted
          ? t(wanted.isOther ? 'upload.otherFile' : 'upload.chooseAgain', { file: wanted.file })
          : problem && problemText(problem, t)
      }
      share={status === 'PROGRESS' || wanted ? sentBytes / Math.max(1, sizeBytes) : undefined}
      onClose={isOpen ? undefined : () => forgetUpload(id)}
      actions={(isOpen || wanted || canGoOn) && <UploadActions upload={upload} isOpen={isOpen} />}
    />
  )
}

function UploadActions({ upload, isOpen }: { upload: Upload; isOpen: boolean }) {
  const t = useT('shell')
  const { id, canGoOn, wanted } = upload
  const look = { variant: 'plain', size: 'small' } as const
  if (isOpen)
    return (
      <Button {...look} onPress={() => abortUpload(id)}>
        {t('upload.abort')}
      </Button>
    )
  if (wanted)
    return (
      <FileButton {...look} onSelect={([file]) => file && goOnWith(id, file)}>
        {t('upload.choose')}
      </FileButton>
    )
  if (canGoOn)
    return (
      <Button {...look} onPress={() => goOn(id)}>
        {t('upload.goOn')}
      </Button>
    )
  return null
}
