import { lazy, Suspense, useEffect, useState } from 'react'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { useNoticeSettings } from '../../notices/notice-settings'
import { markNoticesSeen, renewNotices, unseenOf, useNotices } from '../../notices/notices'
import { findRunning } from '../../notices/task-notices'
import { LazyPopover } from '../../patterns/lazy-overlays'
import { Button } from '../../ui/Button'
import { Spinner } from '../../ui/feedback/Spinner'
import { MutedIcon, NotificationsIcon } from '../../ui/icons'
import css from './Bell.module.css'

const NotificationCentre = lazy(() => import('./NotificationCentre'))

/**
 * Button with the number of unseen notifications and a ring while operations are in progress. Opens the notifications.
 */
export function Bell() {
  const t = useT('notices')
  const format = useFormat()
  const isQuiet = useNoticeSettings(({ muted }) => muted.all)
  const unseen = useNotices(({ notices }) => unseenOf(notices))
  const goesOn = useNotices(({ notices }) => notices.some(({ type }) => type === 'progress'))
  // IDs of notifications that were unseen when the list was opened
  const [news, setNews] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    renewNotices()
    // if the request fails, a running task appears with its next change
    findRunning().catch(() => {})
  }, [])

  const state = isQuiet ? 'quiet' : goesOn ? 'busy' : 'idle'
  return (
    <LazyPopover
      label={t('label')}
      placement="bottom start"
      isFlush
      onOpenChange={(isOpen) => {
        if (!isOpen) return
        const { notices } = useNotices.getState()
        setNews(new Set(notices.filter(({ isSeen }) => !isSeen).map(({ id }) => id)))
        markNoticesSeen()
      }}
      trigger={
        <Button
          variant="plain"
          icon={isQuiet ? MutedIcon : NotificationsIcon}
          className={css.button}
          aria-label={t('bell', { state, unseen: isQuiet ? 0 : unseen })}
        >
          {!isQuiet && (
            <>
              {goesOn && <Spinner size={30} className={css.ring} />}
              {unseen > 0 && (
                <span className={css.count} aria-hidden="true">
                  {format.number(unseen, { useGrouping: false })}
                </span>
              )}
            </>
          )}
        </Button>
      }
    >
      {({ close }) => (
        <Suspense fallback={null}>
          <NotificationCentre news={news} onLeave={close} />
        </Suspense>
      )}
    </LazyPopover>
  )
}
