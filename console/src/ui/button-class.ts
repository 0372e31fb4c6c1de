import { classes } from '../lib/classes'
import css from './Button.module.css'

export type ButtonVariant = 'primary' | 'quiet' | 'plain' | 'danger'
export type ButtonSize = 'normal' | 'small'

export interface ButtonLook {
  /** `primary` once per view; `quiet` (the usual) has a hairline; `plain` has none; `danger` for what cannot be undone. */
  variant?: ButtonVariant | undefined
  /** 32 or 28 px. */
  size?: ButtonSize | undefined
}

/** The look of a button for something that is a link: `<Link className={buttonClass({ variant: 'primary' })}>`. */
export const buttonClass = ({ variant = 'quiet', size = 'normal' }: ButtonLook = {}, ...more: (string | undefined)[]) =>
  classes(css.button, css[variant], size === 'small' && css.small, ...more)
