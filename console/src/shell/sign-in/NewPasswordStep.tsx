import { passwordFaults } from '@mainstay/contract/identity/password-rules'
import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { useState } from 'react'
import { call } from '../../api/call'
import { useRuleText } from '../../i18n/said'
import { useT } from '../../i18n/use-t'
import { PasswordField } from '../../ui/fields/PasswordField'
import type { StepProps } from './step-props'
import { StepForm } from './StepForm'
import { useSteppedCredentials } from './use-next-step'

/** Asks for a new password to replace one that was set by an administrator. */
export function NewPasswordStep({ step, enter, onNext }: StepProps) {
  const t = useT('account')
  const shell = useT('shell')
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [isTried, setTried] = useState(false)
  const fault = password === '' ? t('step.passwordMissing') : passwordFaults(password)[0]
  const said = useRuleText(fault)
  const differs = password !== again
  const { challenge } = step
  const sending = useSteppedCredentials(
    shell,
    () => enter(() => call(signInSteps.renewPassword, { body: { challenge, new_password: password } })),
    onNext,
  )
  return (
    <StepForm
      sending={sending}
      isComplete={() => {
        setTried(true)
        return fault === undefined && !differs
      }}
      verb={t('link.submit')}
      intro={<p>{t('step.passwordText')}</p>}
    >
      <PasswordField
        autoFocus
        label={shell('password.new')}
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        help={t('step.passwordHelp')}
        error={isTried ? said : undefined}
      />
      <PasswordField
        label={shell('password.confirm')}
        value={again}
        onChange={setAgain}
        autoComplete="new-password"
        error={isTried && differs ? t('step.passwordsDiffer') : undefined}
      />
    </StepForm>
  )
}
