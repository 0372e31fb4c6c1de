import { NumberField as Primitive, type NumberFieldProps as Props } from '../../ui/fields/NumberField'
import { useBound } from './use-bound'

/** `NumberField` of a form, by name. */
export const NumberField = (props: Omit<Props, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string }) => (
  <Primitive {...props} {...useBound<number | null>(props.name)} />
)
