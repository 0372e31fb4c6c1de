import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/form-fields'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { PasswordRules } from '../../../patterns/form/PasswordRules'
import { useHasLinks } from './use-has-links'

interface TypedPasswordProps {
  autoFocus?: boolean
  /** A program chooses no other one. */
  isOfProgram?: boolean
}

/** A password that an administrator types for somebody, who chooses another one at the first sign-in unless this is ticked off. */
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
