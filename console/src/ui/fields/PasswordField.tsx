import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { HideIcon, ShowIcon } from '../icons'
import { TextField, type TextFieldProps } from './TextField'
import { useUiText } from '../ui-text'
import css from './field.module.css'

/**
 * A password field with a show button and a Caps Lock warning. Pass `autoComplete` (`current-password`,
 * `new-password`).
 */
export function PasswordField({ help, ...rest }: Omit<TextFieldProps, 'type' | 'end' | 'isMono'>) {
  const text = useUiText()
  const [isShown, setShown] = useState(false)
  const [isCapsLock, setCapsLock] = useState(false)
  return (
    <TextField
      {...rest}
      type={isShown ? 'text' : 'password'}
      help={isCapsLock ? text('capsLock') : help}
      spellCheck="false"
      onKeyUp={(event) => setCapsLock(event.getModifierState('CapsLock'))}
      end={
        <Button
          className={css.boxButton ?? ''}
          aria-label={text(isShown ? 'hidePassword' : 'showPassword')}
          onPress={() => setShown(!isShown)}
          slot={null}
        >
          {isShown ? <HideIcon /> : <ShowIcon />}
        </Button>
      }
    />
  )
}
