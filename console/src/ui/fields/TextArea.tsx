import { TextArea as AriaTextArea } from 'react-aria-components/TextArea'
import { TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components/TextField'
import { classes } from '../../lib/classes'
import { FieldLabel, FieldNote, splitTexts, type FieldTexts } from './field-parts'
import css from './field.module.css'
import own from './TextArea.module.css'

export interface TextAreaProps
  extends FieldTexts, Omit<AriaTextFieldProps, 'className' | 'children' | 'isInvalid' | 'validationBehavior' | 'type'> {
  placeholder?: string | undefined
  rows?: number | undefined
  /** For keys and scripts: no wrapping and no spell check. */
  isMono?: boolean | undefined
  className?: string | undefined
}

/** A multi-line text field that grows with its content to at most half the height of the screen. */
export function TextArea({ placeholder, rows = 3, isMono = false, className, ...props }: TextAreaProps) {
  const { texts, rest } = splitTexts(props)
  return (
    <AriaTextField
      {...rest}
      className={classes(css.field, className)}
      isInvalid={texts.error !== undefined}
      validationBehavior="aria"
      {...(isMono && { spellCheck: 'false' })}
    >
      <FieldLabel {...texts} />
      <AriaTextArea
        className={classes(css.box, own.area, isMono && css.mono, isMono && own.code)}
        rows={rows}
        dir={isMono ? 'ltr' : 'auto'}
        {...(placeholder !== undefined && { placeholder })}
      />
      <FieldNote {...texts} />
    </AriaTextField>
  )
}
