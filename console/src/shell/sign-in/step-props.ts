import type { CurrentUser } from '@mainstay/contract/identity/session'
import type { NextStep } from '../../session/next-step'

/** Props of a sign-in step. */
export interface StepProps {
  step: NextStep
  /** Signs in the user that the call of the step returns. */
  enter: (proven: () => Promise<CurrentUser>) => Promise<void>
  /** Opens the next step; undefined restarts the sign-in. */
  onNext: (step: NextStep | undefined) => void
}
