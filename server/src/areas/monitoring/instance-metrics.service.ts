import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { FIGURES_SECONDS, FIGURES_STEP, type InstanceMetrics } from '@mainstay/contract/monitoring/instance-metrics'
import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'
import { queryMetrics } from './metric-queries.service'

/**
 * Returns the metrics of instances in the order of the IDs, using three queries to the store. Instances that the scope
 * cannot see are left out.
 */
export async function readInstanceMetrics(
  tools: Pick<Tools, 'figures' | 'inventory'>,
  scope: Scope,
  ids: string[],
  signal?: AbortSignal,
): Promise<InstanceMetrics[]> {
  const rows = await tools.inventory.several<Instance>(instanceKind, scope, [...new Set(ids)])
  if (rows.length === 0) return []
  // the IDs are escaped, so that the selector matches only these instances
  const those = JSON.stringify(rows.map(({ id }) => id.replace(/[^\w-]/g, '\\$&')).join('|'))
  const of = (metric: string) => `mainstay_vm_${metric}{server_id=~${those}}`
  // aligned to multiples of the step, so that points do not move between requests; the last step is incomplete
  const end = Math.ceil(Date.now() / 1000 / FIGURES_STEP) * FIGURES_STEP
  const start = end - FIGURES_SECONDS + FIGURES_STEP
  const now = (query: string) => queryMetrics(tools, scope, 'query', query, {}, signal)
  const [history, cpu, memory] = await Promise.all([
    queryMetrics(
      tools,
      scope,
      'query_range',
      `avg_over_time(${of('cpu_usage_ratio')}[${FIGURES_STEP}s])`,
      { start: String(start), end: String(end), step: String(FIGURES_STEP) },
      signal,
    ),
    now(of('cpu_usage_ratio')),
    now(`${of('mem_usage_bytes')} / ${of('mem_bytes')}`),
  ])
  const histories = historiesIn(history, start)
  const [cpuOf, memoryOf] = [newestIn(cpu), newestIn(memory)]
  return rows.map(({ id }) => ({
    id,
    cpu_usage: cpuOf.get(id) ?? null,
    mem_usage: memoryOf.get(id) ?? null,
    cpu_history: histories.get(id) ?? unknown(),
  }))
}

const unknown = (): (number | null)[] => Array.from({ length: FIGURES_SECONDS / FIGURES_STEP }, () => null)

/** Converts a ratio from the store to a percentage with one decimal place, as in rows. */
function percentOf(text: string): number | null {
  const ratio = Number(text)
  return Number.isFinite(ratio) ? Math.round(Math.min(1, Math.max(0, ratio)) * 1000) / 10 : null
}

function newestIn({ data }: MetricAnswer): Map<string | undefined, number | null> {
  const series = data.resultType === 'vector' ? data.result : []
  return new Map(series.map(({ metric, value: [, text] }) => [metric['server_id'], percentOf(text)]))
}

function historiesIn({ data }: MetricAnswer, start: number): Map<string | undefined, (number | null)[]> {
  const series = data.resultType === 'matrix' ? data.result : []
  return new Map(
    series.map(({ metric, values }) => {
      const points = unknown()
      for (const [time, text] of values) {
        const at = Math.round((time - start) / FIGURES_STEP)
        if (at in points) points[at] = percentOf(text)
      }
      return [metric['server_id'], points]
    }),
  )
}
