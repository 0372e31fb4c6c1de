import type { CurrentUser } from '@mainstay/contract/identity/session'
import type { NextStep } from '../../session/next-step'

/** What a step of the sign-in is given. */
export interface StepProps {
  step: NextStep
  /** Goes in with whom the step's call answers. */
  enter: (proven: () => Promise<CurrentUser>) => Promise<void>
  /** The step that comes after; undefined: from the beginning. */
  onNext: (step: NextStep | undefined) => void
}
