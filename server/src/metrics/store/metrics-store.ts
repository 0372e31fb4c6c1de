import { setTimeout as pause } from 'node:timers/promises'
import { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import { Problem, problem, fieldProblem } from '@mainstay/contract/core/problems'
import { fetch } from 'undici'
import { narrowedTo, type Labels } from '../promql'
import type { StoreAddress } from './victoria-metrics'

/** Maximum size of a response, in bytes. */
const MOST_BYTES = 8 * 1024 * 1024
const QUERY_WITHIN_MS = 10_000
const PUSH_WITHIN_MS = 10_000
/** A store started by this server becomes ready about a second after the server. */
const READY_WITHIN_MS = 5_000

/** A query, and the labels that restrict it. */
export interface Asked {
  query: string
  /** Labels that every series must have, regardless of the query; empty for operators and the server itself. */
  labels: Labels
  /** `time` for an instant query; `start`, `end` and `step` for a range query. */
  times?: Record<string, string>
}

/** A time series store that is read and written over HTTP. Its failures never block the rest of the server. */
export interface MetricsStore {
  /** How to enable metrics; null if a store is available or starting. */
  advice: string | null
  /**
   * Runs a query on the series that have the labels (decision 0053). Throws a `validation` error on the `query` field
   * if the store cannot parse the query or finds it too expensive, a `metrics_unavailable` error if there is no valid
   * response within ten seconds, or a `metrics_missing` error if there is no store.
   */
  ask(call: 'query' | 'query_range', asked: Asked, signal?: AbortSignal): Promise<MetricAnswer>
  /** Imports lines in the Prometheus text format, with timestamps in milliseconds. Throws if the store refuses them. */
  push(lines: readonly string[]): Promise<void>
  /** Makes pushed samples visible to queries immediately, for tests. */
  flush?(): Promise<void>
  close(): Promise<void>
}

/** Thrown if the store accepts no samples because it collects them itself. */
export class NotPushable extends Error {}

const away = (cause?: unknown) => problem('monitoring.metrics_unavailable', {}, { cause })

/** Placeholder for a missing store. */
export const noStore = (advice: string): MetricsStore => ({
  advice,
  ask: () => Promise.reject(problem('monitoring.metrics_missing')),
  push: () => Promise.reject(new NotPushable(advice)),
  close: async () => undefined,
})

/** Splits `https://user:password@host/prefix` into a URL and an authorization header. */
export function storeAt(text: string): StoreAddress {
  const url = new URL(text)
  const word = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  ;[url.username, url.password] = ['', '']
  const headers: Record<string, string> =
    word === ':' ? {} : { authorization: `Basic ${Buffer.from(word).toString('base64')}` }
  return { url: url.href.replace(/\/+$/, ''), headers }
}

/** Client for a store. The address is read for each call, and is null while the store starts. */
export function openMetricsStore(tools: {
  address(): StoreAddress | null
  /** Resolves when the store first responds. Until then, calls wait for at most five seconds. */
  ready?: Promise<void>
  close(): Promise<void>
  /** Overrides the timeouts in tests, in milliseconds. */
  patienceMs?: number
}): MetricsStore {
  async function send(path: string, body: string | URLSearchParams, withinMs: number, signal?: AbortSignal) {
    const patience = AbortSignal.timeout(tools.patienceMs ?? withinMs)
    if (!tools.address() && tools.ready) await Promise.race([tools.ready, pause(READY_WITHIN_MS, null, { ref: false })])
    const at = tools.address()
    if (!at) throw away()
    return fetch(`${at.url}${path}`, {
      method: 'POST',
      headers: at.headers,
      body,
      redirect: 'error',
      signal: signal ? AbortSignal.any([patience, signal]) : patience,
    })
  }

  return {
    advice: null,
    async ask(call, { query, labels, times }, signal) {
      const given = new URLSearchParams({ ...times, query: narrowedTo(labels, query) })
      let status: number
      let text: string
      try {
        const answer = await send(`/api/v1/${call}`, given, QUERY_WITHIN_MS, signal)
        status = answer.status
        text = await readBounded(answer.body)
      } catch (cause) {
        throw cause instanceof Problem ? cause : away(cause)
      }
      if (status === 400 || status === 422) throw fieldProblem('query', 'monitoring.query_refused')
      if (status !== 200) throw away(new Error(`the metrics store returned ${status}`))
      return read(text)
    },
    async push(lines) {
      const answer = await send('/api/v1/import/prometheus', `${lines.join('\n')}\n`, PUSH_WITHIN_MS)
      await answer.body?.cancel()
      if (answer.status === 404 || answer.status === 405) throw new NotPushable('it does not accept samples')
      if (!answer.ok) throw new Error(`the metrics store returned ${answer.status}`)
    },
    async flush() {
      const answer = await send('/internal/force_flush', '', PUSH_WITHIN_MS)
      await answer.body?.cancel()
    },
    close: () => tools.close(),
  }
}

async function readBounded(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > MOST_BYTES) throw fieldProblem('query', 'monitoring.answer_too_long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

/** Parses a response; throws if it is malformed. */
function read(text: string): MetricAnswer {
  try {
    return MetricAnswer.parse(JSON.parse(text))
  } catch (cause) {
    throw away(cause)
  }
}
