import { TextField as Primitive, type TextFieldProps as Props } from '../../ui/fields/TextField'
import { useBound } from './use-bound'

/** `TextField` of a form, by name. */
export const TextField = (props: Omit<Props, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string }) => (
  <Primitive {...props} {...useBound<string>(props.name)} />
)
