import * as z from 'zod'

/** S2§4. ACTIVE: packets pass. DOWN: it is set up, and the peer has not agreed. */
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

/** Whether it is being made, changed or deleted. */
export const isPending = (status: VpnStatus): boolean => status === 'BUILD' || status.startsWith('PENDING_')

/**
 * What two ends must agree on, in the order in which they find out. `router`: this side has what it needs. `address`: the
 * peer answers. `proposal`: algorithms, of either phase. `identity`: who the peer says to be. `key`: the secret. `selectors`:
 * the ranges at both sides.
 */
export const tunnelParts = ['router', 'address', 'proposal', 'identity', 'key', 'selectors'] as const
export type TunnelPart = (typeof tunnelParts)[number]

/** `good`: it was shown to be. `failed`: it is why there is no tunnel. `unknown`: it did not come to this. */
export const checkStates = ['good', 'failed', 'unknown'] as const

/** Why a tunnel is down. */
export const VpnDiagnosis = z.object({
  status: z.enum(vpnStatuses),
  /** Which part fails; null where nothing does, or nothing is known yet. */
  cause: z.enum(tunnelParts).nullable(),
  /** For people; null where there is nothing to say. */
  reason: z.string().nullable(),
  /** What the status is since then. */
  since: z.string().nullable(),
  checks: z.array(z.object({ part: z.enum(tunnelParts), state: z.enum(checkStates), detail: z.string().nullable() })),
  /** The last lines that this side's own daemon wrote of the connection, the newest last. Secrets are in none. */
  log: z.array(z.object({ at: z.string(), text: z.string() })),
})
export type VpnDiagnosis = z.infer<typeof VpnDiagnosis>
