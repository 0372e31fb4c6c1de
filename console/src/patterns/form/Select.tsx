import { Select as Primitive, type SelectProps as Props } from '../../ui/fields/Select'
import { useBound } from './use-bound'

/** `Select` of a form, by name. */
export const Select = <Id extends string>(
  props: Omit<Props<Id>, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string },
) => <Primitive<Id> {...props} {...useBound<Id>(props.name)} />
