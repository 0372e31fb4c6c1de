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
  /** Rendered in the corner of the page instead of the list. */
  isFloating?: boolean | undefined
  /** Additional text, such as the start time and progress of a task. */
  note?: ReactNode
  /** Omits the progress bar, because the task list shows the progress as text. */
  hasNoBar?: boolean | undefined
  more?: ReactNode
  onDetails?: ((isOpen: boolean) => void) | undefined
  /** Called when an action navigates to another page, to close the surrounding panel. */
  onLeave?: (() => void) | undefined
}

const look = { variant: 'plain', size: 'small' } as const

/** A notification with its actions. */
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
  // an action in the details dialog closes the dialog first
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
