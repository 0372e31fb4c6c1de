import { classes } from '../../lib/classes'
import type { Icon } from '../icons'
import { Spinner } from '../feedback/Spinner'
import { toneIcons, type Tone } from '../tone'
import tones from '../tone.module.css'
import css from './StatusBadge.module.css'

export interface StatusBadgeProps {
  /** Determines color and icon. */
  tone: Tone
  /** The status as text. Color and icon are never shown alone. */
  children: string
  /** Overrides the icon of the tone. */
  icon?: Icon | undefined
  /** The current activity, shown dimmed after the status: "resizing". */
  detail?: string | undefined
  /** The text is a sentence, which wraps. */
  isSentence?: boolean
}

/** A status as icon and text. Subtle if all is well, prominent otherwise. */
export function StatusBadge({ tone, children, icon, detail, isSentence }: StatusBadgeProps) {
  const StatusIcon = icon ?? toneIcons[tone]
  return (
    <span className={classes(css.status, isSentence && css.sentence, tones[tone], css[tone])}>
      {tone === 'busy' && !icon ? <Spinner className={css.ring} /> : <StatusIcon />}
      <span className={css.word}>
        <bdi>{children}</bdi>
        {detail && (
          <span className={css.detail}>
            {' '}
            <bdi>{detail}</bdi>
          </span>
        )}
      </span>
    </span>
  )
}
