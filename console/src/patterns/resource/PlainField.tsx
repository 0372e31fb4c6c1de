import { useT } from '../../i18n/use-t'
import { Checkbox, NumberField, RadioCards, TextArea, TextField } from '../form/form-fields'
import type { Field } from './fields'

/** Renders a field in a standard form. To support a new field type, add it here and in `fields()`. */
export function PlainField({ field, autoFocus }: { field: Field; autoFocus: boolean }) {
  const t = useT(field.area)
  const common = { name: field.name, label: t(field.label) }
  if (field.as === 'cards') {
    const items = field.items.map(({ id, label, description }) => ({
      id,
      label: t(label),
      description: t(description),
    }))
    return <RadioCards {...common} items={items} />
  }
  const help = field.help && t(field.help)
  switch (field.as) {
    case 'text':
      return <TextField {...common} help={help} isOptional={field.isOptional} autoFocus={autoFocus} />
    case 'textArea':
      return <TextArea {...common} help={help} isOptional={field.isOptional} autoFocus={autoFocus} rows={2} />
    case 'number':
      return <NumberField {...common} {...field.range} help={help} autoFocus={autoFocus} />
    case 'checkbox':
      return (
        <Checkbox name={field.name} help={help}>
          {common.label}
        </Checkbox>
      )
  }
}
