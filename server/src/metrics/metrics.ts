import type { EngineState } from '@mainstay/contract/infrastructure/engines'
import type { UnreadableRows } from '@mainstay/engines/ports/feed'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { allUnreadable } from '../inventory/unreadable'
import type { Sampler } from './sampling'
import { serviceLevelSampler } from './service-levels'

/** Values that are read on each scrape. */
export interface MetricSources {
  /** Newest revision of the index. */
  revision(): Promise<number>
  /** Cloud rows that cannot be indexed, by kind. */
  unreadable(): UnreadableRows[]
  /** Number of unfinished jobs. */
  jobs(): Promise<number>
  /** Open event sockets, and how many of them cannot keep up. */
  sockets(): { open: number; behind: number }
  consoles(): number
  /** Engines, with the parts of their clouds. */
  engines(): Promise<Pick<EngineState, 'name' | 'lag_ms' | 'parts' | 'unreadable'>[]>
  /** Samples queued for the metrics store, and samples dropped. */
  samples(): { waiting: number; dropped: number }
}

type Engines = Awaited<ReturnType<MetricSources['engines']>>

export interface Metrics {
  contentType: string
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>
  /** Samples this server's service levels for the metrics store. `server`: label that identifies the server. */
  sampler(server: string): Sampler
  /** `route` is the path pattern, never the path itself, which would create a series per ID. */
  observeRequest(request: { method: string; route: string; status: number; seconds: number }): void
}

export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'mainstay_http_request_seconds',
    help: 'Response time, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // an unavailable database must not fail the whole scrape
        this.set(await Promise.resolve(value()).catch(() => Number.NaN))
      },
    })
  gauge('mainstay_revision', 'Newest revision of the index', () => sources.revision())
  gauge('mainstay_jobs', 'Unfinished jobs', () => sources.jobs())
  gauge('mainstay_event_sockets', 'Open event sockets', () => sources.sockets().open)
  gauge('mainstay_event_lag', 'Revisions not yet sent to sockets', () => sources.sockets().behind)
  gauge('mainstay_samples_waiting', 'Samples waiting for the metrics store', () => sources.samples().waiting)
  gauge('mainstay_samples_dropped', 'Samples dropped because the store was too slow', () => sources.samples().dropped)
  gauge('mainstay_consoles', 'Open consoles of instances', () => sources.consoles())
  new Gauge({
    name: 'mainstay_rows_unreadable',
    help: 'Rows of the cloud that cannot be read or indexed, by kind; lists show their last known state',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      this.reset()
      // on the server that follows the cloud, both sources report the same counts
      const engines = await sources.engines().catch(() => [])
      for (const { kind, count } of [...sources.unreadable(), ...allUnreadable(...engines.map((it) => it.unreadable))])
        this.set({ kind }, count)
    },
  })
  const each = (
    name: string,
    help: string,
    labelNames: string[],
    collect: (of: Gauge, found: Engines) => void,
  ): void => {
    const made = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset()
        collect(made, await sources.engines().catch(() => []))
      },
    })
  }
  each('mainstay_engine_lag_seconds', 'Age of the oldest data that lists may show', ['engine'], (of, found) => {
    for (const { name, lag_ms } of found) of.set({ engine: name }, lag_ms === null ? Number.NaN : lag_ms / 1000)
  })
  each('mainstay_engine_reachable', 'Whether a part of an engine responds', ['engine', 'part'], (of, found) => {
    for (const { name: engine, parts } of found)
      for (const { name: part, reachable } of parts) of.set({ engine, part }, reachable ? 1 : 0)
  })
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    sampler: (server) => serviceLevelSampler(registry, server),
    observeRequest: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status: String(status) }, seconds),
  }
}
