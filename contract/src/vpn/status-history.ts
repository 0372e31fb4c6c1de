import * as z from 'zod'
import { vpnStatuses, type VpnStatus } from './connection-status'

/** So many changes of the status are kept of a connection: one that comes and goes does not fill the index. */
export const MAX_STATUS_HISTORY = 30

/** What the status became, when, and why. */
export const StatusChange = z.object({ at: z.string(), status: z.enum(vpnStatuses), reason: z.string().nullable() })
export type StatusChange = z.infer<typeof StatusChange>

interface Told {
  status: VpnStatus
  reason: string | null
  status_changed_at: string | null
  status_history?: StatusChange[] | undefined
}

/** The fields of a connection whose status or reason is another one since `at`. */
export const withStatus = (
  { status: before, status_changed_at: since, status_history: history = [] }: Told,
  status: VpnStatus,
  reason: string | null,
  at: string,
): Told & { status_history: StatusChange[] } => ({
  ...{ status, reason, status_changed_at: status === before ? since : at },
  status_history: [...history, { at, status, reason }].slice(-MAX_STATUS_HISTORY),
})
