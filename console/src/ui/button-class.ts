import { classes } from '../lib/classes'
import css from './Button.module.css'

export type ButtonVariant = 'primary' | 'quiet' | 'plain' | 'danger'
export type ButtonSize = 'normal' | 'small'

export interface ButtonLook {
  /**
   * `primary` once per view; `quiet` (default) with a thin border; `plain` without one; `danger` for irreversible
   * actions.
   */
  variant?: ButtonVariant | undefined
  /** Height of 32 or 28 px. */
  size?: ButtonSize | undefined
}

/** Makes a link look like a button: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export const buttonClass = ({ variant = 'quiet', size = 'normal' }: ButtonLook = {}, ...more: (string | undefined)[]) =>
  classes(css.button, css[variant], size === 'small' && css.small, ...more)
