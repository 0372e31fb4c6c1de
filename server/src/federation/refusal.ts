import { Problem, type ProblemCode } from '@mainstay/contract/core/problems'
import type { HandOverFault } from '@mainstay/contract/identity/hand-over'

const codes: Partial<Record<HandOverFault, ProblemCode>> = {
  stale: 'unauthorized',
  disabled: 'access_disabled',
  provider_unavailable: 'engine_unavailable',
}

/** A sign-in through a provider that comes to nothing; its reason is told to people in words, and the message to the log. */
export class HandOverRefusal extends Problem {
  readonly reason: HandOverFault
  constructor(reason: HandOverFault, message: string, cause?: unknown) {
    super(codes[reason] ?? 'forbidden', message, { cause })
    this.reason = reason
  }
}
