import type { Log } from '../../ports/records'
import type { Service } from './service-client'
import { type Deadline, DeadlinePassed } from './deadline'
import { TransportError } from './transport-error'
import { late, unreachable } from './problems'
import { cloudRequestId } from './request-ids'
import { type Answer, withRetries } from './retry'
import { type Incoming, type Pool, type Outgoing, textOf, type Transport } from './transport'

/** Largest response that is read into memory. */
const mostBytes = 64 * 1024 ** 2

export interface Call extends Omit<Outgoing, 'signal'> {
  service: Service
  lane: Pool
  /** Whether the request may be sent again after a failure. */
  mayRepeat: boolean
  /** Secrets in the body that must not appear in errors. */
  secrets?: readonly string[]
  /** Our own request ID, for the log. */
  requestId: string | null
}

/** Sends a request and returns the response, regardless of its status. Does not handle tokens. Throws Problems. */
export interface HttpExchange {
  /** Idle timeout of a transfer in milliseconds. */
  restMs: number
  whole(call: Call, deadline: Deadline): Promise<Answer>
  /**
   * Returns once the headers have arrived; the caller reads the body. A response with a status of 300 or more is read
   * completely.
   */
  begun(call: Call, deadline: Deadline): Promise<{ incoming: Incoming } | { answer: Answer }>
}

/** Maps a transport error or a missed deadline to a Problem; returns any other error unchanged. */
export function explained(error: unknown, { service, mayRepeat }: Pick<Call, 'service' | 'mayRepeat'>): unknown {
  if (error instanceof TransportError) return unreachable(service, error, !mayRepeat)
  if (error instanceof DeadlinePassed) return late(service, error, !mayRepeat)
  return error
}

export function createHttpExchange(transport: Transport, log: Log): HttpExchange {
  const told = (call: Call, status: number, headers: Answer['headers'], since: number) => {
    const { service, verb, url, requestId } = call
    const ms = Math.round(performance.now() - since)
    const fields = { service, verb, path: url.pathname, status, ms, request_id: requestId }
    log.debug({ ...fields, cloud_request_id: cloudRequestId(headers) }, 'call to the cloud')
  }
  const open = async (call: Call, signal: AbortSignal) => {
    const since = performance.now()
    const incoming = await transport.open(call.lane, { ...call, signal })
    told(call, incoming.status, incoming.headers, since)
    return incoming
  }
  const read = async (incoming: Incoming, signal: AbortSignal): Promise<Answer> => ({
    status: incoming.status,
    headers: incoming.headers,
    text: await textOf(incoming, mostBytes, signal),
  })
  const attempted = async <Result extends Pick<Answer, 'status' | 'headers'>>(
    call: Call,
    deadline: Deadline,
    attempt: () => Promise<Result>,
    giveBack?: (result: Result) => void,
  ) => {
    try {
      return await (call.mayRepeat ? withRetries(attempt, deadline, giveBack) : attempt())
    } catch (error) {
      throw explained(error, call)
    }
  }

  return {
    restMs: transport.restMs,
    whole: (call, deadline) =>
      attempted(call, deadline, async () => read(await open(call, deadline.signal), deadline.signal)),
    async begun(call, deadline) {
      const incoming = await attempted(
        call,
        deadline,
        () => open(call, deadline.signal),
        ({ bytes }) => bytes.destroy(),
      )
      if (incoming.status < 300) return { incoming }
      try {
        return { answer: await read(incoming, deadline.signal) }
      } catch (error) {
        throw explained(error, call)
      }
    },
  }
}
