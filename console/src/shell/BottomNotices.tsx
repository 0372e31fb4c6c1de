import { useEffect, useState } from 'react'
import { useT } from '../i18n/use-t'
import { bottomOf, hideNotice, removeNotice, useNotices, type Notice } from '../notices/notices'
import { abortUpload, forgetUpload, useUploads, type Upload } from '../notices/uploads'
import { problemText } from '../api/problem-text'
import { Button } from '../ui/Button'
import { Toast } from '../ui/Toast'
import css from './BottomNotices.module.css'

/** The corner of the page: what was done, what failed, what is going on. Hovering stops the clocks. */
export function BottomNotices() {
  const t = useT('shell')
  const notices = useNotices((state) => state.notices)
  const uploads = useUploads((state) => state.uploads)
  const [isHeld, setHeld] = useState(false)
  const shown = bottomOf(notices)
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
      {uploads.map((upload) => (
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
  const { id, name, status, sentBytes, sizeBytes, problem } = upload
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
    FAILED: 'error',
    CANCELED: 'warning',
  } as const
  return (
    <Toast
      isFloating
      kind={kinds[status]}
      title={t(`upload.${titles[status]}`, { name })}
      message={problem && problemText(problem, t)}
      share={status === 'PROGRESS' ? sentBytes / Math.max(1, sizeBytes) : undefined}
      onClose={isOpen ? undefined : () => forgetUpload(id)}
      actions={
        isOpen && (
          <Button variant="plain" size="small" onPress={() => abortUpload(id)}>
            {t('upload.abort')}
          </Button>
        )
      }
    />
  )
}
