import { Readable } from 'node:stream'
import { type Asking, refusalOf, usualDeadlineMs } from './asking'
import type { Caller, Service } from './caller'
import { type Deadline, startDeadline } from './deadline'
import { type Exchange, explained } from './exchange'
import { NoAnswer } from './no-answer'
import { restMs } from './transport'

const streamOf = (octets: AsyncIterable<Buffer>) => Readable.from(octets, { objectMode: false })

/** Octets on their way to the cloud; `stalled` is called when it has not taken the last ones for too long. */
async function* given(octets: Readable, stalled: () => void, failed: (fault: unknown) => void) {
  const parts = octets[Symbol.asyncIterator]() as AsyncIterator<Buffer>
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
    octets.destroy()
  }
}

/** Octets on their way from the cloud. When they break off, the reader gets a Problem. */
async function* taken(service: Service, octets: Readable, deadline: Deadline) {
  try {
    yield* octets as AsyncIterable<Buffer>
  } catch (error) {
    const cause: unknown = deadline.signal.aborted ? deadline.signal.reason : new NoAnswer(error)
    throw explained(cause, { service, mayRepeat: true })
  } finally {
    deadline.end()
  }
}

/** The calls of a caller that move octets without holding them. Without a deadline they may take as long as they go on. */
export function transfers(exchange: Exchange, asking: Asking): Pick<Caller, 'upload' | 'download'> {
  return {
    async upload(verb, service, path, octets, options = {}) {
      const deadline = startDeadline(options.deadlineMs ?? usualDeadlineMs, options.signal)
      let fault: { of: unknown } | null = null
      const stalled = () => deadline.stop(new NoAnswer({ code: 'STALLED' }))
      const body = streamOf(given(octets, stalled, (of) => (fault = { of })))
      const headers = { 'content-type': 'application/octet-stream', ...options.headers }
      const asked = { verb, service, path, options: { ...options, headers }, lane: 'streams', body } as const
      try {
        await asking.acting(asked, deadline, async (call) => {
          if (options.deadlineMs === undefined) deadline.lift()
          const answer = await exchange.whole(call, deadline)
          if (answer.status >= 300) throw refusalOf(call, answer)
        })
      } catch (error) {
        // what broke off was not the cloud but where the octets come from
        throw fault ? (fault as { of: unknown }).of : error
      } finally {
        body.destroy()
        octets.destroy()
        deadline.end()
      }
    },

    async download(service, path, options = {}) {
      const deadline = startDeadline(options.deadlineMs ?? usualDeadlineMs, options.signal)
      const wanted = { ...options, headers: { accept: '*/*', ...options.headers } }
      const asked = { verb: 'GET', service, path, options: wanted, lane: 'streams' } as const
      try {
        const { octets, headers } = await asking.acting(asked, deadline, async (call) => {
          const begun = await exchange.begun(call, deadline)
          if ('answer' in begun) throw refusalOf(call, begun.answer)
          return begun.incoming
        })
        if (options.deadlineMs === undefined) deadline.lift()
        const told = new Headers()
        for (const [name, value] of Object.entries(headers)) told.set(name, String(value))
        const size = told.get('content-length')
        return {
          octets: streamOf(taken(service, octets, deadline)),
          sizeBytes: size === null ? null : Number(size),
          headers: told,
        }
      } catch (error) {
        deadline.end()
        throw error
      }
    },
  }
}
