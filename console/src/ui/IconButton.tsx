import { classes } from '../lib/classes'
import { Button, type ButtonProps } from './Button'
import css from './IconButton.module.css'

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'aria-label' | 'hint'> {
  icon: NonNullable<ButtonProps['icon']>
  /** Its name: for screen readers, and on hover and focus for everyone. */
  label: string
}

/** A square button with a picture only. Its label shows on hover and focus. */
export const IconButton = ({ label, className, variant = 'plain', ...rest }: IconButtonProps) => (
  <Button {...rest} variant={variant} aria-label={label} hint={label} className={classes(css.icon, className)} />
)
