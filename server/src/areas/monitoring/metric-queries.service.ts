import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import { problem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Labels } from '../../metrics/promql'
import type { Tools } from '../../tools'

/** Labels that restrict a query to the series visible to the scope. Operators see all series. */
function labelsOf(scope: Scope): Labels {
  if (scope.kind === 'system') return {}
  if (scope.kind === 'project' && scope.project_id !== null) return { project_id: scope.project_id }
  if (scope.kind === 'domain') return { domain_id: scope.domain_id }
  throw problem('monitoring.metrics_need_project')
}

/** Runs a query that is restricted to the series visible to the scope. */
export async function queryMetrics(
  { figures: { store } }: Pick<Tools, 'figures'>,
  scope: Scope,
  call: 'query' | 'query_range',
  query: string,
  times: Record<string, string>,
  signal?: AbortSignal,
): Promise<MetricAnswer> {
  const labels = labelsOf(scope)
  if (store.advice !== null)
    throw scope.kind === 'system'
      ? problem('monitoring.metrics_advice', { advice: store.advice })
      : problem('monitoring.metrics_missing_ask')
  return store.ask(call, { query, labels, times }, signal)
}
