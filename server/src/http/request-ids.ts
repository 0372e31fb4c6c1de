import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The caller's own id for a request, where it is a plain one: it stands in logs and goes to clouds behind us. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : `req-${randomUUID()}`
}
