import type { ReactNode } from 'react'
import { classes } from '../../lib/classes'
import { IconButton } from '../IconButton'
import { CloseIcon, InfoIcon, type Icon } from '../icons'
import { toneIcons, type Tone } from '../tone'
import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'
import tones from '../tone.module.css'
import css from './Banner.module.css'

export interface BannerProps {
  tone: Tone
  children: ReactNode
  title?: string | undefined
  action?: ReactNode
  onClose?: (() => void) | undefined
  /** Replaces the label “Close” where it would be ambiguous. */
  closeLabel?: string | undefined
  /** Spans the whole page below the header, for example to report a lost connection or a new version. */
  isPageWide?: boolean | undefined
  icon?: Icon | undefined
}

/** A message that applies to all content below it. */
export function Banner({ tone, children, title, action, onClose, closeLabel, isPageWide = false, icon }: BannerProps) {
  const text = useUiText()
  const BannerIcon = icon ?? (tone === 'busy' ? InfoIcon : toneIcons[tone])
  return (
    <div
      className={classes(css.banner, tones[tone], isPageWide && css.wide)}
      role={tone === 'bad' ? 'alert' : 'status'}
    >
      <BannerIcon />
      <div className={css.words}>
        {(tone === 'bad' || tone === 'warn') && <VisuallyHidden>{text(`status.${tone}`)}: </VisuallyHidden>}
        {title && <strong className={css.title}>{title}</strong>}
        {children}
      </div>
      {action}
      {onClose && <IconButton icon={CloseIcon} label={closeLabel ?? text('close')} size="small" onPress={onClose} />}
    </div>
  )
}
