import type { IncomingHttpHeaders } from 'node:http'
import { httpTime } from '@mainstay/contract/core/times'
import type { Deadline } from './deadline'
import { TransportError } from './transport-error'

/** A complete response. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

const attempts = 4
const firstPauseMs = 200
const longestPauseMs = 5_000
const passing = new Set([429, 502, 503, 504])

/** Returns the delay in the `Retry-After` header (seconds or a date) in milliseconds, or null if there is none. */
function retryAfterMs(headers: IncomingHttpHeaders): number | null {
  const told = headers['retry-after']
  if (!told) return null
  const seconds = Number(told)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : httpTime(told) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

/**
 * Returns the pause before a retry: exponential backoff with 50 % jitter, so that clients that failed together do not
 * retry together.
 */
const pauseMs = (attempt: number) =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)

type Outcome<Result> = { result: Result } | { error: unknown }

function pauseAfter(outcome: Outcome<{ status: number; headers: IncomingHttpHeaders }>, attempt: number) {
  if ('error' in outcome)
    return outcome.error instanceof TransportError && outcome.error.isPassing ? pauseMs(attempt) : null
  const { status, headers } = outcome.result
  return passing.has(status) ? Math.max(pauseMs(attempt), retryAfterMs(headers) ?? 0) : null
}

/**
 * Retries transient failures a few times, as long as the deadline leaves time for the pause. Returns or throws the last
 * outcome. Only for reads.
 */
export async function withRetries<Result extends { status: number; headers: IncomingHttpHeaders }>(
  attempt: () => Promise<Result>,
  deadline: Deadline,
  giveBack: (result: Result) => void = () => undefined,
): Promise<Result> {
  for (let turn = 1; ; turn += 1) {
    const outcome: Outcome<Result> = await attempt().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    const pause = turn < attempts ? pauseAfter(outcome, turn) : null
    if (pause === null || pause >= deadline.leftMs()) {
      if ('error' in outcome) throw outcome.error
      return outcome.result
    }
    if ('result' in outcome) giveBack(outcome.result)
    await deadline.sleep(pause)
  }
}
