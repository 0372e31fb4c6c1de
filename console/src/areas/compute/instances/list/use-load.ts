import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceFigures } from '@mainstay/contract/monitoring/instance-metrics'
import { useQuery } from '@tanstack/react-query'
import { batchById } from '../../../../api/batch-by-id'
import { call } from '../../../../api/call'
import { viewKey } from '../../../../api/keys'
import { CallProblem } from '../../../../api/problem'

/** Load of an instance in percent; null if unknown. */
export interface Load {
  cpu: number | null
  memory: number | null
  /** Evenly spaced, newest last; empty until known. */
  history: readonly (number | null)[]
}

const everyMs = 30_000
/** All rows poll at the same moments, whenever they were rendered, so that their requests become one call. */
function untilNextMs() {
  const left = everyMs - (Date.now() % everyMs)
  // a timer may fire early: then use the next moment
  return left < 1000 ? left + everyMs : left
}
/** If no metrics store is set up, polling again is pointless. */
const isMissing = (thrown: Error | null) => thrown instanceof CallProblem && thrown.code === 'metrics_missing'

const ask = batchById(async (ids) => (await call(instanceFigures.several, { query: { ids: ids.join(',') } })).data)

/**
 * Load of a visible row, refreshed twice a minute while the page is visible. Values in the row are newer than those of
 * the metrics store, but the rows of a cloud have none.
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
