import { problem } from '@mainstay/contract/core/problems'

/** How many passwords are looked at, and how many people wait for it. */
export interface ProofQueueLimits {
  /** Looked at at a time. Guesses of one user that are made at once count no further apart than this. */
  atOnce: number
  /** Waiting in all. */
  waiting: number
  /** Waiting from where their user has never signed in: the other places are for those who have. */
  strangers: number
  /** The longest wait, milliseconds. */
  longestMs: number
  /** Signing in at all, also those whose failures are still looked up: beyond, nothing is looked up any more. */
  present: number
}
export const proofQueueLimits: ProofQueueLimits = {
  atOnce: 4,
  waiting: 60,
  strangers: 45,
  longestMs: 10_000,
  present: 100,
}

/** After so long whoever was sent away may come again, seconds. */
const COME_AGAIN_SECONDS = 5

const busy = () =>
  problem('identity.sign_in_busy', { seconds: COME_AGAIN_SECONDS }, { data: { retry_after: COME_AGAIN_SECONDS } })

/** Refuses at once who comes when too many are here, before anything is done for them. Throws `server_busy`. */
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
 * Looking at a password takes a processor for a third of a second, on purpose: so it happens in turn, those first who come
 * from where they have signed in before. Throws `server_busy` where the queue is full, or the wait was too long.
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
      // the place goes to the next one, or is free
      const [next] = known.size > 0 ? known : strangers
      if (next) next()
      else inside -= 1
    }
  }
}
