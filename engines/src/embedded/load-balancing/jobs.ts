import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { JobHandler } from '../../ports/records'
import type { Engine } from '../engine'
import { faultText } from '../faults'
import { releasePort } from '../networking/ports'
import { changing, lockNetworks, lockRouting } from '../networking/rows'
import { whenCarried } from '../networking/when-carried'
import { removePool } from './pools'
import { balancerKind, poolsOf, putBalancer } from './rows'

export const CREATE = 'compute.load_balancer.create'
export const DELETE = 'compute.load_balancer.delete'
export const RECREATE = 'compute.load_balancer.recreate'
export const FAILOVER = 'compute.load_balancer.failover'

/**
 * Waits until this host has applied the load balancer's configuration, or fails with the reason. `reportBalancers`
 * updates the rows.
 */
const deploy = (engine: Engine): JobHandler => ({
  async run({ subject: { id }, state }) {
    const read = () => engine.records.transaction((tx) => tx.get<LoadBalancer>(balancerKind, id))
    const later = await whenCarried(engine, state, async () => (await read())?.status === 'CREATING')
    if (later) return later
    const balancer = await read()
    if (balancer?.fault) throw new Error(balancer.fault)
    return balancer && { id }
  },
  onFailure: ({ subject: { id } }, error) =>
    engine.records.transaction(async (tx) => {
      const balancer = await tx.lock<LoadBalancer>(balancerKind, id)
      if (balancer?.status === 'CREATING')
        await putBalancer(tx, balancer, { status: 'DEPLOYMENT_FAILED', fault: faultText(error) })
    }),
})

/** Deletes the load balancer with its pools and its port. */
const removeJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    await changing(engine, async (tx) => {
      await lockRouting(tx)
      const seen = await tx.get<LoadBalancer>(balancerKind, id)
      if (!seen) return
      await lockNetworks(tx, [seen.network_id])
      const balancer = await tx.lock<LoadBalancer>(balancerKind, id)
      if (!balancer) return
      for (const pool of await poolsOf(tx, id)) await removePool(tx, pool.id)
      await releasePort(tx, balancer.port_id)
      await tx.remove(balancerKind, id)
    })
    return null
  },
  onFailure: ({ subject: { id } }, error) =>
    engine.records.transaction(async (tx) => {
      const balancer = await tx.lock<LoadBalancer>(balancerKind, id)
      if (balancer) await putBalancer(tx, balancer, { status: 'ERROR', fault: faultText(error) })
    }),
})

/** Returns the job handlers, keyed by job name. */
export const loadBalancingJobs = (engine: Engine): Record<string, JobHandler> => ({
  ...{ [CREATE]: deploy(engine), [RECREATE]: deploy(engine), [FAILOVER]: deploy(engine) },
  [DELETE]: removeJob(engine),
})
