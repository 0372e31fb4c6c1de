import type { ComponentProps } from 'react'
import { PasswordField as Primitive } from '../../ui/PasswordField'
import { useBound } from './use-bound'

/** `PasswordField` of a form, by name. */
export const PasswordField = (
  props: Omit<ComponentProps<typeof Primitive>, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string },
) => <Primitive {...props} {...useBound<string>(props.name)} />
