import type { CurrentUser } from '@mainstay/contract/identity/session'
import type { NextStep } from '../../session/next-step'

export interface StepProps {
  step: NextStep
  /** Signs in the user returned by the step’s call. */
  enter: (proven: () => Promise<CurrentUser>) => Promise<void>
  /** Opens the next step; undefined restarts the sign-in. */
  onNext: (step: NextStep | undefined) => void
}
