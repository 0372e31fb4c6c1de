import { Problem } from '@mainstay/contract/core/problems'
import type { Router } from '@mainstay/contract/networking/routers'
import type { IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import type { VpnEndpointGroup } from '@mainstay/contract/vpn/endpoint-groups'
import type { RecordsTransaction } from '../../ports/records'
import { namesOf } from './rows'
import { connections, connectionsOf, endpointGroups, vpnServices } from '../vpn/rows'

/* What networks are asked for connections before they change. */

export const usersTold = (some: readonly IpsecSiteConnection[]) =>
  some.map(({ id, name }) => ({ kind: connections, id, name }))

/** Throws `router_in_use` where connections need the router and its gateway. Routing is locked. */
export async function refuseWhileTunnelled(tx: RecordsTransaction, { id }: Pick<Router, 'id'>): Promise<void> {
  const users = await connectionsOf(tx, id)
  if (users.length === 0) return
  throw new Problem('router_in_use', `VPN connections go through this router: ${namesOf(users.map((it) => it.name))}`, {
    data: { used_by: usersTold(users) },
  })
}

/** Connections whose own side has one of these subnets. */
export async function tunnelsOfSubnets(
  tx: RecordsTransaction,
  subnetIds: readonly string[],
): Promise<IpsecSiteConnection[]> {
  const found = new Map<string, IpsecSiteConnection>()
  for (const id of subnetIds)
    for (const group of await tx.find<VpnEndpointGroup>(endpointGroups, { endpoints: { has: id } }))
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
  for (const service of await tx.find<{ id: string }>(vpnServices, { router_id: id }))
    await tx.put(vpnServices, { ...service, router_name: name })
}
