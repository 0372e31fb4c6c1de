import type { Log } from '@mainstay/engines/ports/records'
import type { Config } from '../config'
import type { Store } from '../store/store'
import { createPushQueue } from './push-queue'
import { startSampling, type Sampling } from './sampling'
import { noStore, openMetricsStore, storeAt, type MetricsStore } from './store/metrics-store'
import { startVictoriaMetrics, VICTORIA_METRICS } from './store/victoria-metrics'

/** Historical metrics: the store, and the samplers that feed it. */
export interface MetricsPipeline {
  store: MetricsStore
  sampling: Sampling
  /** Samples queued for the store, and samples dropped. */
  waiting(): { waiting: number; dropped: number }
  close(): Promise<void>
}

/**
 * Returns the configured store, or else starts one. Servers on the same database must share a store, because each of
 * them collects only part of the metrics. `isAlone`: no other server uses the database.
 */
export function openMetricsStoreOf(config: Pick<Config, 'metricsUrl' | 'dataFolder'>, isAlone: boolean, log: Log) {
  const { metricsUrl, dataFolder } = config
  if (metricsUrl === 'off') return noStore('Metrics with history are disabled: MAINSTAY_METRICS_URL is off')
  if (metricsUrl !== null) {
    const at = storeAt(metricsUrl)
    return openMetricsStore({ address: () => at, close: async () => undefined })
  }
  if (!isAlone)
    return noStore('Several servers may use this database. Set MAINSTAY_METRICS_URL to a metrics store for all of them')
  const own = startVictoriaMetrics({ dataFolder, log })
  return own === null
    ? noStore(`Install the package ${VICTORIA_METRICS} and restart the server, or set MAINSTAY_METRICS_URL`)
    : openMetricsStore({ address: own.address, ready: own.ready, close: own.close })
}

/** Starts sampling for a store. Without a store, nothing is sampled. `pace`: speed-up factor for tests. */
export function openMetricsPipeline(tools: {
  store: MetricsStore
  lease: Store['lease']
  log: Log
  pace?: number
}): MetricsPipeline {
  const { store } = tools
  const queue = createPushQueue(tools)
  const sampling: Sampling =
    store.advice === null ? startSampling({ ...tools, queue }) : { add: () => undefined, close: async () => undefined }
  return {
    store,
    sampling,
    waiting: queue.counts,
    async close() {
      await sampling.close()
      await queue.close()
      await store.close()
    },
  }
}
