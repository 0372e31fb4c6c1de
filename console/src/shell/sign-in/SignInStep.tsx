import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { NewPasswordStep } from './NewPasswordStep'
import { SecondFactorStep } from './SecondFactorStep'
import type { StepProps } from './step-props'

/** What a sign-in asks for after the password. Loaded when somebody meets it. */
export default function SignInStep(props: StepProps) {
  const t = useT('account')
  return (
    <>
      {props.step.kind === 'second_factor' ? (
        <SecondFactorStep key={props.step.challenge} {...props} />
      ) : (
        <NewPasswordStep key={props.step.challenge} {...props} />
      )}
      <Button variant="plain" onPress={() => props.onNext(undefined)}>
        {t('step.restart')}
      </Button>
    </>
  )
}
