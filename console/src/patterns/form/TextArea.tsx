import { TextArea as Primitive, type TextAreaProps as Props } from '../../ui/fields/TextArea'
import { useBound } from './use-bound'

/** `TextArea` of a form, by name. */
export const TextArea = (props: Omit<Props, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string }) => (
  <Primitive {...props} {...useBound<string>(props.name)} />
)
