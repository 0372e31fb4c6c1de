import { lazy, Suspense } from 'react'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { NewPasswordStep } from './NewPasswordStep'
import type { StepProps } from './step-props'
import { signInSteps } from '@mainstay/contract/identity/sign-in-steps'
import { call } from '../../api/call'
import { asProblem } from '../../api/problem'
import { OneTimeCode, useOneTimeCode } from './OneTimeCode'
import { StepForm } from './StepForm'
import { useSteppedCredentials } from './use-next-step'

/** Asks for a code from the authenticator app or a recovery code. */
function SecondFactorStep({ step: { challenge }, enter, onNext }: StepProps) {
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

const NewFactorStep = lazy(() => import('./NewFactorStep'))
const steps = { second_factor: SecondFactorStep, password: NewPasswordStep, new_factor: NewFactorStep }

/** The steps that can follow the password during sign-in. Loaded on demand. */
export default function SignInStep(props: StepProps) {
  const t = useT('account')
  const Step = steps[props.step.kind]
  return (
    <>
      <Suspense fallback={null}>
        <Step key={props.step.challenge} {...props} />
      </Suspense>
      <Button variant="plain" onPress={() => props.onNext(undefined)}>
        {t('step.restart')}
      </Button>
    </>
  )
}
