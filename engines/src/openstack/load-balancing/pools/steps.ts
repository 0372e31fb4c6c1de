import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { JobRun, RunAgain } from '../../../ports/records'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { loadBalancerReader } from '../balancers/reader'
import { onceMutable } from '../settle'
import { at, paths } from '../wire'
import { converge, listenerMarked, type Convergence } from './converge'
import { lbPoolReader, readParts } from './reader'

/*
 * Continues a change to a pool after its command has returned. Uses the service account, because tasks do not have the
 * user's token.
 */

/** Duration of one run, interval between runs, and time after which the task gives up, in milliseconds. */
const RUN_MS = 5_000
const AGAIN_MS = 1_000
const GIVE_UP_MS = 30 * 60_000

interface Args extends Convergence {
  step?: number
}
const argsOf = ({ args }: Pick<JobRun, 'args'>) => args as unknown as Args

export function registerPoolSteps(engine: Engine): void {
  const { caller } = engine.reading

  const refresh = async (id: string, balancer: string): Promise<void> => {
    await unlessGone(engine.refresh(lbPoolReader, id))
    await unlessGone(engine.refresh(loadBalancerReader, balancer))
  }

  /** Continues the change. Retries while the service is down. */
  async function goOn(job: JobRun): Promise<RunAgain | null> {
    const { balancer, wanted, step = 0 } = argsOf(job)
    const progress = { listener: job.subject.id, step, ...(job.state as { step?: number }) }
    const isLate = job.time - job.since > GIVE_UP_MS
    let isDone = false
    try {
      isDone = await converge(caller, { balancer, wanted }, progress, Date.now() + RUN_MS)
    } catch (error) {
      const isAway = error instanceof Problem && error.status >= 500
      if (!isAway || isLate) throw error
    }
    await refresh(job.subject.id, balancer)
    if (!isDone && isLate) throw new Error('The cloud did not apply the change within 30 minutes')
    return isDone ? null : { again: AGAIN_MS, state: { step: progress.step } }
  }

  /** Deletes the objects that were created: first the pool, then the listener, one change at a time. */
  async function takeBackOf(listener: string, balancer: string): Promise<void> {
    const parts = await unlessGone(readParts(engine.reading, listener))
    if (!parts) return
    const own = parts.pool?.listeners.every((id) => id === listener) ? parts.pool.id : null
    const path = own === null ? at(paths.listeners, listener) : at(paths.pools, own)
    await onceMutable(caller, balancer, Date.now(), () =>
      unlessGone(caller.send('DELETE', 'load-balancer', path, z.void())),
    )
  }

  const create: TaskSteps = {
    async find({ subject, args, task_id, scope }) {
      const { balancer, wanted } = argsOf({ args })
      const id = await unlessGone(listenerMarked(caller, balancer, task_id))
      if (id === null) return false
      const made = { name: 'compute.lb_pool.create', subject: { ...subject, id }, until: 'settled', scope } as const
      return [{ ...made, args: { balancer, wanted, step: 1 } }]
    },
    async onSettled(job) {
      try {
        return await goOn(job)
      } catch (error) {
        const { balancer } = argsOf(job)
        await engine.trackToCompletion({
          ...{ name: 'compute.lb_pool.delete', subject: job.subject, until: 'gone', scope: job.scope },
          args: { balancer, pool: null, isSent: false },
        })
        throw error
      }
    },
  }

  const remove: TaskSteps = {
    async whilePending({ subject, args }, row) {
      if (args['isSent'] === true || lbPoolReader.isBusy(row as never)) return
      await takeBackOf(subject.id, args['balancer'] as string)
    },
    async onSettled({ subject, args }) {
      const { balancer, pool } = args as { balancer: string; pool: string | null }
      if (pool !== null) {
        const deleted = await onceMutable(caller, balancer, Date.now() + RUN_MS, () =>
          unlessGone(caller.send('DELETE', 'load-balancer', at(paths.pools, pool), z.void())),
        ).catch((error: unknown) => {
          // the pool is kept because an L7 policy uses it, or it was deleted together with its load balancer
          if (error instanceof Problem && ['in_use', 'conflict', 'not_found'].includes(error.code)) return true
          throw error
        })
        if (!deleted) return { again: AGAIN_MS }
      }
      await refresh(subject.id, balancer)
      await engine.records.transaction((tx) => tx.removePrivate(lbPoolReader.kind, subject.id))
      return null
    },
  }

  engine.registerTaskSteps('compute.lb_pool.create', create)
  engine.registerTaskSteps('compute.lb_pool.update', { onSettled: goOn })
  engine.registerTaskSteps('compute.lb_pool.delete', remove)
}
