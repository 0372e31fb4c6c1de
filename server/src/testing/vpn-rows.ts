import type { Router } from '@mainstay/contract/networking/routers'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'

/* VPN connection rows for specs, as reported by an engine. */

type Owner = Pick<IpsecSiteConnection, 'project_id' | 'domain_id'>
const time = '2026-01-01T00:00:00.000Z'

/** An established connection on a router, between the address ranges of both sides. */
export const connectionRow = (
  { project_id, domain_id }: Owner,
  id: string,
  { id: router_id, name: router_name, external_gateway_info: gateway }: Router,
  [local_subnets, remote_subnets]: [local: string[], remote: string[]],
  change: Partial<IpsecSiteConnection> = {},
): IpsecSiteConnection => ({
  ...{ id, name: id, description: '', status: 'ACTIVE', reason: null, status_changed_at: time, project_id, domain_id },
  ...{ peer_address: '192.0.2.99', peer_id: '192.0.2.99', local_id: null, initiator: 'bi-directional' },
  dpd: { action: 'hold', interval: 30, timeout: 120 },
  ...{ split_selector: false, ikepolicy_id: `${id}-ike`, ipsecpolicy_id: `${id}-ipsec`, ike_version: 'v2' },
  ...{ local_ep_group_id: `${id}-local`, peer_ep_group_id: `${id}-peer`, vpnservice_id: `${id}-service` },
  ...{ router_id, router_name, local_subnets, remote_subnets },
  local_address: gateway?.external_fixed_ips[0]?.ip_address ?? null,
  ...{ created_at: time, updated_at: time, ...change },
})
