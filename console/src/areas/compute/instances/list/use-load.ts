import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceFigures } from '@mainstay/contract/monitoring/instance-metrics'
import { useQuery } from '@tanstack/react-query'
import { batchById } from '../../../../api/batch-by-id'
import { call } from '../../../../api/call'
import { viewKey } from '../../../../api/keys'
import { CallProblem } from '../../../../api/problem'

/** An instance's usage in percent; null if unknown. */
export interface Load {
  cpu: number | null
  memory: number | null
  /** Evenly spaced values, newest last; empty while loading. */
  history: readonly (number | null)[]
}

const everyMs = 30_000
/** Time until the next poll. All rows poll at the same time, so that their requests are batched into one call. */
function untilNextMs() {
  const left = everyMs - (Date.now() % everyMs)
  // a timer may fire slightly early: skip to the following poll
  return left < 1000 ? left + everyMs : left
}
/** Whether the metrics store is missing, which makes polling pointless. */
const isMissing = (thrown: Error | null) => thrown instanceof CallProblem && thrown.code === 'metrics_missing'

const ask = batchById(async (ids) => (await call(instanceFigures.several, { query: { ids: ids.join(',') } })).data)

/**
 * Usage of a visible row, refreshed every 30 seconds while the page is visible. Values in the row are preferred because
 * they are newer than those in the metrics store, but rows from a cloud do not contain any.
 */
export function useLoad(instance: Instance): Load {
  const isRunning = instanceIsRunning(instance)
  const { data } = useQuery({
    queryKey: viewKey('', instanceFigures.several, { id: instance.id }, {}),
    queryFn: () => ask(instance.id),
    enabled: isRunning,
    staleTime: everyMs,
    retry: false,
    refetchInterval: ({ state }) => (isMissing(state.error) ? false : untilNextMs()),
  })
  if (!isRunning) return { cpu: null, memory: null, history: [] }
  const { cpu_usage, mem_usage } = instance.statistics.metrics
  return {
    cpu: cpu_usage ?? data?.cpu_usage ?? null,
    memory: mem_usage ?? data?.mem_usage ?? null,
    history: data?.cpu_history ?? [],
  }
}
