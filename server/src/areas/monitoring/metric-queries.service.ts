import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import { Problem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import { narrowedTo, type Labels } from '../../metrics/promql'
import type { Tools } from '../../tools'

/** What every series that a scope may see has: operators see all. */
function labelsOf(scope: Scope): Labels {
  if (scope.kind === 'system') return {}
  if (scope.kind === 'project' && scope.project_id !== null) return { project_id: scope.project_id }
  if (scope.kind === 'domain') return { domain_id: scope.domain_id }
  throw new Problem('forbidden', 'Enter a project to see its figures')
}

/**
 * What a query of a stranger answers in their scope. Its labels are forced into the query itself, said to the store once
 * more (one that knows no `extra_label` does not mind), and looked for in the answer.
 */
export async function askFigures(
  { figures: { store } }: Pick<Tools, 'figures'>,
  scope: Scope,
  call: 'query' | 'query_range',
  query: string,
  times: Record<string, string>,
  signal?: AbortSignal,
): Promise<MetricAnswer> {
  const labels = labelsOf(scope)
  const narrowed = narrowedTo(labels, query)
  if (store.advice !== null)
    throw new Problem(
      'metrics_missing',
      scope.kind === 'system' ? store.advice : 'Figures with history are not set up here: ask an operator',
    )
  const [only] = Object.entries(labels)
  const forced: Record<string, string> = only ? { extra_label: only.join('=') } : {}
  return onlyWith(labels, await store.ask(call, { ...times, ...forced, query: narrowed }, signal))
}

/** Without the series that say of themselves that they are somebody else's. */
function onlyWith(labels: Labels, answer: MetricAnswer): MetricAnswer {
  const { data } = answer
  const isTheirs = ({ metric }: { metric: Labels }): boolean =>
    Object.entries(labels).every(([name, value]) => (metric[name] ?? value) === value)
  if (data.resultType === 'vector') return { ...answer, data: { ...data, result: data.result.filter(isTheirs) } }
  if (data.resultType === 'matrix') return { ...answer, data: { ...data, result: data.result.filter(isTheirs) } }
  return answer
}
