import type { ReactNode } from 'react'
import { classes } from '../../lib/classes'
import type { Tone } from '../tone'
import tones from '../tone.module.css'
import css from './Badge.module.css'

/** A word or number in a small frame: a type, a count, "default". Use `StatusBadge` for a status. */
export const Badge = ({ children, tone }: { children: ReactNode; tone?: Tone | undefined }) => (
  <span className={classes(css.badge, tone && tones[tone], tone && css.toned)}>{children}</span>
)
