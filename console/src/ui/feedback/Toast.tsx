import type { ReactNode } from 'react'
import { classes } from '../../lib/classes'
import { Badge } from '../values/Badge'
import { IconButton } from '../IconButton'
import { CloseIcon, InfoIcon } from '../icons'
import { ProgressBar } from './ProgressBar'
import { Spinner } from './Spinner'
import { Time } from '../values/Time'
import { toneIcons, type Tone } from '../tone'
import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'
import tones from '../tone.module.css'
import css from './Toast.module.css'

export type ToastKind = 'info' | 'success' | 'warning' | 'error' | 'progress'

const toneOf: Readonly<Record<ToastKind, Tone>> = {
  info: 'busy',
  success: 'ok',
  warning: 'warn',
  error: 'bad',
  progress: 'busy',
}

export interface ToastProps {
  kind: ToastKind
  title: string
  /** The caller limits the length. */
  message?: ReactNode
  /** From 0 to 1, for `progress`; `null` while unknown. */
  share?: number | null | undefined
  /** Number of identical notifications. */
  count?: number | undefined
  when?: string | number | Date | undefined
  actions?: ReactNode
  onClose?: (() => void) | undefined
  /** Floats in the corner of the page instead of being part of the notification list. */
  isFloating?: boolean | undefined
}

/** A single notification. The stack, timers and live region are handled by its callers. */
export function Toast(props: ToastProps) {
  const { kind, title, message, share, count = 1, when, actions, onClose, isFloating = false } = props
  const text = useUiText()
  const tone = toneOf[kind]
  const ToneIcon = kind === 'info' ? InfoIcon : toneIcons[tone]
  return (
    <article className={classes(css.toast, tones[tone], isFloating && css.floating)}>
      {kind === 'progress' ? <Spinner className={css.icon} /> : <ToneIcon className={css.icon} />}
      <div className={css.words}>
        <div className={css.title}>
          {(tone === 'bad' || tone === 'warn') && <VisuallyHidden>{text(`status.${tone}`)}: </VisuallyHidden>}
          {title}
          {count > 1 && (
            <>
              {' '}
              <Badge>
                <bdi dir="ltr" aria-hidden="true">
                  ×{count}
                </bdi>
                <VisuallyHidden>{text('repeated', { count })}</VisuallyHidden>
              </Badge>
            </>
          )}
        </div>
        {message && <div className={css.message}>{message}</div>}
        {kind === 'progress' && share !== undefined && <ProgressBar label={title} share={share} isBare />}
        {(when !== undefined || actions) && (
          <div className={css.foot}>
            {when !== undefined && <Time at={when} />}
            {actions}
          </div>
        )}
      </div>
      {onClose && <IconButton icon={CloseIcon} label={text('close')} size="small" onPress={onClose} />}
    </article>
  )
}
