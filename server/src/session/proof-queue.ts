import { problem } from '@mainstay/contract/core/problems'

/** Limits on checking passwords. */
export interface ProofQueueLimits {
  /** Concurrent checks. The count of concurrent guesses for a user can be off by this many. */
  atOnce: number
  /** Maximum number of waiting sign-ins. */
  waiting: number
  /** Maximum number of waiting sign-ins from unknown sources. The remaining places are reserved for known sources. */
  strangers: number
  /** Maximum waiting time in milliseconds. */
  longestMs: number
  /**
   * Maximum number of sign-ins in progress, including those whose failures are being looked up. Any more are refused
   * without a lookup.
   */
  present: number
}
export const proofQueueLimits: ProofQueueLimits = {
  atOnce: 4,
  waiting: 60,
  strangers: 45,
  longestMs: 10_000,
  present: 100,
}

/** Retry-After for refused sign-ins, in seconds. */
const COME_AGAIN_SECONDS = 5

const busy = () =>
  problem('identity.sign_in_busy', { seconds: COME_AGAIN_SECONDS }, { data: { retry_after: COME_AGAIN_SECONDS } })

/** Refuses sign-ins above the limit immediately, before doing any work. Throws `server_busy`. */
export function createAdmission({ present }: ProofQueueLimits = proofQueueLimits) {
  let inside = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (inside >= present) throw busy()
    inside += 1
    try {
      return await work()
    } finally {
      inside -= 1
    }
  }
}

/**
 * Checking a password deliberately takes about a third of a second of CPU time. Checks are therefore queued, with known
 * sources first. Throws `server_busy` if the queue is full or the wait takes too long.
 */
export type ProofQueue = <Result>(isKnown: boolean, look: () => Promise<Result>) => Promise<Result>

export function createProofQueue(limits: ProofQueueLimits = proofQueueLimits): ProofQueue {
  let inside = 0
  const known = new Set<() => void>()
  const strangers = new Set<() => void>()

  function place(isKnown: boolean): Promise<void> {
    const full = known.size + strangers.size >= limits.waiting || (!isKnown && strangers.size >= limits.strangers)
    if (full) return Promise.reject(busy())
    const line = isKnown ? known : strangers
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.delete(enter)
        reject(busy())
      }, limits.longestMs)
      const enter = () => {
        clearTimeout(timer)
        line.delete(enter)
        resolve()
      }
      line.add(enter)
    })
  }

  return async (isKnown, look) => {
    if (inside >= limits.atOnce) await place(isKnown)
    else inside += 1
    try {
      return await look()
    } finally {
      // pass the slot on to the next in line, or free it
      const [next] = known.size > 0 ? known : strangers
      if (next) next()
      else inside -= 1
    }
  }
}
