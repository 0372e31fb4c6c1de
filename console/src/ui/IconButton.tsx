import { classes } from '../lib/classes'
import { Button, type ButtonProps } from './Button'
import { Tooltip } from './Tooltip'
import css from './IconButton.module.css'

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon' | 'aria-label'> {
  icon: NonNullable<ButtonProps['icon']>
  /** Its name: for screen readers, and on hover and focus for everyone. */
  label: string
  tooltipPlacement?: 'top' | 'bottom' | 'start' | 'end' | undefined
}

/** A square button with a picture only. Its label shows on hover and focus. */
export function IconButton({ label, className, variant = 'plain', tooltipPlacement, ...rest }: IconButtonProps) {
  const button = <Button {...rest} variant={variant} aria-label={label} className={classes(css.icon, className)} />
  // a barred button tells its reason instead
  return rest.disabledBecause ? (
    button
  ) : (
    <Tooltip text={label} placement={tooltipPlacement}>
      {button}
    </Tooltip>
  )
}
