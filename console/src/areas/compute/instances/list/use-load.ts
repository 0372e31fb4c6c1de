import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { instanceFigures } from '@mainstay/contract/monitoring/instance-metrics'
import { useQuery } from '@tanstack/react-query'
import { batchById } from '../../../../api/batch-by-id'
import { call } from '../../../../api/call'
import { viewKey } from '../../../../api/keys'
import { CallProblem } from '../../../../api/problem'

/** The load of an instance in percent; null where nothing is known. */
export interface Load {
  cpu: number | null
  memory: number | null
  /** Evenly spaced, the newest last; empty until it is known. */
  history: readonly (number | null)[]
}

const everyMs = 30_000
/** Rows ask at the same moments, whenever they were drawn: their questions are one call. */
function untilNextMs() {
  const left = everyMs - (Date.now() % everyMs)
  // a timer may be early: the moment is this one then
  return left < 1000 ? left + everyMs : left
}
/** Where no store is set up, there will be none in half a minute either. */
const isMissing = (thrown: Error | null) => thrown instanceof CallProblem && thrown.code === 'metrics_missing'

const ask = batchById(async (ids) => (await call(instanceFigures.several, { query: { ids: ids.join(',') } })).data)

/**
 * The load of a row that is on the screen, renewed twice a minute while the page is seen. What the row itself tells is
 * newer than what the store of figures has; a cloud tells it in no row.
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
