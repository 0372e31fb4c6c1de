import { classes } from '../../lib/classes'
import type { Icon } from '../icons'
import { Spinner } from '../feedback/Spinner'
import { toneIcons, type Tone } from '../tone'
import tones from '../tone.module.css'
import css from './StatusBadge.module.css'

export interface StatusBadgeProps {
  /** What it means; gives colour and icon. */
  tone: Tone
  /** The status in words. Colour and icon never stand alone. */
  children: string
  /** Another picture than the tone's own. */
  icon?: Icon | undefined
  /** What it is doing, dimmed after the word: "resizing". */
  detail?: string | undefined
}

/** The status of a thing: icon and word. Quiet when all is well, strong when not. */
export function StatusBadge({ tone, children, icon, detail }: StatusBadgeProps) {
  const StatusIcon = icon ?? toneIcons[tone]
  return (
    <span className={classes(css.status, tones[tone], css[tone])}>
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
