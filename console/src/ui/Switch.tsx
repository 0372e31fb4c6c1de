import type { ReactNode } from 'react'
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from 'react-aria-components/Switch'
import { classes } from '../lib/classes'
import css from './Switch.module.css'

export interface SwitchProps extends Omit<AriaSwitchProps, 'className' | 'children'> {
  children?: ReactNode
  description?: ReactNode
  className?: string | undefined
}

/** On or off, at once. What is only sent with a form is a `Checkbox`. */
export const Switch = ({ children, description, className, ...rest }: SwitchProps) => (
  <AriaSwitch {...rest} className={classes(css.switch, className)}>
    <span className={css.track}>
      <span className={css.thumb} />
    </span>
    {children != null && (
      <span className={css.words}>
        {children}
        {description && <span className={css.description}>{description}</span>}
      </span>
    )}
  </AriaSwitch>
)
