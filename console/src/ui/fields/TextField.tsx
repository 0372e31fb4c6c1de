import type { ReactNode } from 'react'
import { Input } from 'react-aria-components/Input'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import { classes } from '../../lib/classes'
import { FieldLabel, FieldNote, splitTexts, type FieldTexts } from './field-parts'
import css from './field.module.css'

export interface TextFieldProps
  extends FieldTexts, Omit<AriaTextFieldProps, 'className' | 'children' | 'isInvalid' | 'validationBehavior'> {
  placeholder?: string | undefined
  /** For IDs, addresses and keys. */
  isMono?: boolean | undefined
  /** Inside the field: an icon, a prefix, a unit or a button. */
  start?: ReactNode
  end?: ReactNode
  className?: string | undefined
  ref?: React.Ref<HTMLInputElement> | undefined
}

export function TextField({ placeholder, isMono, start, end, className, ref, ...props }: TextFieldProps) {
  const { texts, rest } = splitTexts(props)
  return (
    <AriaTextField
      {...rest}
      className={classes(css.field, className)}
      isInvalid={texts.error !== undefined}
      validationBehavior="aria"
    >
      <FieldLabel {...texts} />
      <div className={css.box}>
        {start && <span className={css.start}>{start}</span>}
        <Input
          className={classes(css.input, isMono && css.mono)}
          {...(placeholder !== undefined && { placeholder })}
          dir={isMono ? 'ltr' : 'auto'}
          {...(ref && { ref })}
        />
        {end}
      </div>
      <FieldNote {...texts} />
    </AriaTextField>
  )
}
