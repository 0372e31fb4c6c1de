import {
  booleans,
  inside,
  lowerCase,
  nullsIgnored,
  numbers,
  type CallTolerances,
  type Rewrite,
} from '../core/tolerance'
import { ipsecSiteConnections } from './connections'
import { ikePolicies, ipsecPolicies } from './policies'

/** Endpoint groups that are created together with a connection have no ID yet. */
const groupsOfVpn = ['local_ep_group', 'peer_ep_group'].map((group) => inside(group, nullsIgnored('id')))
const connectionOfVpn = inside(
  'ipsec_site_connection',
  booleans('split_selector'),
  lowerCase('initiator'),
  inside('dpd', numbers('interval', 'timeout')),
)
const policyOfVpn: readonly Rewrite[] = [inside('lifetime', numbers('value'))]

export const vpnTolerances: CallTolerances = [
  [
    ipsecSiteConnections.create,
    {
      body: [
        ...groupsOfVpn,
        connectionOfVpn,
        inside('ikepolicy', ...policyOfVpn),
        inside('ipsecpolicy', ...policyOfVpn),
      ],
    },
  ],
  ...[ipsecSiteConnections.update, ipsecSiteConnections.put].map(
    (call) => [call, { body: [...groupsOfVpn, connectionOfVpn] }] as const,
  ),
  ...[ikePolicies.create, ipsecPolicies.create].map((call) => [call, { body: policyOfVpn }] as const),
]
