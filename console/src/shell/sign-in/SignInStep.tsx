import { lazy, Suspense } from 'react'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { NewPasswordStep } from './NewPasswordStep'
import { SecondFactorStep } from './SecondFactorStep'
import type { StepProps } from './step-props'

const NewFactorStep = lazy(() => import('./NewFactorStep'))
const steps = { second_factor: SecondFactorStep, password: NewPasswordStep, new_factor: NewFactorStep }

/** What a sign-in asks for after the password. Loaded when somebody meets it. */
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
