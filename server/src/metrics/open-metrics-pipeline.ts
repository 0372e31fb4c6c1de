import type { Log } from '@mainstay/engines/ports/records'
import type { Config } from '../config'
import type { Store } from '../store/store'
import { createPushQueue } from './push-queue'
import { startSampling, type Sampling } from './sampling'
import { noStore, openMetricsStore, storeAt, type MetricsStore } from './store/metrics-store'
import { startVictoriaMetrics, VICTORIA_METRICS } from './store/victoria-metrics'

/** Figures with history: their store, and what is measured for it. */
export interface MetricsPipeline {
  store: MetricsStore
  sampling: Sampling
  /** Samples that wait for the store, and those that were given up. */
  waiting(): { waiting: number; dropped: number }
  close(): Promise<void>
}

/**
 * The store that the configuration names, or else one of this server's own. Of several servers of one database each would
 * have a part of the figures only: these need a store that all of them reach. `isAlone`: no other server works with them.
 */
export function openMetricsStoreOf(config: Pick<Config, 'metricsUrl' | 'dataFolder'>, isAlone: boolean, log: Log) {
  const { metricsUrl, dataFolder } = config
  if (metricsUrl === 'off') return noStore('Figures with history are turned off: MAINSTAY_METRICS_URL is off')
  if (metricsUrl !== null) {
    const at = storeAt(metricsUrl)
    return openMetricsStore({ address: () => at, close: async () => undefined })
  }
  if (!isAlone)
    return noStore(
      'Several servers may use this database: set MAINSTAY_METRICS_URL to a store of figures for all of them',
    )
  const own = startVictoriaMetrics({ dataFolder, log })
  return own === null
    ? noStore(`Install the package ${VICTORIA_METRICS} and start the server anew, or set MAINSTAY_METRICS_URL`)
    : openMetricsStore({ address: own.address, ready: own.ready, close: own.close })
}

/** Feeds a store. Without one nothing is measured. `pace`: how many times as quick as usual, for specs. */
export function openMetricsPipeline(tools: { store: MetricsStore; lease: Store['lease']; log: Log; pace?: number }): MetricsPipeline {
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
