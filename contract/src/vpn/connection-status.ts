import * as z from 'zod'

/**
 * Statuses of a connection (S2§4). ACTIVE: the tunnel is up. DOWN: it is configured, but the negotiation with the peer
 * failed or is incomplete.
 */
export const vpnStatuses = [
  'ACTIVE',
  'DOWN',
  'BUILD',
  'ERROR',
  'PENDING_CREATE',
  'PENDING_UPDATE',
  'PENDING_DELETE',
] as const
export type VpnStatus = (typeof vpnStatuses)[number]

/** Whether the connection is being created, changed or deleted. */
export const isPending = (status: VpnStatus): boolean => status === 'BUILD' || status.startsWith('PENDING_')

/**
 * Parts of the negotiation, in the order in which they are checked. `router`: requirements on this side. `address`: the
 * peer responds. `proposal`: algorithms in either phase. `identity`: the peer's ID. `key`: the pre-shared key.
 * `selectors`: the ranges on both sides.
 */
export const tunnelParts = ['router', 'address', 'proposal', 'identity', 'key', 'selectors'] as const
export type TunnelPart = (typeof tunnelParts)[number]

/** `good`: the check passed. `failed`: the cause of the failure. `unknown`: not reached. */
export const checkStates = ['good', 'failed', 'unknown'] as const

/** Diagnosis of a tunnel. */
export const VpnDiagnosis = z.object({
  status: z.enum(vpnStatuses),
  /** The part that fails; null if none does, or if it is not known yet. */
  cause: z.enum(tunnelParts).nullable(),
  /** Message for users; null if there is none. */
  reason: z.string().nullable(),
  /** Time of the last status change. */
  since: z.string().nullable(),
  checks: z.array(z.object({ part: z.enum(tunnelParts), state: z.enum(checkStates), detail: z.string().nullable() })),
  /** Last log lines of the local daemon for the connection, newest last. They never contain secrets. */
  log: z.array(z.object({ at: z.string(), text: z.string() })),
})
export type VpnDiagnosis = z.infer<typeof VpnDiagnosis>
