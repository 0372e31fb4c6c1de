import { problem } from '@mainstay/contract/core/problems'
import type { Router } from '@mainstay/contract/networking/routers'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { endpointGroupKind, type VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { vpnServiceKind } from '@mainstay/contract/vpn/vpn-services'
import type { RecordsTransaction } from '../../ports/records'
import { namesOf } from './rows'

/* VPN connections that prevent changes to routers and networks. */

const connections = connectionKind.name

export const connectionsOf = (tx: RecordsTransaction, routerId: string): Promise<IpsecSiteConnection[]> =>
  tx.find<IpsecSiteConnection>(connections, { router_id: routerId })

export const usersTold = (some: readonly IpsecSiteConnection[]) =>
  some.map(({ id, name }) => ({ kind: connections, id, name }))

/** Throws `router_in_use` if VPN connections depend on the router and its gateway. Routing must be locked. */
export async function refuseWhileTunnelled(tx: RecordsTransaction, { id }: Pick<Router, 'id'>): Promise<void> {
  const users = await connectionsOf(tx, id)
  if (users.length === 0) return
  throw problem(
    'vpn.router_has_connections',
    { names: namesOf(users.map((it) => it.name)) },
    { data: { used_by: usersTold(users) } },
  )
}

/** Returns the VPN connections with one of these subnets on their local side. */
export async function tunnelsOfSubnets(
  tx: RecordsTransaction,
  subnetIds: readonly string[],
): Promise<IpsecSiteConnection[]> {
  const found = new Map<string, IpsecSiteConnection>()
  for (const id of subnetIds)
    for (const group of await tx.find<VpnEndpointGroup>(endpointGroupKind.name, { endpoints: { has: id } }))
      for (const connection of await tx.find<IpsecSiteConnection>(connections, { local_ep_group_id: group.id }))
        found.set(connection.id, connection)
  return [...found.values()]
}

/** Copies a router's name to its VPN connections and services. */
export async function renameRouterOfTunnels(tx: RecordsTransaction, { id, name }: Router): Promise<void> {
  for (const row of await connectionsOf(tx, id)) {
    const connection = await tx.lock<IpsecSiteConnection>(connections, row.id)
    if (connection) await tx.put(connections, { ...connection, router_name: name })
  }
  for (const service of await tx.find<{ id: string }>(vpnServiceKind.name, { router_id: id }))
    await tx.put(vpnServiceKind.name, { ...service, router_name: name })
}
