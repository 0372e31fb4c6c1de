import * as z from 'zod'
import { vpnStatuses, type VpnStatus } from './connection-status'

/** Maximum number of status changes kept per connection, so that a flapping tunnel does not fill the index. */
export const MAX_STATUS_HISTORY = 30

/** A status change with its time and reason. */
export const StatusChange = z.object({ at: z.string(), status: z.enum(vpnStatuses), reason: z.string().nullable() })
export type StatusChange = z.infer<typeof StatusChange>

interface Told {
  status: VpnStatus
  reason: string | null
  status_changed_at: string | null
  status_history?: StatusChange[] | undefined
}

/** Returns the fields of a connection after its status or reason has changed at time `at`. */
export const withStatus = (
  { status: before, status_changed_at: since, status_history: history = [] }: Told,
  status: VpnStatus,
  reason: string | null,
  at: string,
): Told & { status_history: StatusChange[] } => ({
  ...{ status, reason, status_changed_at: status === before ? since : at },
  status_history: [...history, { at, status, reason }].slice(-MAX_STATUS_HISTORY),
})
