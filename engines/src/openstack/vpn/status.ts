import { isPending, vpnStatuses, type VpnStatus } from '@mainstay/contract/vpn/connection-status'
import { oneOf } from './policies'

/* Statuses as the network service tells them: without a reason, and without a time. */

/** What the cloud has not finished for so long counts as stuck: its agents look every minute at the least. */
const PATIENCE_MS = 10 * 60_000

export const statusOf = (wire: string): VpnStatus => oneOf(vpnStatuses, wire) ?? 'ERROR'

interface Told {
  status: VpnStatus
  status_changed_at: string | null
}

/**
 * Since when a status is what it is, as far as it was seen to become so: of a row that is new to us, the cloud is known to
 * be at work on it from now on.
 */
export function changedAt(status: VpnStatus, known: Told | undefined, now: number): string | null {
  if (known?.status === status) return known.status_changed_at
  return known || isPending(status) ? new Date(now).toISOString() : null
}

/** Said of what the cloud has not finished for too long; null where it goes on. */
export function stuckConnectionReason({ status, status_changed_at: since }: Told, now: number): string | null {
  if (!isPending(status) || since === null || now - Date.parse(since) < PATIENCE_MS) return null
  return (
    `The cloud has not finished this (${status}), which was seen to begin on ${since.slice(0, 16).replace('T', ' ')} UTC: an ` +
    'operator of the cloud has to look at its VPN agents. It can be deleted'
  )
}

/** Why a status is not ACTIVE, in the words that there are for it. */
export function reasonOf(told: Told, wire: { status: string; admin_state_up: boolean }, now: number): string | null {
  if (!wire.admin_state_up) return 'It is switched off in the cloud, where it was made so'
  if (told.status === 'ERROR')
    return wire.status === 'ERROR'
      ? 'The cloud could not set it up, and does not say why'
      : `The cloud says “${wire.status}”, and not why`
  return stuckConnectionReason(told, now)
}
