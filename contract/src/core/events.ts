import * as z from 'zod'
import type { Outage } from './outage'

/** Path of the WebSocket, relative to the prefix under which the application is mounted. */
export const SOCKET_PATH = '/api/v2/events'

/** First message of a client after connecting (S1§4). */
export const SocketLogin = z.object({
  token: z.string().min(1).max(256),
  /** Whether to receive changes for all tenants; requires a system scope. */
  all_tenants: z.boolean(),
  /** Last revision that the client has seen; all later changes are sent. Null: only new changes are sent. */
  since: z.number().int().nonnegative().nullable(),
})
export type SocketLogin = z.infer<typeof SocketLogin>

/** Response to the login: 200 authorizes, 401 signs out, 429 (too many logins) and 5xx mean retry after 5 s. */
export interface SocketLoginReply {
  code: number
  message: string
  /** Subsequent changes start after this revision. */
  revision: number
  /** The log does not reach back to `since`: the client must reload everything. */
  resync: boolean
}

/** A change to one row, as visible to the client. */
export interface Change {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  project_id: string | null
  domain_id: string | null
  at: string
  /** Current state of the row; null if it was removed or is no longer visible to the client. */
  entity: Record<string, unknown> | null
}

/**
 * Events sent by the server: `changes` in order of revision, `outage` after each login and on every change (null: the
 * lists are up to date), `about-to-stop` before a restart, and `signed-out`.
 */
export interface ServerToClient {
  changes: (changes: Change[]) => void
  outage: (outage: Outage | null) => void
  'about-to-stop': () => void
  'signed-out': () => void
}
export interface ClientToServer {
  login: (login: SocketLogin, answer: (reply: SocketLoginReply) => void) => void
}
