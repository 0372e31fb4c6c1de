import { lazy, Suspense, useState, type ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { closeNotice } from '../../notices/notices'
import type { Notice, NoticeAction } from '../../notices/notice-types'
import { Button } from '../../ui/Button'
import { Toast } from '../../ui/feedback/Toast'
import { NoticeText } from './NoticeText'

const NoticeDetails = lazy(() => import('./NoticeDetails'))

interface NoticeItemProps {
  notice: Notice
  /** In the corner of the page; otherwise a line of the list. */
  isFloating?: boolean | undefined
  /** Beside its own words: of a task, since when and how far. */
  note?: ReactNode
  /** The list of tasks says in words how far they are. */
  hasNoBar?: boolean | undefined
  /** More that can be done with it. */
  more?: ReactNode
  onDetails?: ((isOpen: boolean) => void) | undefined
  /** What is around it goes away when the person goes somewhere else. */
  onLeave?: (() => void) | undefined
}

const look = { variant: 'plain', size: 'small' } as const

/** One notification with what can be done about it. */
export function NoticeItem({ notice, isFloating, note, hasNoBar, more, onDetails, onLeave }: NoticeItemProps) {
  const t = useT('notices')
  const go = useAppNavigate()
  const [isOpen, setOpen] = useState(false)
  const { type, title, message, progress, timestamp, count, showClose, actions, components } = notice
  const details = (open: boolean) => {
    setOpen(open)
    onDetails?.(open)
  }
  const run = ({ name, payload, click }: NoticeAction) => {
    if (click) return click()
    if (name !== 'open' || payload === undefined) return
    go(payload)
    onLeave?.()
  }
  // the details lead on as well: whoever has read why wants to go there
  const runFromDetails = (action: NoticeAction) => {
    details(false)
    run(action)
  }
  const hasDetails = type === 'error' || (notice.task !== undefined && !isFloating)
  return (
    <>
      <Toast
        isFloating={isFloating}
        kind={type}
        title={title}
        message={
          (message ?? note) && (
            <>
              {note}
              {message && <NoticeText onDetails={() => details(true)}>{message}</NoticeText>}
            </>
          )
        }
        share={hasNoBar || progress === undefined ? undefined : progress === null ? null : progress / 100}
        count={count}
        when={isFloating || type === 'progress' ? undefined : timestamp}
        onClose={showClose ? () => closeNotice(notice) : undefined}
        actions={
          (actions.length > 0 || components.length > 0 || hasDetails || more) && (
            <>
              {components.map((Part, at) => (
                <Part key={at} notice={notice} />
              ))}
              {actions.map((action) => (
                <Button key={action.name} {...look} onPress={() => run(action)}>
                  {action.label}
                </Button>
              ))}
              {more}
              {hasDetails && (
                <Button {...look} onPress={() => details(true)}>
                  {t('details')}
                </Button>
              )}
            </>
          )
        }
      />
      <Suspense fallback={null}>
        {isOpen && <NoticeDetails notice={notice} onAction={runFromDetails} onClose={() => details(false)} />}
      </Suspense>
    </>
  )
}
