import { useRef } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { useFormSetting } from './form-setting'

/**
 * What a field of a form gets by its name: its value, how to change it, and what is wrong with it. `checks` is a field
 * whose check depends on this one: it is checked again once somebody has been there.
 */
export function useBound<Value>(name: string, checks?: string) {
  const { isBusy } = useFormSetting()
  const { field, fieldState } = useController({ name })
  const { getFieldState, trigger } = useFormContext()
  const { error } = fieldState
  const wasTyped = useRef(false)
  // an error of a whole (an array, an object) stands at `root`
  const parts = error as Record<string, { message?: string } | undefined> | undefined
  // the server names the items of a list that is one text here: the first of them says what is wrong
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
    // who only passes an empty field on the way to another one is not told that it is empty
    onBlur: () => {
      if (wasTyped.current || field.value !== '') field.onBlur()
    },
    isDisabled: isBusy,
    ...(message !== undefined && { error: message }),
  }
}
