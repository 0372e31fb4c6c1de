import { projectKind, type Project } from '@mainstay/contract/identity/projects'
import type { Sampler } from '../../../metrics/sampling'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'
import { countedQuotas } from '../../compute/quotas.service'

/** Number of projects sampled per round. If there are more, each one is sampled only every few rounds. */
const MOST_PER_ROUND = 50

/** Samples the quotas of projects: limits and usage. */
export function quotaSampler(tools: Pick<Tools, 'inventory' | 'ports' | 'areas'>): Sampler {
  const { inventory } = tools
  let marker: string | undefined
  return {
    name: 'quotas',
    everyMs: 60_000,
    by: 'one',
    async take(signal) {
      const query = { limit: MOST_PER_ROUND, ...(marker && { marker }) }
      const { data, pages } = await inventory.list<Project>(projectKind, serverScope, query)
      marker = pages[0]?.marker
      const samples = []
      for (const { id, domain_id } of data) {
        if (signal.aborted) break
        const counted = await countedQuotas(tools, serverScope, id)
        for (const [quota, { limit, used }] of Object.entries(counted)) {
          const labels = { project_id: id, domain_id, quota }
          samples.push({ name: 'mainstay_quota_used', labels, value: used })
          if (limit >= 0) samples.push({ name: 'mainstay_quota_limit', labels, value: limit })
        }
      }
      return samples
    },
  }
}
