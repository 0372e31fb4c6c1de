import type { ComponentProps } from 'react'
import { PasswordField as Primitive } from '../../ui/fields/PasswordField'
import { useBound } from './use-bound'

type Props = Omit<ComponentProps<typeof Primitive>, 'value' | 'onChange' | 'error' | 'isDisabled'> & {
  name: string
  /** A field whose check depends on this one. */
  checks?: string
}

/** `PasswordField` of a form, by name. */
export const PasswordField = ({ checks, ...props }: Props) => (
  <Primitive {...props} {...useBound<string>(props.name, checks)} />
)
