import { ComboBox as Primitive, type ComboBoxProps as Props } from '../../ui/fields/ComboBox'
import { useBound } from './use-bound'

/** `ComboBox` of a form, by name. */
export const ComboBox = <Id extends string>(
  props: Omit<Props<Id>, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string },
) => <Primitive<Id> {...props} {...useBound<Id | null>(props.name)} />
