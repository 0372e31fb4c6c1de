import { quota } from '../compute/quotas'
import { area, capabilities } from '../core/area'
import { connectionKind, ipsecSiteConnections } from './connections'
import { endpointGroupKind, endpointGroups } from './endpoint-groups'
import { ikePolicies, ikePolicyKind, ipsecPolicies, ipsecPolicyKind } from './policies'
import { vpnTolerances } from './tolerances'
import { VpnCapabilities, vpnOverview } from './vpn-capabilities'
import { vpnServiceKind, vpnServices } from './vpn-services'

export const vpnArea = area({
  name: 'vpn',
  title: 'VPN connections',
  engine: {
    needs: ['networking'],
    capabilities: capabilities(VpnCapabilities, {
      connections: false,
      split_selector: false,
      diagnosis: false,
      stats: false,
      restart: false,
      ike_versions: [],
      encryption_algorithms: [],
      auth_algorithms: [],
      groups: [],
      modes: [],
      dpd_actions: [],
    }),
    quotas: {
      ipsec_site_connection: quota({
        of: 'ipsec_site_connection',
        unit: 'things',
        at: 'network.ipsec_site_connection',
        words: 'VPN connections',
      }),
    },
  },
  resources: {
    ikePolicies: { kind: ikePolicyKind, calls: ikePolicies },
    ipsecPolicies: { kind: ipsecPolicyKind, calls: ipsecPolicies },
    endpointGroups: { kind: endpointGroupKind, calls: endpointGroups },
    vpnServices: { kind: vpnServiceKind, calls: vpnServices },
    ipsecSiteConnections: { kind: connectionKind, calls: ipsecSiteConnections },
    vpnOverview: { calls: vpnOverview },
  },
  tolerances: vpnTolerances,
})
