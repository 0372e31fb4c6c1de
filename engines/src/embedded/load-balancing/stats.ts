import type { LoadBalancer, LoadBalancerStats } from '@mainstay/contract/load-balancing/load-balancers'
import type { LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type { BalancerReport, PoolTraffic } from '../../network-model/wanted-balancers'

const nothing: PoolTraffic = { active: 0, total: 0, bytesIn: 0, bytesOut: 0, errors: 0 }
const told = ({ active, total, bytesIn, bytesOut, errors }: PoolTraffic) => ({
  ...{ active_connections: active, total_connections: total },
  ...{ bytes_in: bytesIn, bytes_out: bytesOut, request_errors: errors },
})

/**
 * Returns the traffic through a load balancer, and through each pool that has counters. Without a report, all counters
 * are zero.
 */
export function statsOf(
  { members_count, members_healthy }: LoadBalancer,
  pools: readonly LoadBalancerPool[],
  report: BalancerReport | undefined,
): LoadBalancerStats {
  const counted = pools.filter(({ protocol }) => protocol !== 'UDP')
  const each = counted.map(({ id, name }) => ({ id, name, traffic: report?.traffic.get(id) ?? nothing }))
  const sum = (field: keyof PoolTraffic) => each.reduce((total, { traffic }) => total + traffic[field], 0)
  return {
    ...told({
      ...{ active: sum('active'), total: sum('total'), bytesIn: sum('bytesIn'), bytesOut: sum('bytesOut') },
      errors: sum('errors'),
    }),
    ...{ members_count, members_healthy },
    pools: each.map(({ id, name, traffic }) => ({ id, name, ...told(traffic) })),
  }
}
