import { setTimeout as pause } from 'node:timers/promises'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../client/service-client'
import { at, BalancerAnswer, isPending, paths, stuckReason } from './wire'

/* The service accepts one change per load balancer at a time, and rejects others until that change is complete. */

/** Interval between checks of a busy load balancer, in milliseconds: initial and maximum. */
const LOOK_MS = 200
const LOOK_AT_MOST_MS = 1_500

/** Returns the error for changes while a load balancer is busy. `words`: the reason if it is stuck. */
export const pendingProblem = (words: string | null, cause?: unknown): Problem =>
  words === null
    ? problem('loadBalancing.cloud_is_busy', {}, { cause })
    : problem('loadBalancing.pending_because', { reason: words }, { cause })

export const isPendingProblem = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === 'lb_pending'

async function look(cloud: ServiceClient, id: string) {
  const { loadbalancer } = await cloud.get('load-balancer', at(paths.balancers, id), BalancerAnswer)
  const words = stuckReason(loadbalancer)
  if (words !== null) throw pendingProblem(words)
  return loadbalancer
}

/**
 * Whether a load balancer currently accepts changes. Throws `lb_pending` if it is stuck, and `invalid_state` if it is
 * in the error state.
 */
async function isMutable(cloud: ServiceClient, id: string): Promise<boolean> {
  const balancer = await look(cloud, id)
  if (balancer.provisioning_status === 'ERROR')
    throw problem('loadBalancing.in_error', {}, { data: { status: 'ERROR' } })
  return !isPending(balancer)
}

/** Repeats `ask` until it returns a result. Returns null if there is none by `until`, in milliseconds since 1970. */
async function again<Result>(until: number, ask: () => Promise<{ result: Result } | null>) {
  for (let wait = LOOK_MS; ; wait = Math.min(wait * 1.5, LOOK_AT_MOST_MS)) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() + wait > until) return null
    await pause(wait)
  }
}

/** Runs `work` once the load balancer accepts changes and returns its result, or null if `until` passes first. */
export const onceMutable = <Result>(
  cloud: ServiceClient,
  id: string,
  until: number,
  work: () => Promise<Result>,
): Promise<{ result: Result } | null> =>
  again(until, async () => {
    if (!(await isMutable(cloud, id))) return null
    try {
      return { result: await work() }
    } catch (error) {
      // another client sent its change first
      if (isPendingProblem(error)) return null
      throw error
    }
  })

/**
 * Sends a failover or deletion, which the service rejects only while a change is in progress. Throws `lb_pending` if
 * the service still rejects it at `until`.
 */
export async function onceAccepted(cloud: ServiceClient, id: string, until: number, send: () => Promise<void>) {
  const sent = await again(until, async () => {
    try {
      return { result: await send() }
    } catch (error) {
      if (!isPendingProblem(error)) throw error
      await look(cloud, id)
      return null
    }
  })
  if (!sent) throw pendingProblem(null)
}
