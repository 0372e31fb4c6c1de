import { classes } from '../lib/classes'
import { Button, type ButtonProps } from './Button'
import css from './IconButton.module.css'

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'aria-label' | 'hint'> {
  icon: NonNullable<ButtonProps['icon']>
  /** Accessible name, also shown as a tooltip. */
  label: string
}

/** A square button with only an icon. Its label is shown on hover and focus. */
export const IconButton = ({ label, className, variant = 'plain', ...rest }: IconButtonProps) => (
  <Button {...rest} variant={variant} aria-label={label} hint={label} className={classes(css.icon, className)} />
)
