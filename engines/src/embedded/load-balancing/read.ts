import type { LoadBalancer } from '@mainstay/contract/load-balancing/load-balancers'
import type { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type { BalancerRows, PoolTls } from '../../networking/compile-balancers'
import type { Seals } from '../../ports/engine'
import type { RecordsTransaction } from '../../ports/records'
import { balancerKind, poolsKind } from './rows'
import { tlsOf } from './secrets'

/** Reads the rows of load balancers and pools, along with their certificates and keys. */
export async function readBalancers(tx: RecordsTransaction, seals: Seals): Promise<BalancerRows> {
  const balancers = await tx.find<LoadBalancer>(balancerKind, {})
  const pools = balancers.length === 0 ? [] : await tx.find<LoadBalancerPool>(poolsKind, {})
  const tls = new Map<string, PoolTls>()
  for (const { id, tls_enabled } of pools) {
    const kept = tls_enabled ? await tlsOf(tx, seals, id) : null
    if (kept) tls.set(id, kept)
  }
  return { balancers, pools, tls }
}
