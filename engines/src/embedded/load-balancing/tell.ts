import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import { byBalancer, keyFault, type BalancerRows } from '../../networking/compile-balancers'
import type { Records } from '../../ports/records'
import type { Applied } from '../../network-model/wanted'
import { balancerKind, poolsKind, putBalancer } from './rows'

/** Returns the status of a load balancer once this host has applied its configuration or failed to do so. */
function stateOf({ status, enabled }: LoadBalancer, fault: string | null): LoadBalancer['status'] {
  if (fault !== null) return status === 'CREATING' ? 'DEPLOYMENT_FAILED' : 'ERROR'
  return enabled ? 'ACTIVE' : 'DISABLED'
}

/**
 * Records in the rows of load balancers and pools whether this host applied them, or why not. Skips rows that have
 * changed since they were read, because another run follows.
 */
export async function reportBalancers(records: Records, rows: BalancerRows, applied: Applied): Promise<void> {
  const poolsOf = byBalancer(rows.pools)
  for (const seen of rows.balancers) {
    if (seen.status === 'DELETING' || seen.status === 'DEPLOYMENT_FAILED') continue
    const fault = applied.balancers.get(seen.id) ?? null
    const state = stateOf(seen, fault)
    const pools = poolsOf(seen.id).map((pool) => {
      const ofPool = keyFault(pool, rows) ?? fault
      return { pool, fault: ofPool, status: ofPool === null ? ('ACTIVE' as const) : ('ERROR' as const) }
    })
    const others = pools.filter((it) => it.pool.status !== it.status || (it.pool.fault ?? null) !== it.fault)
    if (seen.status === state && (seen.fault ?? null) === fault && others.length === 0) continue
    await records.transaction(async (tx) => {
      const balancer = await tx.lock<LoadBalancer>(balancerKind, seen.id)
      if (!balancer || balancer.updated_at !== seen.updated_at || balancer.status !== seen.status) return
      for (const it of others) {
        const pool = await tx.lock<LoadBalancerPool>(poolsKind, it.pool.id)
        if (pool && pool.updated_at === it.pool.updated_at)
          await tx.put(poolsKind, { ...pool, status: it.status, fault: it.fault })
      }
      await putBalancer(tx, balancer, { status: state, fault })
    })
  }
}
