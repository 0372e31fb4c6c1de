import { lazy, Suspense, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { enterAgainBy, signInAgain } from '../../session/sign-in'
import { PasswordField } from '../../ui/fields/PasswordField'
import { StepForm } from './StepForm'
import { useHasPasskeys } from './use-has-passkeys'
import { useNextStep, useSteppedCredentials } from './use-next-step'

const SignInStep = lazy(() => import('./SignInStep'))
const PasskeySignIn = lazy(() => import('./PasskeySignIn'))

/** Asks the same user for the password or a passkey again. */
export function PasswordAgain({ username }: { username: string }) {
  const t = useT('shell')
  const [password, setPassword] = useState('')
  const [step, setStep] = useNextStep()
  const hasPasskeys = useHasPasskeys()
  const sending = useSteppedCredentials(t, () => signInAgain(password), setStep)
  if (step)
    return (
      <Suspense fallback={null}>
        <SignInStep step={step} onNext={setStep} enter={enterAgainBy} />
      </Suspense>
    )
  return (
    <>
      <StepForm sending={sending} isComplete={() => password !== ''} verb={t('signIn.submit')}>
        {/* only for password managers; the username is shown above */}
        <input hidden readOnly autoComplete="username" value={username} />
        <PasswordField
          autoFocus
          label={t('signIn.password')}
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
        />
      </StepForm>
      {hasPasskeys && (
        <Suspense fallback={null}>
          <PasskeySignIn enter={enterAgainBy} onNext={setStep} />
        </Suspense>
      )}
    </>
  )
}
