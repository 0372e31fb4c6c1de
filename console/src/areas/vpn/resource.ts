import { connectionKind, ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import { resource } from '../../nav/resource'

export const vpnResource = resource({
  kind: connectionKind,
  calls: ipsecSiteConnections,
  area: 'vpn',
  words: 'ipsecSiteConnections',
  path: 'compute/vpn',
  menu: { in: 'network.access', icon: 'VpnIcon', label: 'menu.vpn' },
})

export const vpnTabs = ['overview', 'endpoint-groups', 'events'] as const
export type VpnTab = (typeof vpnTabs)[number]
