import { setTimeout as pause } from 'node:timers/promises'
import { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import { Problem, problem, fieldProblem } from '@mainstay/contract/core/problems'
import { fetch } from 'undici'
import { narrowedTo, type Labels } from '../promql'
import type { StoreAddress } from './victoria-metrics'

/** The longest answer that is read, bytes. */
const MOST_BYTES = 8 * 1024 * 1024
const QUERY_WITHIN_MS = 10_000
const PUSH_WITHIN_MS = 10_000
/** A store of this server's own is ready a second after the server. */
const READY_WITHIN_MS = 5_000

/** What a store is asked, and whose figures may answer it. */
export interface Asked {
  query: string
  /** Labels that every series has to have, whatever the query says; none for operators and for the server itself. */
  labels: Labels
  /** `time`; or `start`, `end` and `step`. */
  times?: Record<string, string>
}

/** A store of time series, asked and fed over HTTP. Whatever becomes of it, nothing else of the server waits for it. */
export interface MetricsStore {
  /** What to do so that there are figures; null where a store is there, or is on its way. */
  advice: string | null
  /**
   * What a query answers, of the series that have the labels (decision 0053). Throws `validation` of the field `query` for what the store cannot read or finds too much,
   * `metrics_unavailable` where it does not answer as it should within ten seconds, `metrics_missing` where there is none.
   */
  ask(call: 'query' | 'query_range', asked: Asked, signal?: AbortSignal): Promise<MetricAnswer>
  /** Takes lines of the text format of Prometheus, with their own times in milliseconds. Throws where it did not. */
  push(lines: readonly string[]): Promise<void>
  /** Lets what was pushed be found at once, for specs. */
  flush?(): Promise<void>
  close(): Promise<void>
}

/** The store takes no samples in: one that collects them itself. */
export class NotPushable extends Error {}

const away = (cause?: unknown) => problem('monitoring.metrics_unavailable', {}, { cause })

/** A store that there is not. */
export const noStore = (advice: string): MetricsStore => ({
  advice,
  ask: () => Promise.reject(problem('monitoring.metrics_missing')),
  push: () => Promise.reject(new NotPushable(advice)),
  close: async () => undefined,
})

/** `https://user:password@host/prefix` as what is asked. */
export function storeAt(text: string): StoreAddress {
  const url = new URL(text)
  const word = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  ;[url.username, url.password] = ['', '']
  const headers: Record<string, string> =
    word === ':' ? {} : { authorization: `Basic ${Buffer.from(word).toString('base64')}` }
  return { url: url.href.replace(/\/+$/, ''), headers }
}

/** The store at an address that is read for each call: null while it starts. */
export function openMetricsStore(tools: {
  address(): StoreAddress | null
  /** Resolves when the store answers for the first time: until then a call waits, at most five seconds. */
  ready?: Promise<void>
  close(): Promise<void>
  /** For specs: another patience than the product's, milliseconds. */
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
      if (status !== 200) throw away(new Error(`the store of figures answered ${status}`))
      return read(text)
    },
    async push(lines) {
      const answer = await send('/api/v1/import/prometheus', `${lines.join('\n')}\n`, PUSH_WITHIN_MS)
      await answer.body?.cancel()
      if (answer.status === 404 || answer.status === 405) throw new NotPushable('it takes no samples in')
      if (!answer.ok) throw new Error(`the store of figures answered ${answer.status}`)
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

/** What was answered, if it is an answer at all. */
function read(text: string): MetricAnswer {
  try {
    return MetricAnswer.parse(JSON.parse(text))
  } catch (cause) {
    throw away(cause)
  }
}
