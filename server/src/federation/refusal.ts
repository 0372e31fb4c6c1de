import { Problem, type ProblemCode } from '@mainstay/contract/core/problems'
import type { HandOverFault } from '@mainstay/contract/identity/hand-over'

const codes: Partial<Record<HandOverFault, ProblemCode>> = {
  stale: 'unauthorized',
  disabled: 'access_disabled',
  provider_unavailable: 'engine_unavailable',
}

/** A failed sign-in through a provider. Users see the text for its reason; the message is logged. */
export class HandOverRefusal extends Problem {
  readonly reason: HandOverFault
  constructor(reason: HandOverFault, message: string, cause?: unknown) {
    super(codes[reason] ?? 'forbidden', message, { cause })
    this.reason = reason
  }
}
