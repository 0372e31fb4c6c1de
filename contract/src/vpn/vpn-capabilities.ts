import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { dpdActions, ikeVersions, vpnAuthAlgorithms, vpnEncryptionAlgorithms, vpnGroups, vpnModes } from './algorithms'

/** Capabilities of the VPN engine. The console hides what the engine never supports. */
export const VpnCapabilities = z.object({
  connections: z.boolean(),
  split_selector: z.boolean(),
  diagnosis: z.boolean().describe('Whether the engine reports why a tunnel is down.'),
  stats: z.boolean(),
  restart: z.boolean(),
  ike_versions: z.array(z.enum(ikeVersions)),
  encryption_algorithms: z.array(z.enum(vpnEncryptionAlgorithms)),
  auth_algorithms: z.array(z.enum(vpnAuthAlgorithms)),
  groups: z.array(z.enum(vpnGroups)),
  modes: z.array(z.enum(vpnModes)),
  dpd_actions: z.array(z.enum(dpdActions)),
})
export type VpnCapabilities = z.infer<typeof VpnCapabilities>

export const VpnOverview = z.object({
  capabilities: VpnCapabilities,
  /** Message that tells users why VPN is not available; null if it is. */
  unavailable: z.string().nullable(),
})
export type VpnOverview = z.infer<typeof VpnOverview>

export const vpnOverview = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/vpn/service',
    needs: read('compute_vpn_ipsec_site_connections'),
    summary: 'Get the VPN capabilities',
    reply: VpnOverview,
  },
})
