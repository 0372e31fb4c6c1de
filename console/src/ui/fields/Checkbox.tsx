import type { ReactNode } from 'react'
import {
  CheckboxButton,
  CheckboxField,
  type CheckboxFieldProps as AriaCheckboxProps,
} from 'react-aria-components/Checkbox'
import { FieldNote } from './field-parts'
import { CheckIcon, MinusIcon } from '../icons'
import css from './Checkbox.module.css'

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'className' | 'children' | 'isInvalid'> {
  /** Without words give `aria-label`, as for the selection column of a table. */
  children?: ReactNode
  /** Under the words. */
  help?: ReactNode
  error?: string | undefined
  className?: string | undefined
}

export const Checkbox = ({ children, help, error, className = '', ...rest }: CheckboxProps) => (
  <CheckboxField {...rest} className={className} isInvalid={error !== undefined} validationBehavior="aria">
    <CheckboxButton className={css.checkbox ?? ''}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={css.mark}>{isIndeterminate ? <MinusIcon /> : isSelected && <CheckIcon />}</span>
          {children != null && <span className={css.words}>{children}</span>}
        </>
      )}
    </CheckboxButton>
    {(help !== undefined || error !== undefined) && (
      <div className={css.note}>
        <FieldNote help={help} error={error} />
      </div>
    )}
  </CheckboxField>
)
