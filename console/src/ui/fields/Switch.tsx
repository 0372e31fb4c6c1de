import type { ReactNode } from 'react'
import { SwitchButton, SwitchField, type SwitchFieldProps as AriaSwitchProps } from 'react-aria-components/Switch'
import { FieldNote } from './field-parts'
import css from './Switch.module.css'

export interface SwitchProps extends Omit<AriaSwitchProps, 'className' | 'children' | 'isInvalid'> {
  children?: ReactNode
  /** Shown below the label. */
  help?: ReactNode
  className?: string | undefined
}

/** A setting that takes effect immediately. Use `Checkbox` for values that are submitted with a form. */
export const Switch = ({ children, help, className = '', ...rest }: SwitchProps) => (
  <SwitchField {...rest} className={className}>
    <SwitchButton className={css.switch ?? ''}>
      <span className={css.track}>
        <span className={css.thumb} />
      </span>
      {children != null && <span className={css.words}>{children}</span>}
    </SwitchButton>
    {help !== undefined && (
      <div className={css.note}>
        <FieldNote help={help} />
      </div>
    )}
  </SwitchField>
)
