import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/form-fields'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { PasswordRules } from '../../../patterns/form/PasswordRules'
import { useHasLinks } from './use-has-links'

interface TypedPasswordProps {
  autoFocus?: boolean
  /** Hides the option to require a new password at first sign-in, since a program cannot choose one. */
  isOfProgram?: boolean
}

/** A password entered by an administrator. By default, the user has to choose a new one at first sign-in. */
export function TypedPassword({ autoFocus = false, isOfProgram = false }: TypedPasswordProps) {
  const t = useT('identity')
  const hasLinks = useHasLinks()
  return (
    <>
      <PasswordField name="password" label={t('users.password')} autoComplete="new-password" autoFocus={autoFocus} />
      <PasswordRules field="password" />
      {hasLinks && !isOfProgram && (
        <Checkbox name="must_change_password" help={t('users.mustChangeHelp')}>
          {t('users.mustChange')}
        </Checkbox>
      )}
    </>
  )
}
