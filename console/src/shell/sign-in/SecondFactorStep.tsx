import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { call } from '../../api/call'
import { asProblem } from '../../api/problem'
import { useT } from '../../i18n/use-t'
import { OneTimeCode, useOneTimeCode } from './OneTimeCode'
import type { StepProps } from './step-props'
import { StepForm } from './StepForm'
import { useSteppedCredentials } from './use-next-step'

/** A code of the authenticator app, or a recovery code. */
export function SecondFactorStep({ step: { challenge }, enter, onNext }: StepProps) {
  const t = useT('account')
  const shell = useT('shell')
  const typed = useOneTimeCode()
  const sending = useSteppedCredentials(
    shell,
    async () => {
      typed.setWrong(undefined)
      try {
        await enter(() => call(signInSteps.secondFactor, { body: { challenge, code: typed.code } }))
      } catch (thrown) {
        if (asProblem(thrown).code !== 'second_factor_wrong') throw thrown
        typed.setWrong(t('step.codeWrong'))
      }
    },
    onNext,
  )
  return (
    <StepForm sending={sending} isComplete={typed.isComplete} verb={t('step.go')} intro={<p>{t('step.codeText')}</p>}>
      <OneTimeCode typed={typed} label={t('step.code')} help={t('step.codeHelp')} />
    </StepForm>
  )
}
