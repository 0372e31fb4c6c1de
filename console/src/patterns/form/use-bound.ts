import { useController } from 'react-hook-form'
import { useFormSetting } from './form-setting'

/** What a field of a form gets by its name: its value, how to change it, and what is wrong with it. */
export function useBound<Value>(name: string) {
  const { isBusy } = useFormSetting()
  const { field, fieldState } = useController({ name })
  const { error } = fieldState
  // an error of a whole (an array, an object) stands at `root`
  const message = error?.message ?? (error as { root?: { message?: string } } | undefined)?.root?.message
  return {
    name,
    value: field.value as Value,
    onChange: field.onChange as (value: Value) => void,
    onBlur: field.onBlur,
    isDisabled: isBusy,
    ...(message !== undefined && { error: message }),
  }
}
