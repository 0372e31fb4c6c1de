import type { Registry } from 'prom-client'
import type { Sample } from './sample'
import type { Sampler } from './sampling'

/** Server gauges that are stored unchanged. */
const kept = new Set([
  'mainstay_jobs',
  'mainstay_event_sockets',
  'mainstay_event_lag',
  'mainstay_consoles',
  'mainstay_engine_lag_seconds',
  'mainstay_engine_reachable',
])
const REQUESTS = 'mainstay_http_request_seconds'

/**
 * Samples this server's service levels. Requests are summed over all routes, because there would be thousands of series
 * with one per route. `server`: label that identifies the server.
 */
export function serviceLevelSampler(registry: Registry, server: string): Sampler {
  return {
    name: 'service levels',
    everyMs: 15_000,
    by: 'each',
    async take() {
      const samples: Sample[] = []
      for (const { name, values } of await registry.getMetricsAsJSON()) {
        if (kept.has(name))
          for (const { labels, value } of values) samples.push({ name, labels: { ...texts(labels), server }, value })
        if (name === REQUESTS) samples.push(...ofAllRoutes(values, server))
      }
      return samples
    },
  }
}

interface Value {
  metricName?: string
  labels: Record<string, string | number | undefined>
  value: number
}

const texts = (labels: Value['labels']): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))

/** Sums the requests of all routes by status class and by latency bucket. */
function ofAllRoutes(values: readonly Value[], server: string): Sample[] {
  const sums = new Map<string, Sample>()
  const add = (name: string, labels: Record<string, string>, value: number) => {
    const key = `${name} ${Object.values(labels).join(' ')}`
    const before = sums.get(key)?.value ?? 0
    sums.set(key, { name, labels: { ...labels, server }, value: before + value })
  }
  for (const { metricName, labels, value } of values) {
    if (metricName === `${REQUESTS}_bucket`) add('mainstay_requests_bucket', { le: String(labels['le']) }, value)
    else if (metricName === `${REQUESTS}_count`)
      add('mainstay_requests_total', { status: `${String(labels['status'])[0]}xx` }, value)
  }
  return [...sums.values()]
}
