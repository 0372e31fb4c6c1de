import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { Problem } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { JobRun, RunAgain } from '../../../ports/records'
import { pageSize, whole } from '../../networking/wire'
import { markOf } from '../../networking/marks'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { converge, listenerMarked, type Progress } from '../pools/converge'
import { lbPoolReader } from '../pools/reader'
import type { WantedPool } from '../pools/wanted'
import { isPendingProblem } from '../settle'
import { at, paths, stuckReason, WireBalancer } from '../wire'
import { refreshFloatingIps } from './floating'
import { loadBalancerReader } from './reader'
import { shownBalancer } from './shown'

/* Additional steps for tasks that track load balancers. */

/** Duration of one run, interval between runs, and time after which the task gives up, in milliseconds. */
const RUN_MS = 5_000
const AGAIN_MS = 1_000
const GIVE_UP_MS = 30 * 60_000

/** Query with which a deletion includes everything that belongs to the load balancer. */
export const cascade = { query: { cascade: true } }

export function registerBalancerSteps(engine: Engine): void {
  const { caller } = engine.reading

  /** Refreshes the rows at the end, and fails the task if the load balancer is stuck. */
  const following: TaskSteps = {
    async whilePending({ subject }) {
      const wire = await unlessGone(loadBalancerReader.one(caller, subject.id))
      const words = wire && stuckReason(wire)
      if (words) throw new Error(words)
    },
    async onSettled({ subject }) {
      await unlessGone(shownBalancer(engine, subject.id))
    },
  }

  /** Creates the pools of a new load balancer one by one. Pools that already exist are found by their tag. */
  async function makePools({ subject, args, task_id, time, since, state }: JobRun): Promise<RunAgain | null> {
    const pools = (args['pools'] ?? []) as WantedPool[]
    const seen = { at: 0, listener: null, step: 0, ...state } as Progress & { at: number }
    const isLate = time - since > GIVE_UP_MS
    const later = { again: AGAIN_MS, state: seen as unknown as Record<string, unknown> }
    try {
      for (; seen.at < pools.length; Object.assign(seen, { at: seen.at + 1, listener: null, step: 0 })) {
        const mark = `${task_id} ${seen.at}`
        const wanted = pools[seen.at]!
        const listener = { ...wanted.listener, tags: [markOf(mark)] }
        seen.listener ??= await listenerMarked(caller, subject.id, mark)
        const it = { balancer: subject.id, wanted: { ...wanted, listener } }
        if (await converge(caller, it, seen, Date.now() + RUN_MS)) continue
        if (isLate) throw new Error('The cloud did not create all pools within 30 minutes')
        return later
      }
    } catch (error) {
      const isAway = error instanceof Problem && error.status >= 500
      if (isAway && !isLate) return later
      throw error
    }
    return null
  }

  const create: TaskSteps = {
    ...following,
    async find({ subject, task_id, scope, args }) {
      const query = { limit: pageSize, tags: markOf(task_id) }
      const rows = await whole(caller.pages('load-balancer', paths.balancers, 'loadbalancers', WireBalancer, { query }))
      const made = rows.find(({ tags }) => tags.includes(markOf(task_id)))
      if (!made) return false
      const name = 'compute.load_balancer.create' as const
      return [{ name, subject: { ...subject, id: made.id }, until: 'settled', scope, args: { pools: args['pools'] } }]
    },
    async onSettled(job) {
      const wait = await makePools(job).catch(async (error: unknown) => {
        // if its pools cannot be created, the load balancer is deleted
        const { subject, scope } = job
        const name = 'compute.load_balancer.delete' as const
        await engine.trackToCompletion({ name, subject, until: 'gone', scope, args: { isSent: false } })
        throw error
      })
      await unlessGone(shownBalancer(engine, job.subject.id))
      return wait
    },
  }

  const remove: TaskSteps = {
    async whilePending(job, row) {
      await following.whilePending!(job, row)
      if (job.args['isSent'] !== false || loadBalancerReader.isBusy(row as unknown as LoadBalancer)) return
      const path = at(paths.balancers, job.subject.id)
      try {
        await unlessGone(caller.send('DELETE', 'load-balancer', path, z.void(), cascade))
      } catch (error) {
        // the cloud is already deleting the load balancer
        if (!isPendingProblem(error)) throw error
      }
    },
    async onSettled({ args }) {
      const {
        pools = [],
        port = '',
        floating = null,
      } = args as {
        pools?: string[]
        port?: string
        floating?: string | null
      }
      for (const id of pools) {
        await unlessGone(engine.refresh(lbPoolReader, id))
        await engine.records.transaction((tx) => tx.removePrivate(lbPoolReader.kind, id))
      }
      await refreshFloatingIps(engine, port, [floating])
    },
  }

  engine.registerTaskSteps('compute.load_balancer.create', create)
  engine.registerTaskSteps('compute.load_balancer.update', following)
  engine.registerTaskSteps('compute.load_balancer.failover', following)
  engine.registerTaskSteps('compute.load_balancer.recreate', following)
  engine.registerTaskSteps('compute.load_balancer.delete', remove)
}
