import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { useState, type SyntheticEvent } from 'react'
import { call } from '../../api/call'
import { asProblem } from '../../api/problem'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { BadIcon } from '../../ui/icons'
import { TextField } from '../../ui/fields/TextField'
import type { StepProps } from './step-props'
import { useSteppedCredentials } from './use-next-step'
import css from './sign-in.module.css'

/** A code of the authenticator app, or a recovery code. */
export function SecondFactorStep({ step, enter, onNext }: StepProps) {
  const t = useT('account')
  const shell = useT('shell')
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState('')
  const { challenge } = step
  const { fault, isBusy, isWaiting, submit } = useSteppedCredentials(
    shell,
    async () => {
      setWrong('')
      try {
        await enter(() => call(signInSteps.secondFactor, { body: { challenge, code } }))
      } catch (thrown) {
        if (asProblem(thrown).code !== 'second_factor_wrong') throw thrown
        setWrong(t('step.codeWrong'))
      }
    },
    onNext,
  )
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event: SyntheticEvent) => {
        event.preventDefault()
        if (code.trim().length >= 6) void submit()
        else setWrong(t('step.codeMissing'))
      }}
    >
      <p>{t('step.codeText')}</p>
      {fault && (
        <div className={css.problem} role="alert">
          <BadIcon />
          <span>{fault}</span>
        </div>
      )}
      <TextField
        autoFocus
        label={t('step.code')}
        help={t('step.codeHelp')}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        spellCheck="false"
        error={wrong === '' ? undefined : wrong}
      />
      <Button variant="primary" type="submit" className={css.submit} isBusy={isBusy} isDisabled={isWaiting}>
        {t('step.go')}
      </Button>
    </form>
  )
}
