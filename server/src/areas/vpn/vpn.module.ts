import { resources } from '@mainstay/contract/resources'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { peerConfigurationOf } from '@mainstay/contract/vpn/peer-configuration'
import { ikePolicyKind, ipsecPolicyKind, type IkePolicy, type IpsecPolicy } from '@mainstay/contract/vpn/policies'
import { vpnOverview } from '@mainstay/contract/vpn/vpn-capabilities'
import { serve } from '../../http/serve'
import { servePlain, serveResource } from '../../http/serve-resource'
import { module } from '../../module'

const { ipsecSiteConnections } = resources

const connectionRoutes = serveResource(ipsecSiteConnections, ({ ports }) => ports.vpn.ipsecSiteConnections, {
  put: ({ scope, params, body }, { ports }) => ports.vpn.ipsecSiteConnections.update(scope, params.id, body),
  restart: ({ scope, params }, { ports }) => ports.vpn.ipsecSiteConnections.restart(scope, params.id),
  diagnosis: ({ scope, params }, { ports }) => ports.vpn.ipsecSiteConnections.diagnosis(scope, params.id),
  stats: ({ scope, params }, { ports }) => ports.vpn.ipsecSiteConnections.stats(scope, params.id),
  peerConfiguration: async ({ scope, params }, { inventory }) => {
    const here = await inventory.view<IpsecSiteConnection>(ipsecSiteConnections.kind, scope, params.id)
    const [ike, ipsec] = await Promise.all([
      inventory.view<IkePolicy>(ikePolicyKind, scope, here.ikepolicy_id),
      inventory.view<IpsecPolicy>(ipsecPolicyKind, scope, here.ipsecpolicy_id),
    ])
    return peerConfigurationOf({ ...here, ike, ipsec })
  },
})

const overviewRoutes = serve(vpnOverview, {
  view: async (_, { areas, ports, capabilities }) => {
    const { engine, advice } = areas.vpn
    return { capabilities: capabilities.vpn, unavailable: engine ? ports.vpn.unavailable() : advice }
  },
})

export const vpnModule = module({
  routes: [servePlain('vpn', ({ ports }) => ports.vpn), connectionRoutes, overviewRoutes],
})
