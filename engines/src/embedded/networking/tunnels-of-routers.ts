import { problem } from '@mainstay/contract/core/problems'
import type { Router } from '@mainstay/contract/networking/routers'
import { connectionKind, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { endpointGroupKind, type VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import { vpnServiceKind } from '@mainstay/contract/vpn/vpn-services'
import type { RecordsTransaction } from '../../ports/records'
import { namesOf } from './rows'

/* What routers and their networks ask about VPN connections before they change. */

const connections = connectionKind.name

/** The connections of a router. */
export const connectionsOf = (tx: RecordsTransaction, routerId: string): Promise<IpsecSiteConnection[]> =>
  tx.find<IpsecSiteConnection>(connections, { router_id: routerId })

export const usersTold = (some: readonly IpsecSiteConnection[]) =>
  some.map(({ id, name }) => ({ kind: connections, id, name }))

/** Throws `router_in_use` where connections need the router and its gateway. Routing is locked. */
export async function refuseWhileTunnelled(tx: RecordsTransaction, { id }: Pick<Router, 'id'>): Promise<void> {
  const users = await connectionsOf(tx, id)
  if (users.length === 0) return
  throw problem(
    'vpn.router_has_connections',
    { names: namesOf(users.map((it) => it.name)) },
    { data: { used_by: usersTold(users) } },
  )
}

/** Connections whose own side has one of these subnets. */
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

/** Rows name the router that they go through. */
export async function renameRouterOfTunnels(tx: RecordsTransaction, { id, name }: Router): Promise<void> {
  for (const row of await connectionsOf(tx, id)) {
    const connection = await tx.lock<IpsecSiteConnection>(connections, row.id)
    if (connection) await tx.put(connections, { ...connection, router_name: name })
  }
  for (const service of await tx.find<{ id: string }>(vpnServiceKind.name, { router_id: id }))
    await tx.put(vpnServiceKind.name, { ...service, router_name: name })
}
