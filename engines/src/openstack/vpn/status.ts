import { isPending, vpnStatuses, type VpnStatus } from '@mainstay/contract/vpn/connection-status'
import { oneOf } from './policies'

/* The network service reports statuses without a reason or a time. */

/** Time after which a pending change counts as stuck. Agents check for changes at least every minute. */
const PATIENCE_MS = 10 * 60_000

export const statusOf = (wire: string): VpnStatus => oneOf(vpnStatuses, wire) ?? 'ERROR'

interface Told {
  status: VpnStatus
  status_changed_at: string | null
}

/**
 * Returns when the status was last seen to change, or null if unknown. If a pending row is seen for the first time, its
 * status counts as changed now.
 */
export function changedAt(status: VpnStatus, known: Told | undefined, now: number): string | null {
  if (known?.status === status) return known.status_changed_at
  return known || isPending(status) ? new Date(now).toISOString() : null
}

/** Returns the message about a change that has taken the cloud too long, or null. */
export function stuckConnectionReason({ status, status_changed_at: since }: Told, now: number): string | null {
  if (!isPending(status) || since === null || now - Date.parse(since) < PATIENCE_MS) return null
  return (
    `The cloud has not finished this change (${status}), first seen on ${since.slice(0, 16).replace('T', ' ')} UTC. ` +
    'An operator of the cloud must check its VPN agents. You can delete the connection'
  )
}

/** Returns why a status is not ACTIVE, if known. */
export function reasonOf(told: Told, wire: { status: string; admin_state_up: boolean }, now: number): string | null {
  if (!wire.admin_state_up) return 'It was disabled in the cloud'
  if (told.status === 'ERROR')
    return wire.status === 'ERROR'
      ? 'The cloud could not set up the connection and gives no reason'
      : `The cloud reports the status “${wire.status}” without a reason`
  return stuckConnectionReason(told, now)
}
