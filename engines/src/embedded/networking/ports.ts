import { randomBytes, randomUUID } from 'node:crypto'
import type { Instance, InstanceDraft, InstanceInterface } from '@mainstay/contract/compute/instances'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { parseRange, rangeText, versionOf } from '@mainstay/contract/networking/addresses'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { GuestLink } from '../../networking/guest-config'
import type { RecordsTransaction } from '../../ports/records'
import type { ProjectScope } from '../../ports/scope'
import { giveBack, takeAddresses, type WantedAddress } from './addresses'
import { countPorts, protectionOf, type Protection } from './groups-of-ports'
import { hasNat, lockRouting, now, ownerOf, requireNetworks, usableNetwork, type Carried, type Owner } from './rows'

export type NetworkDraft = InstanceDraft['networks'][number]

/** The properties of a port to create. */
export interface NewPort extends Partial<Pick<Port, 'name' | 'description' | 'admin_state_up' | 'tags' | 'status'>> {
  network: Network
  owner: Owner
  device: { id: string; owner: string; name: string }
  /** Host name, for ports of instances. */
  hostName?: string
  /** Null: allocate one per subnet. */
  addresses: readonly WantedAddress[] | null
  mac: string | null
  protection: Protection
  isRouter?: boolean
  id?: string
}

/** Fields on which errors are reported. */
interface Fields {
  network: string
  addresses: string
  mac: string
}

/** Creates a port with unique addresses and a unique MAC address. Its network must be locked. */
export async function putPort(tx: RecordsTransaction, port: NewPort, fields: Fields): Promise<Port> {
  const { network, device, protection, isRouter = false, id = randomUUID() } = port
  const mac = port.mac ?? (await freeMac(tx))
  if (await tx.getPrivate('mac', mac)) throw fieldProblem(fields.mac, 'networking.mac_taken')
  await tx.putPrivate('mac', mac, { port_id: id })
  const fixed_ips = await takeAddresses(tx, port.addresses, mac, {
    ...{ network, holder: { port_id: id }, isRouter },
    ...{ field: fields.network, askedField: fields.addresses },
  })
  const at = now()
  const row: Port = {
    id,
    name: port.name ?? '',
    description: port.description ?? '',
    network_id: network.id,
    network_name: network.name,
    status: port.status ?? 'DOWN',
    admin_state_up: port.admin_state_up ?? true,
    mac_address: mac,
    fixed_ips,
    device_id: device.id,
    device_owner: device.owner,
    device_name: device.name,
    ...(port.hostName !== undefined && { dns_name: await freeDnsName(tx, network.id, port.hostName, id) }),
    'binding:vnic_type': 'normal',
    'binding:host_id': null,
    ...protection,
    floating_ips: [],
    tags: port.tags ?? [],
    ...ownerOf(port.owner),
    created_at: at,
    updated_at: at,
  }
  await tx.put('port', row)
  await countPorts(tx, [], protection.security_groups)
  return row
}

/** Ports of routers and services are not filtered by security groups. */
export const unprotected: Protection = { spoofing_protection: false, security_groups: [] }

export async function changePort(tx: RecordsTransaction, port: Port, change: Partial<Port>): Promise<Port> {
  const changed: Port = { ...port, ...change, updated_at: now() }
  if (change.security_groups) await countPorts(tx, port.security_groups, change.security_groups)
  await tx.put('port', changed)
  return changed
}

/** Deletes a port, releases its addresses and MAC address, and unassigns its floating IPs. Idempotent. */
export async function releasePort(tx: RecordsTransaction, portId: string): Promise<void> {
  const found = await tx.get<Port>('port', portId)
  if (!found) return
  if (found.floating_ips.length > 0) await lockRouting(tx)
  const port = await tx.lock<Port>('port', portId)
  if (!port) return
  for (const id of port.floating_ips) {
    const floating = await tx.lock<FloatingIp>('floating_ip', id)
    if (floating) await tx.put('floating_ip', unassigned(floating))
  }
  await giveBack(
    tx,
    port.network_id,
    port.fixed_ips.map(({ ip_address }) => ip_address),
  )
  await tx.removePrivate('mac', port.mac_address)
  await countPorts(tx, port.security_groups, [])
  await tx.remove('port', portId)
}

