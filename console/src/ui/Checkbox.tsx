import type { ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components/Checkbox'
import { classes } from '../lib/classes'
import { CheckIcon, MinusIcon } from './icons'
import css from './Checkbox.module.css'

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'className' | 'children'> {
  /** Without words give `aria-label`, as for the selection column of a table. */
  children?: ReactNode
  description?: ReactNode
  className?: string | undefined
}

export const Checkbox = ({ children, description, className, ...rest }: CheckboxProps) => (
  <AriaCheckbox {...rest} className={classes(css.checkbox, className)}>
    {({ isSelected, isIndeterminate }) => (
      <>
        <span className={css.mark}>{isIndeterminate ? <MinusIcon /> : isSelected && <CheckIcon />}</span>
        {children != null && (
          <span className={css.words}>
            {children}
            {description && <span className={css.description}>{description}</span>}
          </span>
        )}
      </>
    )}
  </AriaCheckbox>
)
