import type { CurrentUser } from '@mainstay/contract/identity/session'
import { useT } from '../../i18n/use-t'
import type { NextStep } from '../../session/next-step'
import { Button } from '../../ui/Button'
import { NewPasswordStep } from './NewPasswordStep'

export interface SignInStepProps {
  step: NextStep
  /** Goes in with whom the step's call answers. */
  enter: (proven: () => Promise<CurrentUser>) => Promise<void>
  onNext: (step: NextStep | undefined) => void
}

/** What a sign-in asks for after the password. Loaded when somebody meets it. */
export default function SignInStep(props: SignInStepProps) {
  const t = useT('account')
  return (
    <>
      <NewPasswordStep key={props.step.challenge} {...props} />
      <Button variant="plain" onPress={() => props.onNext(undefined)}>
        {t('step.restart')}
      </Button>
    </>
  )
}
