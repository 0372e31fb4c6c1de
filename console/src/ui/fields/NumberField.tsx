import { Button } from 'react-aria-components/Button'
import { Group } from 'react-aria-components/Group'
import { Input } from 'react-aria-components/Input'
import {
  NumberField as AriaNumberField,
  type NumberFieldProps as AriaNumberFieldProps,
} from 'react-aria-components/NumberField'
import { classes } from '../../lib/classes'
import { FieldLabel, FieldNote, splitTexts, type FieldTexts } from './field-parts'
import { CollapseIcon, ExpandIcon } from '../icons'
import css from './field.module.css'
import own from './NumberField.module.css'

type Passed = Omit<
  AriaNumberFieldProps,
  'className' | 'children' | 'isInvalid' | 'validationBehavior' | 'value' | 'defaultValue' | 'onChange'
>

export interface NumberFieldProps extends FieldTexts, Passed {
  /** `null` for an empty field. */
  value?: number | null | undefined
  onChange?: ((value: number | null) => void) | undefined
  /** Shown inside the field and part of its accessible name: `GiB`, `vCPU`. */
  unit?: string | undefined
  className?: string | undefined
}

/**
 * A number field in the format of the current language, with an optional unit and two step buttons. The arrow keys also
 * change the number.
 */
export function NumberField({ value, onChange, unit, className, ...props }: NumberFieldProps) {
  const { texts, rest } = splitTexts(props)
  return (
    <AriaNumberField
      {...rest}
      {...(value !== undefined && { value: value ?? Number.NaN })}
      onChange={(next) => onChange?.(Number.isNaN(next) ? null : next)}
      className={classes(css.field, className)}
      isInvalid={texts.error !== undefined}
      validationBehavior="aria"
    >
      <FieldLabel {...texts} unit={unit} />
      <Group className={css.box ?? ''}>
        <Input className={css.input ?? ''} />
        {unit && (
          <span className={css.end} aria-hidden="true">
            {unit}
          </span>
        )}
        <div className={own.steps}>
          <Button slot="increment" className={own.step ?? ''}>
            <CollapseIcon />
          </Button>
          <Button slot="decrement" className={own.step ?? ''}>
            <ExpandIcon />
          </Button>
        </div>
      </Group>
      <FieldNote {...texts} />
    </AriaNumberField>
  )
}
