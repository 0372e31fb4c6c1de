import { Readable } from 'node:stream'
import { type AuthenticatedRequest, refusalOf, usualDeadlineMs } from './authenticated-request'
import type { ServiceClient, Service } from './service-client'
import { type Deadline, startDeadline } from './deadline'
import { type HttpExchange, explained } from './exchange'
import { TransportError } from './transport-error'

const streamOf = (bytes: AsyncIterable<Buffer>) => Readable.from(bytes, { objectMode: false })

interface Watch {
  restMs: number
  /** Called if the cloud does not read the last chunk within `restMs`. */
  stalled(): void
  /** Called if the source fails. */
  failed(fault: unknown): void
}

/** Passes bytes on to the cloud. The idle timeout applies to the cloud, not to the source, which may be slow. */
async function* sent(bytes: Readable, { restMs, stalled, failed }: Watch) {
  const parts = bytes[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  try {
    for (;;) {
      const part = await parts.next().catch((fault: unknown) => {
        failed(fault)
        throw fault
      })
      if (part.done) return
      const timer = setTimeout(stalled, restMs)
      try {
        yield part.value
      } finally {
        clearTimeout(timer)
      }
    }
  } finally {
    bytes.destroy()
  }
}

/** Passes bytes on from the cloud. If the connection breaks, the reader gets a Problem. */
async function* received(service: Service, bytes: Readable, deadline: Deadline) {
  try {
    yield* bytes as AsyncIterable<Buffer>
  } catch (error) {
    const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : new TransportError(error)
    throw explained(cause, { service, mayRepeat: true })
  }
}

/**
 * Creates functions that upload and download without buffering. Without a deadline, transfers may run as long as data
 * flows.
 */
export function transfers(
  exchange: HttpExchange,
  request: AuthenticatedRequest,
): Pick<ServiceClient, 'upload' | 'download'> {
  return {
    async upload(verb, service, path, bytes, options = {}) {
      const deadline = startDeadline(options.deadlineMs ?? usualDeadlineMs, options.signal)
      let fault: { of: unknown } | null = null
      const watch: Watch = {
        restMs: exchange.restMs,
        stalled: () => deadline.stop(new TransportError({ code: 'STALLED' })),
        failed: (of) => {
          fault = { of }
        },
      }
      const body = streamOf(sent(bytes, watch))
      const headers = { 'content-type': 'application/octet-stream', ...options.headers }
      const asked = { verb, service, path, options: { ...options, headers }, lane: 'streams', body } as const
      try {
        await request.acting(asked, deadline, async (call) => {
          if (options.deadlineMs === undefined) deadline.lift()
          const answer = await exchange.whole(call, deadline)
          if (answer.status >= 300) throw refusalOf(call, answer)
        })
      } catch (error) {
        // the source failed, not the cloud
        throw fault ? (fault as { of: unknown }).of : error
      } finally {
        body.destroy()
        bytes.destroy()
        deadline.end()
      }
    },

    async download(service, path, options = {}) {
      const deadline = startDeadline(options.deadlineMs ?? usualDeadlineMs, options.signal)
      // prefer JSON for error responses
      const wanted = { ...options, headers: { accept: 'application/json, */*;q=0.1', ...options.headers } }
      const asked = { verb: 'GET', service, path, options: wanted, lane: 'streams' } as const
      try {
        const { bytes, headers } = await request.acting(asked, deadline, async (call) => {
          const begun = await exchange.begun(call, deadline)
          if ('answer' in begun) throw refusalOf(call, begun.answer)
          return begun.incoming
        })
        if (options.deadlineMs === undefined) deadline.lift()
        const told = new Headers()
        for (const [name, value] of Object.entries(headers)) told.set(name, String(value))
        const size = told.get('content-length')
        const given = streamOf(received(service, bytes, deadline))
        // also releases the connection if the reader never starts
        given.once('close', () => {
          bytes.destroy()
          deadline.end()
        })
        return { bytes: given, sizeBytes: size === null ? null : Number(size), headers: told }
      } catch (error) {
        deadline.end()
        throw error
      }
    },
  }
}
