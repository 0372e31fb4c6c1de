import { Checkbox as Primitive, type CheckboxProps as Props } from '../../ui/fields/Checkbox'
import { useBound } from './use-bound'

/** `Checkbox` of a form, by name. */
export function Checkbox(props: Omit<Props, 'isSelected' | 'onChange' | 'isDisabled'> & { name: string }) {
  const { value, onChange, onBlur, isDisabled } = useBound<boolean>(props.name)
  return <Primitive {...props} isSelected={value} onChange={onChange} onBlur={onBlur} isDisabled={isDisabled} />
}
