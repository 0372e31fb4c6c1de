import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/**
 * Returns our request ID in the format that OpenStack services accept for their logs: `req-` and a UUID. An ID that is
 * not a UUID is hashed into one.
 */
export function globalRequestId(requestId: string): string {
  const bare = requestId.replace(/^req-/, '')
  if (uuid.test(bare)) return `req-${bare.toLowerCase()}`
  const hex = createHash('sha256').update(requestId).digest('hex')
  return `req-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** Returns the request ID under which the cloud logged the request. */
export function cloudRequestId(headers: IncomingHttpHeaders): string | null {
  const told = headers['x-openstack-request-id'] ?? headers['x-compute-request-id']
  const id = Array.isArray(told) ? told[0] : told
  return id !== undefined && /^[\w-]{1,80}$/.test(id) ? id : null
}
