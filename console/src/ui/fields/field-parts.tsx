import type { ReactNode } from 'react'
import { FieldError as AriaFieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { BadIcon } from '../icons'
import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'
import css from './field.module.css'

/** The label, help and error that every field supports. */
export interface FieldTexts {
  label: string
  /** Shown below the field; replaced by an error. */
  help?: ReactNode
  /** An actionable error message. Makes the field invalid. */
  error?: string | undefined
  /** Adds "(optional)" to the label; required fields are not marked. */
  isOptional?: boolean | undefined
  /** Hides the label visually, where the context is clear, as in toolbars. Screen readers still announce it. */
  isLabelHidden?: boolean | undefined
}

/** The label of a field. Internal to this folder. */
export function FieldLabel({ label, isOptional, isLabelHidden, unit }: FieldTexts & { unit?: string | undefined }) {
  const text = useUiText()
  const words = (
    <>
      {label}
      {unit && (
        <>
          {' '}
          <VisuallyHidden>{unit}</VisuallyHidden>
        </>
      )}
      {isOptional && <span className={css.optional}>{text('optional')}</span>}
    </>
  )
  return isLabelHidden ? (
    <VisuallyHidden>
      <Label>{words}</Label>
    </VisuallyHidden>
  ) : (
    <Label className={css.label ?? ''}>{words}</Label>
  )
}

/** The help or error below a field. Internal to this folder. */
export function FieldNote({ help, error }: Pick<FieldTexts, 'help' | 'error'>) {
  // the element is rendered even when it is empty, because an element added later would not become part of the field’s
  // description
  if (error === undefined)
    return (
      <Text slot="description" className={css.help ?? ''} elementType="div">
        {typeof help === 'string' ? <bdi>{help}</bdi> : help}
      </Text>
    )
  return (
    <AriaFieldError className={css.error ?? ''} elementType="div">
      <BadIcon />
      <bdi>{error}</bdi>
    </AriaFieldError>
  )
}

/** Separates the field's label, help and error from the props of the underlying primitive. */
export function splitTexts<P extends FieldTexts>({ label, help, error, isOptional, isLabelHidden, ...rest }: P) {
  return { texts: { label, help, error, isOptional, isLabelHidden }, rest }
}
