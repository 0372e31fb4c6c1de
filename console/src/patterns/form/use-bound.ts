import { useRef } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { useFormSetting } from './form-setting'

/**
 * Binds a field to a form value by name: value, change handler and error. `checks` names a field whose validation
 * depends on this one; it is revalidated once the user has visited it.
 */
export function useBound<Value>(name: string, checks?: string) {
  const { isBusy } = useFormSetting()
  const { field, fieldState } = useController({ name })
  const { getFieldState, trigger } = useFormContext()
  const { error } = fieldState
  const wasTyped = useRef(false)
  // errors for an array or an object as a whole are in `root`
  const parts = error as Record<string, { message?: string } | undefined> | undefined
  // the server reports errors per list item, but this field shows the list as a single text, so use the first error
  const item = Object.keys(parts ?? {}).find((at) => /^\d+$/.test(at))
  const message = error?.message ?? parts?.['root']?.message ?? (item === undefined ? undefined : parts![item]?.message)
  return {
    name,
    value: field.value as Value,
    onChange: (value: Value) => {
      wasTyped.current = true
      field.onChange(value)
      if (checks !== undefined && getFieldState(checks).isTouched) void trigger(checks)
    },
    // tabbing through an empty field must not mark it as required
    onBlur: () => {
      if (wasTyped.current || field.value !== '') field.onBlur()
    },
    isDisabled: isBusy,
    ...(message !== undefined && { error: message }),
  }
}
