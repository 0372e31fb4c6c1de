import { Button } from 'react-aria-components/Button'
import { ListBox } from 'react-aria-components/ListBox'
import { Popover } from 'react-aria-components/Popover'
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select'
import { classes } from '../../lib/classes'
import type { Choice } from './choice'
import { ChoiceItem } from './ChoiceItem'
import { FieldLabel, FieldNote, type FieldTexts } from './field-parts'
import { ExpandIcon } from '../icons'
import { useUiText } from '../ui-text'
import css from './field.module.css'
import list from '../list.module.css'
import own from './Select.module.css'

export interface SelectProps<Id extends string> extends FieldTexts {
  items: readonly Choice<Id>[]
  value: Id | null
  onChange: (value: Id) => void
  /** Shown while nothing is selected. */
  placeholder?: string | undefined
  name?: string | undefined
  isDisabled?: boolean | undefined
  isRequired?: boolean | undefined
  autoFocus?: boolean | undefined
  onBlur?: (() => void) | undefined
  className?: string | undefined
}

/** Selects one of a few options (up to about fifteen). Use `ComboBox` for more options or for searching. */
export function Select<Id extends string>(props: SelectProps<Id>) {
  const { items, value, onChange, placeholder = '', name, isDisabled, isRequired, autoFocus, onBlur, className } = props
  const text = useUiText()
  return (
    <AriaSelect
      className={classes(css.field, className)}
      value={value}
      onChange={(key) => onChange(key as Id)}
      placeholder={placeholder}
      isDisabled={isDisabled ?? false}
      isRequired={isRequired ?? false}
      isInvalid={props.error !== undefined}
      validationBehavior="aria"
      {...(autoFocus && { autoFocus })}
      {...(name !== undefined && { name })}
      {...(onBlur && { onBlur })}
    >
      <FieldLabel {...props} />
      <Button className={classes(css.box, own.button)}>
        <SelectValue className={own.value ?? ''}>
          {({ isPlaceholder, defaultChildren, selectedText }) => (isPlaceholder ? defaultChildren : selectedText)}
        </SelectValue>
        <ExpandIcon />
      </Button>
      <FieldNote {...props} />
      <Popover className={list.popover ?? ''} offset={4}>
        <ListBox
          className={list.list ?? ''}
          renderEmptyState={() => <div className={list.nothing}>{text('noMatch')}</div>}
        >
          {items.map((choice) => (
            <ChoiceItem key={choice.id} choice={choice} />
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
