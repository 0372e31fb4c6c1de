import { Checkbox as PlainCheckbox, type CheckboxProps } from '../../ui/fields/Checkbox'
import { ComboBox as PlainComboBox, type ComboBoxProps } from '../../ui/fields/ComboBox'
import { NumberField as PlainNumberField, type NumberFieldProps } from '../../ui/fields/NumberField'
import { RadioCards as PlainRadioCards, type RadioCardsProps } from '../../ui/fields/RadioCards'
import { Select as PlainSelect, type SelectProps } from '../../ui/fields/Select'
import { TextArea as PlainTextArea, type TextAreaProps } from '../../ui/fields/TextArea'
import { TextField as PlainTextField, type TextFieldProps } from '../../ui/fields/TextField'
import { useBound } from './use-bound'

/* The fields of `ui/fields`, bound to form values by name. */

type Bound<Props> = Omit<Props, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string }

export function Checkbox(props: Omit<CheckboxProps, 'isSelected' | 'onChange' | 'isDisabled'> & { name: string }) {
  const { value, onChange, onBlur, isDisabled } = useBound<boolean>(props.name)
  return <PlainCheckbox {...props} isSelected={value} onChange={onChange} onBlur={onBlur} isDisabled={isDisabled} />
}

export const ComboBox = <Id extends string>(props: Bound<ComboBoxProps<Id>>) => (
  <PlainComboBox<Id> {...props} {...useBound<Id | null>(props.name)} />
)

export const NumberField = (props: Bound<NumberFieldProps>) => (
  <PlainNumberField {...props} {...useBound<number | null>(props.name)} />
)

export const RadioCards = <Id extends string>(props: Bound<RadioCardsProps<Id>>) => (
  <PlainRadioCards<Id> {...props} {...useBound<Id>(props.name)} />
)

export const Select = <Id extends string>(props: Bound<SelectProps<Id>>) => (
  <PlainSelect<Id> {...props} {...useBound<Id>(props.name)} />
)

export const TextArea = (props: Bound<TextAreaProps>) => <PlainTextArea {...props} {...useBound<string>(props.name)} />

export const TextField = (props: Bound<TextFieldProps>) => (
  <PlainTextField {...props} {...useBound<string>(props.name)} />
)
