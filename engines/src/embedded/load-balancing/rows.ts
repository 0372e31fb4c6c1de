import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import { isInProgress, loadBalancerKind } from '@mainstay/contract/load-balancing/load-balancers'
import { poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { problem } from '@mainstay/contract/core/problems'
import { countsOf } from '../../load-balancing/counts'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { getOwn, lockOwn } from '../access'
import { now } from '../networking/rows'

/* Rows for load balancers and pools. Lock the load balancer before writing one of its pools. */

export const balancerKind = loadBalancerKind.name
export const poolsKind = poolKind.name

/** Locks a load balancer. Throws `lb_pending` while it is being created or deleted. */
export async function lockBalancer(tx: RecordsTransaction, scope: Scope, id: string): Promise<LoadBalancer> {
  // check before locking, so that callers cannot block rows of other projects
  await getOwn<LoadBalancer>(tx, balancerKind, scope, id)
  const balancer = await lockOwn<LoadBalancer>(tx, balancerKind, scope, id)
  if (isInProgress(balancer.status))
    throw problem('loadBalancing.balancer_busy', {}, { data: { status: balancer.status } })
  return balancer
}

export const poolsOf = async (tx: RecordsTransaction, id: string): Promise<LoadBalancerPool[]> =>
  (await tx.find<LoadBalancerPool>(poolsKind, { loadbalancer_id: id })).toSorted(
    (one, other) => one.protocol_port - other.protocol_port || (one.id < other.id ? -1 : 1),
  )

/** Applies `change` and writes the row, including its pools and member counts. */
export async function putBalancer(
  tx: RecordsTransaction,
  balancer: LoadBalancer,
  change: Partial<LoadBalancer> = {},
): Promise<LoadBalancer> {
  const pools = await poolsOf(tx, balancer.id)
  const changed: LoadBalancer = {
    ...balancer,
    ...change,
    pools: pools.map(({ id, name }) => ({ id, name })),
    ...countsOf(pools.flatMap(({ members }) => members)),
  }
  await tx.put(balancerKind, changed)
  return changed
}

/** Returns the load balancer fields to set while this host applies a change. */
export const beingChanged = (balancer: LoadBalancer): Partial<LoadBalancer> => ({
  // after a failed deployment, the status stays until the load balancer is rebuilt
  ...(balancer.status !== 'DEPLOYMENT_FAILED' && { status: 'CONFIGURING' }),
  updated_at: now(),
})
