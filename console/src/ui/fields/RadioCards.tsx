import { RadioButton, RadioField, RadioGroup } from 'react-aria-components/RadioGroup'
import { classes } from '../../lib/classes'
import type { Choice } from './choice'
import { FieldLabel, FieldNote, type FieldTexts } from './field-parts'
import css from './field.module.css'
import own from './RadioCards.module.css'

export interface RadioCardsProps<Id extends string> extends FieldTexts {
  items: readonly Choice<Id>[]
  value: Id | null
  onChange: (value: Id) => void
  name?: string | undefined
  isDisabled?: boolean | undefined
  /** Arranges the cards side by side if there is room, instead of in a column. */
  isGrid?: boolean | undefined
  className?: string | undefined
}

/** Selects one of two to six options, each with a short description. */
export function RadioCards<Id extends string>(props: RadioCardsProps<Id>) {
  const { items, value, onChange, name, isDisabled, isGrid = false, className } = props
  return (
    <RadioGroup
      className={classes(css.field, className)}
      value={value}
      onChange={(id) => onChange(id as Id)}
      isDisabled={isDisabled ?? false}
      isInvalid={props.error !== undefined}
      validationBehavior="aria"
      {...(name !== undefined && { name })}
    >
      <FieldLabel {...props} />
      <div className={isGrid ? own.grid : own.column}>
        {items.map(({ id, label, description, icon: ItemIcon, end, disabledBecause }) => (
          <RadioField key={id} value={id} isDisabled={disabledBecause !== undefined}>
            <RadioButton className={own.card ?? ''}>
              <span className={own.dot} />
              {ItemIcon && <ItemIcon />}
              <span className={own.words}>
                <span className={own.label}>{label}</span>
                {(disabledBecause ?? description) && (
                  <span className={own.description}>{disabledBecause ?? description}</span>
                )}
              </span>
              {end && <span className={own.end}>{end}</span>}
            </RadioButton>
          </RadioField>
        ))}
      </div>
      <FieldNote {...props} />
    </RadioGroup>
  )
}