/** Returns the same floating IP, without a port. */
export const unassigned = (floating: FloatingIp): FloatingIp => ({
  ...floating,
  ...{ port_id: null, fixed_ip_address: null, router_id: null, attachment: null, attached_to: null },
  ...{ status: 'DOWN', fault: null, updated_at: now() },
  ...(floating.published_ports && {
    published_ports: floating.published_ports.map((it) => ({ ...it, fault: 'The floating IP is not assigned' })),
  }),
})

/** Returns an instance's network interface, as shown by the API. */
export const cardOf = (port: Port): InstanceInterface => ({
  id: port.id,
  port_id: port.id,
  network_id: port.network_id,
  network_name: port.network_name,
  mac_addr: port.mac_address,
  fixed_ips: port.fixed_ips,
  spoofing_protection: port.spoofing_protection,
  security_groups: port.security_groups,
})

/** Returns the ports and networks of an instance, which determine how its guest is configured. */
export async function linksOf(
  tx: RecordsTransaction,
  { network_data }: Pick<Instance, 'network_data'>,
): Promise<GuestLink[]> {
  const links: GuestLink[] = []
  for (const { port_id } of network_data) {
    const port = await tx.get<Port>('port', port_id)
    const network = port && (await tx.get<Network>('network', port.network_id))
    if (port && network) links.push({ port, network })
  }
  return links
}

/** Address range for an interface without an IPv4 address. */
const anyRange = '10.0.2.0/24'

/** Returns the network interface, as passed to the hypervisor. */
export const nicOf = ({ id, mac_addr, fixed_ips }: InstanceInterface, network: Network | null) => {
  const ip = fixed_ips.find(({ ip_address }) => versionOf(ip_address) === 4)
  const cidr = network?.subnets.find((subnet) => subnet.id === ip?.subnet_id)?.cidr
  return {
    id,
    mac: mac_addr,
    address: ip?.ip_address ?? null,
    cidr: cidr ? rangeText(parseRange(cidr)!) : anyRange,
    connected: true,
  }
}

/** A network interface of an instance, and its network. */
export interface Card {
  shown: InstanceInterface
  network: Network
}

/** The instance to which an interface is attached. */
export interface CardHolder extends Pick<Instance, 'id' | 'name'> {
  /** Host name inside the guest. */
  hostName: string
}

/** Returns the host name, or an empty string if another port in the network has it. The network must be locked. */
export async function freeDnsName(
  tx: RecordsTransaction,
  network_id: string,
  hostName: string,
  portId: string,
): Promise<string> {
  const named = await tx.find<Port>('port', { network_id, dns_name: hostName }, 2)
  return named.some(({ id }) => id !== portId) ? '' : hostName
}

/**
 * Creates a network interface for an instance, with unique addresses and a unique MAC address, either generated or as
 * requested. `at` is the path of the draft in the request (`networks.0.`), for fields in errors.
 */
export async function allocatePort(
  engine: Carried,
  tx: RecordsTransaction,
  scope: ProjectScope,
  draft: NetworkDraft,
  server: CardHolder,
  at: string,
): Promise<Card> {
  const network = await usableNetwork(tx, scope, draft.id, { action: 'direct', field: `${at}id` })
  if (!hasNat(network)) requireNetworks(engine, `${at}id`)
  await tx.exclusive(`network:${network.id}`)
  const before = { spoofing_protection: network.spoofing_protection, security_groups: [] }
  // an empty list from a client means the default group
  const { security_groups: named = [], ...rest } = draft
  const chosen = named.length === 0 ? rest : draft
  const port = await putPort(
    tx,
    {
      network,
      owner: scope,
      device: { id: server.id, owner: deviceOwners.instance, name: server.name },
      hostName: server.hostName,
      addresses: draft.fixed_ips.length > 0 ? draft.fixed_ips : null,
      mac: draft.mac,
      protection: await protectionOf(tx, { scope, network, owner: scope }, chosen, before, at),
    },
    { network: `${at}id`, addresses: `${at}fixed_ips`, mac: `${at}mac` },
  )
  return { shown: cardOf(port), network }
}

async function freeMac(tx: RecordsTransaction): Promise<string> {
  for (;;) {
    const mac = `52:54:00:${[...randomBytes(3)].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`
    if (!(await tx.getPrivate('mac', mac))) return mac
  }
}
