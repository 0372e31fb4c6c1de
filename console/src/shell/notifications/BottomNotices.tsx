import { useEffect, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { showAlertNotices } from '../../notices/alert-notices'
import { followUser } from '../../notices/follow-user'
import { imageUpload } from '../../notices/image-upload'
import { silentMs } from '../../notices/kept-uploads'
import { useNoticeSettings } from '../../notices/notice-settings'
import type { Notice } from '../../notices/notice-types'
import { bottomOf, hideNotice, notify, useNotices } from '../../notices/notices'
import { showTaskNotices } from '../../notices/task-notices'
import { notifyUnhandledErrors } from '../../notices/notify-error'
import { findInterrupted } from '../../notices/uploads'
import { useSession } from '../../session/session'
import { NoticeItem } from './NoticeItem'
import { followUploads } from './upload-notices'
import css from './BottomNotices.module.css'

/** Corner of the page with progress and the newest notifications, oldest on top. Hover and focus pause the timers. */
export function BottomNotices() {
  const t = useT('notices')
  const shell = useT('shell')
  const isRestarting = useSession((session) => session.isRestarting)
  const notices = useNotices((state) => state.notices)
  const settings = useNoticeSettings()
  const [isHeld, setHeld] = useState(false)
  const shown = bottomOf(notices, settings)
  useEffect(() => {
    const look = () => void findInterrupted(imageUpload)
    look()
    // the timer also finds uploads from a page that has just been closed
    const timer = setTimeout(look, silentMs + 1000)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (isRestarting) notify({ id: 'server-restarting', type: 'info', title: shell('restarting.title') })
  }, [isRestarting, shell])
  useEffect(followUploads, [])
  useEffect(() => showTaskNotices(), [])
  useEffect(showAlertNotices, [])
  useEffect(followUser, [])
  useEffect(notifyUnhandledErrors, [])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- only pauses the timers
    <section
      className={css.stack}
      aria-label={t('label')}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div role="log" aria-live="polite" className={css.part}>
        {shown.map((notice) => (
          <NoticeToast key={notice.id} notice={notice} isHeld={isHeld} />
        ))}
      </div>
    </section>
  )
}

function NoticeToast({ notice, isHeld }: { notice: Notice; isHeld: boolean }) {
  const { id, duration, timestamp, type } = notice
  // the timer pauses while the user reads the details
  const [isRead, setRead] = useState(false)
  const isStill = isHeld || isRead
  useEffect(() => {
    if (duration === null || isStill) return
    const timer = setTimeout(() => hideNotice(id), duration)
    return () => clearTimeout(timer)
  }, [id, duration, isStill, timestamp])
  return (
    <div role={type === 'error' ? 'alert' : undefined}>
      <NoticeItem isFloating notice={notice} onDetails={setRead} />
    </div>
  )
}
