import type { ReactNode } from 'react'
import { classes } from '../../lib/classes'
import type { Tone } from '../tone'
import tones from '../tone.module.css'
import css from './Badge.module.css'

/** A word or a number in a small frame: a kind, a count, "default". For a status use `StatusBadge`. */
export const Badge = ({ children, tone }: { children: ReactNode; tone?: Tone | undefined }) => (
  <span className={classes(css.badge, tone && tones[tone], tone && css.toned)}>{children}</span>
)
