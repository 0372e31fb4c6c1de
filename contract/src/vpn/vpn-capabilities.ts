import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { dpdActions, ikeVersions, vpnAuthAlgorithms, vpnEncryptionAlgorithms, vpnGroups, vpnModes } from './algorithms'

/** What the engine of VPN can do here; the console hides what it can never do. */
export const VpnCapabilities = z.object({
  connections: z.boolean(),
  split_selector: z.boolean(),
  diagnosis: z.boolean().describe('whether it tells why a tunnel is down'),
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
  /** Why there is none here, for people; null where there is. */
  unavailable: z.string().nullable(),
})
export type VpnOverview = z.infer<typeof VpnOverview>

export const vpnOverview = endpoints({
  view: {
    verb: 'GET',
    path: '/api/v2/compute/vpn/service',
    needs: read('compute_vpn_ipsec_site_connections'),
    summary: 'What VPN can do here',
    reply: VpnOverview,
  },
})
