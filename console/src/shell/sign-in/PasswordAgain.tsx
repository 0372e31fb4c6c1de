import { lazy, Suspense, useState, type SyntheticEvent } from 'react'
import { useT } from '../../i18n/use-t'
import { enterAgainBy, signInAgain } from '../../session/sign-in'
import { Button } from '../../ui/Button'
import { BadIcon } from '../../ui/icons'
import { PasswordField } from '../../ui/fields/PasswordField'
import { TextField } from '../../ui/fields/TextField'
import { useNextStep, useSteppedCredentials } from './use-next-step'
import css from './sign-in.module.css'

const SignInStep = lazy(() => import('./SignInStep'))

/** The password once more, for the same user. */
export function PasswordAgain({ username }: { username: string }) {
  const t = useT('shell')
  const [password, setPassword] = useState('')
  const [step, setStep] = useNextStep()
  const { fault, isBusy, isWaiting, submit } = useSteppedCredentials(t, () => signInAgain(password), setStep)
  if (step)
    return (
      <Suspense fallback={null}>
        <SignInStep step={step} onNext={setStep} enter={enterAgainBy} />
      </Suspense>
    )
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault()
        if (password !== '') void submit()
      }}
    >
      <p>{t('relogin.text')}</p>
      {fault && (
        <div className={css.problem} role="alert">
          <BadIcon />
          <span>{fault}</span>
        </div>
      )}
      <TextField label={t('signIn.username')} value={username} isReadOnly autoComplete="username" />
      <PasswordField
        autoFocus
        label={t('signIn.password')}
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
      />
      <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
        {t('signIn.submit')}
      </Button>
    </form>
  )
}
