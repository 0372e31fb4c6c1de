import { useEffect, type ComponentProps } from 'react'
import { PasswordField as Primitive } from '../../ui/fields/PasswordField'
import { useFormSetting } from './form-setting'
import { useBound } from './use-bound'

type Props = Omit<ComponentProps<typeof Primitive>, 'value' | 'onChange' | 'error' | 'isDisabled'> & {
  name: string
  /** A field to revalidate when this one changes. */
  checks?: string
}

/** A `PasswordField` that is bound to a form value by name. */
export function PasswordField({ checks, ...props }: Props) {
  const { name } = props
  const { hidden } = useFormSetting()
  useEffect(() => void hidden?.add(name), [hidden, name])
  return <Primitive {...props} {...useBound<string>(name, checks)} />
}
