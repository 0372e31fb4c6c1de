import { networksOf, type Instance } from '@mainstay/contract/compute/instances'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import { hostNameOf } from '../../networking/host-name'
import type { RecordsTransaction } from '../../ports/records'
import { getPlan } from '../rows/instance-plan'
import type { Engine } from '../engine'
import { portStatusOf } from './follow-names'
import { countPorts, defaultGroup } from './groups-of-ports'
import { cardOf, freeDnsName } from './ports'
import { lockNetworks, ownerOf } from './rows'

/*
 * Converts network interfaces that were created before ports existed. They become ports in the default group of their
 * project, and keep their addresses and MAC addresses.
 */

const DONE = 'ports of cards'

export async function adoptPorts({ records, hypervisor, log }: Engine): Promise<void> {
  const isDone = await records.transaction((tx) => tx.getPrivate('networking', DONE))
  // a simulated cloud may be very large, and its interfaces carry no traffic
  if (isDone || !hypervisor.settlesAtStart) return
  const servers = await records.transaction((tx) => tx.find<Instance>('server', {}))
  for (const { id } of servers) await records.transaction((tx) => adoptCards(tx, id))
  if (servers.length > 0) log.info({ instances: servers.length }, 'converted network interfaces to ports')
  await records.transaction((tx) => tx.putPrivate('networking', DONE, { version: 1 }))
}

const NAMED = 'names of ports'

/**
 * Assigns DNS names to the ports of instances that were created before `dns_name` existed. If names collide, the older
 * instance keeps the name.
 */
export async function adoptNames({ records, hypervisor }: Engine): Promise<void> {
  const isDone = await records.transaction((tx) => tx.getPrivate('networking', NAMED))
  if (isDone || !hypervisor.settlesAtStart) return
  const servers = await records.transaction((tx) => tx.find<Instance>('server', {}))
  for (const { id } of servers.toSorted((one, other) => (one.created < other.created ? -1 : 1)))
    await records.transaction((tx) => adoptName(tx, id))
  await records.transaction((tx) => tx.putPrivate('networking', NAMED, { version: 1 }))
}

async function adoptName(tx: RecordsTransaction, id: string): Promise<void> {
  const server = await tx.lock<Instance>('server', id)
  if (!server) return
  const { hostname } = await getPlan(tx, id)
  // reserved names that were assigned by an earlier version are not kept
  const hostName = hostNameOf(hostname, id) === hostname ? hostname : ''
  for (const { port_id } of server.network_data) {
    const port = await tx.lock<Port>('port', port_id)
    if (!port || port.dns_name !== undefined) continue
    await tx.put('port', { ...port, dns_name: await freeDnsName(tx, port.network_id, hostName, port_id) })
  }
}

async function adoptCards(tx: RecordsTransaction, id: string): Promise<void> {
  const server = await tx.lock<Instance>('server', id)
  if (!server) return
  await lockNetworks(
    tx,
    server.network_data.map(({ network_id }) => network_id),
  )
  const cards: Instance['network_data'] = []
  for (const card of server.network_data) {
    const known = await tx.get<Port>('port', card.port_id)
    cards.push(cardOf(known ?? (await portOfCard(tx, server, card))))
    await tx.removePrivate('port', card.port_id)
  }
  await tx.put('server', { ...server, network_data: cards, networks: networksOf(cards) })
}

async function portOfCard(
  tx: RecordsTransaction,
  server: Instance,
  card: Instance['network_data'][number],
): Promise<Port> {
  const group = await defaultGroup(tx, server)
  const network = await tx.get<Network>('network', card.network_id)
  const port: Port = {
    id: card.port_id,
    name: '',
    description: '',
    network_id: card.network_id,
    network_name: network?.name ?? card.network_name,
    status: portStatusOf(server),
    admin_state_up: true,
    mac_address: card.mac_addr,
    fixed_ips: card.fixed_ips,
    device_id: server.id,
    device_owner: deviceOwners.instance,
    device_name: server.name,
    'binding:vnic_type': 'normal',
    'binding:host_id': server.host ?? null,
    spoofing_protection: true,
    security_groups: [group.id],
    floating_ips: [],
    tags: [],
    ...ownerOf(server),
    created_at: server.created,
    updated_at: server.created,
  }
  await tx.put('port', port)
  await tx.putPrivate('mac', card.mac_addr, { port_id: port.id })
  for (const { ip_address } of card.fixed_ips)
    await tx.putPrivate('address', `${card.network_id}/${ip_address}`, { port_id: port.id })
  await countPorts(tx, [], port.security_groups)
  return port
}
