import * as z from 'zod'
import type { Outage } from './outage'

/** Path of the socket, below the prefix under which the application is mounted. */
export const SOCKET_PATH = '/api/v2/events'

/** What a socket says after connecting (S1§4). */
export const SocketLogin = z.object({
  token: z.string().min(1).max(256),
  /** See every tenant's changes; only a system scope may. */
  all_tenants: z.boolean(),
  /** Revision up to which the client knows everything; what came later is sent again. Null: from now on. */
  since: z.number().int().nonnegative().nullable(),
})
export type SocketLogin = z.infer<typeof SocketLogin>

/** Answer to a login: 200 authorizes, 401 signs out, 429 (too much of it) and 5xx mean try again in 5 s. */
export interface SocketLoginReply {
  code: number
  message: string
  /** The revision from which the following changes go on. */
  revision: number
  /** The log does not reach back to `since`: load everything anew. */
  resync: boolean
}

/** One change of one row, as the reader may see it. */
export interface Change {
  revision: number
  kind: string
  id: string
  op: 'put' | 'remove'
  project_id: string | null
  domain_id: string | null
  at: string
  /** The row as it is now; null when it was removed or the reader can no longer see it. */
  entity: Record<string, unknown> | null
}

/**
 * Server to client: `changes` (in order of revision), `outage` (after each login, and when that changes; null: lists follow
 * the cloud), `about-to-stop` (the server restarts), `signed-out`.
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
