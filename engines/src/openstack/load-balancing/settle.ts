import { setTimeout as pause } from 'node:timers/promises'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { ServiceClient } from '../client/service-client'
import { at, BalancerAnswer, isPending, paths, stuckReason } from './wire'

/* The service takes one change of a balancer at a time, and refuses every other one until that is done. */

/** Between two looks at a balancer that is on its way, at first and at most. */
const LOOK_MS = 200
const LOOK_AT_MOST_MS = 1_500

/** Said while a balancer takes no change. */
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

/** Whether a balancer takes changes now. Throws `lb_pending` for one that is stuck, `invalid_state` for one in error. */
async function isMutable(cloud: ServiceClient, id: string): Promise<boolean> {
  const balancer = await look(cloud, id)
  if (balancer.provisioning_status === 'ERROR')
    throw problem('loadBalancing.in_error', {}, { data: { status: 'ERROR' } })
  return !isPending(balancer)
}

/** Asks again and again until there is an answer; null where there is none by `until`, milliseconds since 1970. */
async function again<Result>(until: number, ask: () => Promise<{ result: Result } | null>) {
  for (let wait = LOOK_MS; ; wait = Math.min(wait * 1.5, LOOK_AT_MOST_MS)) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() + wait > until) return null
    await pause(wait)
  }
}

/** Does `work` once the balancer takes changes, and answers what came of it; null where it does not by `until`. */
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
      // somebody else was quicker
      if (isPendingProblem(error)) return null
      throw error
    }
  })

/** Sends what is taken in any state but on the way to another: failover and deletion. Throws `lb_pending` where it is not by `until`. */
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
