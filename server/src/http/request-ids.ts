import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The client's request ID if it is well-formed, otherwise a new one. It appears in logs and is sent to clouds. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : `req-${randomUUID()}`
}
