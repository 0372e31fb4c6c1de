import {
  loadBalancerKind,
  type LoadBalancer,
  type LoadBalancerStats,
} from '@mainstay/contract/load-balancing/load-balancers'
import type { Sample } from '../../../metrics/sample'
import type { Sampler } from '../../../metrics/sampling'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'

/** Number of load balancers sampled per round. If there are more, each one is sampled only every few rounds. */
const MOST_PER_ROUND = 200
const EVERY_MS = 30_000

/** Samples the traffic of load balancers. Returns null if load balancing is not available. */
export function balancerSampler({
  inventory,
  ports,
  areas,
}: Pick<Tools, 'inventory' | 'ports' | 'areas'>): Sampler | null {
  if (!areas['load-balancing'].engine) return null
  let marker: string | undefined

  async function nextRows(): Promise<LoadBalancer[]> {
    const query = { limit: MOST_PER_ROUND, status: 'exact:ACTIVE', sort: 'created_at:asc' }
    const page = await inventory.list<LoadBalancer>(loadBalancerKind, serverScope, {
      ...query,
      ...(marker && { marker }),
    })
    marker = page.pages[0]?.marker
    return page.data
  }

  return {
    name: 'load balancers',
    everyMs: EVERY_MS,
    by: 'one',
    async take(signal) {
      const samples: Sample[] = []
      for (const row of await nextRows()) {
        if (signal.aborted) return samples
        // a load balancer that has been deleted since it was listed has no stats
        const stats = await ports['load-balancing'].loadBalancers.stats(serverScope, row.id).catch(() => null)
        if (stats) samples.push(...samplesOf(row, stats))
      }
      return samples
    },
  }
}

/** Traffic of each pool, and the number of healthy members. */
function samplesOf({ id, project_id, domain_id }: LoadBalancer, stats: LoadBalancerStats): Sample[] {
  const labels = { project_id, domain_id, load_balancer_id: id }
  const one = (name: string, value: number, more = {}): Sample => ({
    ...{ name: `mainstay_lb_${name}`, value },
    labels: { ...labels, ...more },
  })
  return [
    one('members', stats.members_count),
    one('members_healthy', stats.members_healthy),
    ...stats.pools.flatMap((pool) => {
      const of = { pool_id: pool.id }
      return [
        one('connections', pool.active_connections, of),
        one('connections_total', pool.total_connections, of),
        one('bytes_in_total', pool.bytes_in, of),
        one('bytes_out_total', pool.bytes_out, of),
        one('request_errors_total', pool.request_errors, of),
      ]
    }),
  ]
}
