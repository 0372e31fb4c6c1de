import { Switch as Primitive, type SwitchProps as Props } from '../../ui/Switch'
import { useBound } from './use-bound'

/** `Switch` of a form, by name. */
export function Switch(props: Omit<Props, 'isSelected' | 'onChange' | 'isDisabled'> & { name: string }) {
  const { value, onChange, onBlur, isDisabled } = useBound<boolean>(props.name)
  return <Primitive {...props} isSelected={value} onChange={onChange} onBlur={onBlur} isDisabled={isDisabled} />
}
