import type { ReactNode } from 'react'
import { FieldError as AriaFieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/Label'
import { Text } from 'react-aria-components/Text'
import { BadIcon } from '../icons'
import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'
import css from './field.module.css'

/** What every field has. */
export interface FieldTexts {
  label: string
  /** Under the field; gives way to the error. */
  help?: ReactNode
  /** What is wrong, said so that one can act. Its presence makes the field invalid. */
  error?: string | undefined
  /** Says "(optional)" after the label; what is required is not marked. */
  isOptional?: boolean | undefined
  /** For toolbars, where the place says what it is. Screen readers still hear it. */
  isLabelHidden?: boolean | undefined
}

/** The label of a field. For fields in this folder. */
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

/** Help or error under a field. For fields in this folder. */
export function FieldNote({ help, error }: Pick<FieldTexts, 'help' | 'error'>) {
  // There even when empty: what appears later would otherwise not become part of the field's description
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

/** Splits the texts from what goes to the primitive below. */
export function splitTexts<P extends FieldTexts>({ label, help, error, isOptional, isLabelHidden, ...rest }: P) {
  return { texts: { label, help, error, isOptional, isLabelHidden }, rest }
}
