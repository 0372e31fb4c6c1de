import type { Instance, InstanceInterface } from '@mainstay/contract/compute/instances'
import { Problem } from '@mainstay/contract/core/problems'
import { mayUseNetwork } from '@mainstay/contract/networking/access'
import { isInRange, parseAddress, parseRange } from '@mainstay/contract/networking/addresses'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import { deviceOwners, type Port } from '@mainstay/contract/networking/ports'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import type { LeftOut, Restored } from '@mainstay/contract/storage/recycle-bin'
import type { RecordsTransaction } from '../../../ports/records'
import { getPlan } from '../../rows/instance-plan'
import { holderOf, makesOwnAddresses, type WantedAddress } from '../../networking/addresses'
import { leadingTo } from '../../networking/floating-ips'
import { defaultGroup } from '../../networking/groups-of-ports'
import { releaseCard, takeFreePort } from '../../networking/kept-ports'
import { cardOf, putPort, type Card } from '../../networking/ports'
import { published } from '../../networking/published-ports'
import { lockNetworks, lockRouting } from '../../networking/rows'
import type { FormerFloatingIp, RecycledMachine } from './items'

/** Releases the ports of a machine, with their addresses, and returns the floating IPs that were assigned to them. */
export async function releaseCards(tx: RecordsTransaction, { network_data }: Instance): Promise<FormerFloatingIp[]> {
  const former: FormerFloatingIp[] = []
  for (const { port_id } of network_data) {
    const port = await tx.get<Port>('port', port_id)
    for (const id of port?.floating_ips ?? []) {
      const floating = await tx.get<FloatingIp>('floating_ip', id)
      if (!floating) continue
      const { floating_ip_address: address, fixed_ip_address } = floating
      former.push({ id, address, port_id, fixed_ip_address })
    }
    await releaseCard(tx, port_id)
  }
  return former
}

/**
 * Where a restored machine's network interface comes from: its former port, a new port in the same network, or nowhere
 * (null).
 */
type Source = { port: Port; network: Network } | { port: null; network: Network; id: string | undefined } | null

async function sourceOf(tx: RecordsTransaction, instance: Instance, card: InstanceInterface): Promise<Source> {
  const { id, project_id, domain_id } = instance
  const network = await tx.get<Network>('network', card.network_id)
  if (!network) return null
  const port = await tx.get<Port>('port', card.port_id)
  const isFree = port?.device_id === '' && port.device_owner === ''
  if (port?.project_id === project_id && (isFree || port.device_id === id)) return { port, network }
  if (!mayUseNetwork({ kind: 'project', project_id, domain_id }, network, 'direct')) return null
  return { port: null, network, id: port ? undefined : card.port_id }
}

/** Returns the number of ports that restoring a machine creates. */
export async function portsToCreate(tx: RecordsTransaction, instance: Instance): Promise<number> {
  const sources = await Promise.all(instance.network_data.map((card) => sourceOf(tx, instance, card)))
  return sources.filter((source) => source?.port === null).length
}

/** The network interfaces of a restored machine, and how they differ from the former ones. */
export interface RestoredCards extends Pick<Restored, 'new_addresses'> {
  cards: Card[]
  leftOut: LeftOut[]
}

/** Locks the networks of a machine that is being restored, in the common lock order. */
export async function lockCards(
  tx: RecordsTransaction,
  { instance, floatingIps = [] }: Pick<RecycledMachine, 'instance' | 'floatingIps'>,
): Promise<void> {
  if (floatingIps.length > 0) await lockRouting(tx)
  await lockNetworks(
    tx,
    instance.network_data.map(({ network_id }) => network_id),
  )
}

/** Restores the network interfaces of a machine. Throws `no_free_addresses` if a network is full. */
export async function takeCards(
  tx: RecordsTransaction,
  recycled: Pick<RecycledMachine, 'instance' | 'floatingIps'>,
): Promise<RestoredCards> {
  const { instance, floatingIps = [] } = recycled
  const { id, name } = instance
  const holder = { id, name, hostName: (await getPlan(tx, id)).hostname }
  await lockCards(tx, recycled)
  const restored: RestoredCards = { cards: [], leftOut: [], new_addresses: [] }
  for (const before of instance.network_data) {
    const source = await sourceOf(tx, instance, before)
    if (!source) {
      restored.leftOut.push({ kind: 'network', name: before.network_name })
      continue
    }
    const port = source.port
      ? await takeFreePort(tx, source.port, holder)
      : await createPort(tx, instance, before, { ...source, hostName: holder.hostName })
    restored.cards.push({ shown: cardOf(port), network: source.network })
    const [had, has] = [addressesOf(before), addressesOf(port)]
    if (had.some((address) => !has.includes(address)))
      restored.new_addresses.push({ network: source.network.name, before: had, now: has })
    const own = floatingIps.filter(({ port_id }) => port_id === before.port_id)
    restored.leftOut.push(...(await assignAgain(tx, port, own)))
  }
  return restored
}

const addressesOf = ({ fixed_ips }: Pick<Port, 'fixed_ips'>): string[] => fixed_ips.map(({ ip_address }) => ip_address)

/** Creates a port like the former one, with the same ID, MAC address and addresses if they are free. */
async function createPort(
  tx: RecordsTransaction,
  instance: Instance,
  card: InstanceInterface,
  { network, id, hostName }: { network: Network; id: string | undefined; hostName: string },
): Promise<Port> {
  const { spoofing_protection } = card
  const port = {
    ...{ network, owner: instance, hostName, ...(id !== undefined && { id }) },
    device: { id: instance.id, owner: deviceOwners.instance, name: instance.name },
    addresses: await addressesAgain(tx, network, card),
    mac: (await tx.getPrivate('mac', card.mac_addr)) ? null : card.mac_addr,
    protection: { spoofing_protection, security_groups: spoofing_protection ? await groupsOf(tx, instance, card) : [] },
  }
  return putPort(tx, port, { network: 'network', addresses: 'addresses', mac: 'mac' })
}

/**
 * Requests the former address in each subnet, or any free one if it has been taken. Null requests one address in each
 * subnet.
 */
async function addressesAgain(
  tx: RecordsTransaction,
  network: Network,
  { fixed_ips }: InstanceInterface,
): Promise<WantedAddress[] | null> {
  const asked: WantedAddress[] = []
  for (const { subnet_id, ip_address } of fixed_ips) {
    const subnet = network.subnets.find(({ id }) => id === subnet_id)
    if (!subnet || makesOwnAddresses(subnet)) continue
    const address = parseAddress(ip_address)
    const isThere = address !== null && isInRange(address, parseRange(subnet.cidr)!)
    const isFree = isThere && ip_address !== subnet.gateway_ip && !(await holderOf(tx, network.id, ip_address))
    asked.push(isFree ? { subnet_id, ip_address } : { subnet_id })
  }
  return asked.length > 0 || fixed_ips.length === 0 ? asked : null
}

async function groupsOf(
  tx: RecordsTransaction,
  owner: Instance,
  { security_groups }: InstanceInterface,
): Promise<string[]> {
  const groups: string[] = []
  for (const id of security_groups ?? [])
    if ((await tx.get<SecurityGroup>('security_group', id))?.project_id === owner.project_id) groups.push(id)
  return groups.length > 0 ? groups : [(await defaultGroup(tx, owner)).id]
}

/** Assigns floating IPs that are still free to the port. Returns the others. */
async function assignAgain(
  tx: RecordsTransaction,
  port: Port,
  former: readonly FormerFloatingIp[],
): Promise<LeftOut[]> {
  const leftOut: LeftOut[] = []
  for (const { id, address, fixed_ip_address } of former) {
    const floating = await tx.lock<FloatingIp>('floating_ip', id)
    if (floating?.port_id === port.id) continue
    const isKept = port.fixed_ips.some(({ ip_address }) => ip_address === fixed_ip_address)
    const again =
      floating?.port_id === null ? await assigned(tx, floating, port, isKept ? fixed_ip_address : null) : null
    if (again) await tx.put('floating_ip', published(again))
    else leftOut.push({ kind: 'floating_ip', name: address })
  }
  return leftOut
}

/** Returns null if the floating IP can no longer be assigned to the port, for example because the router is gone. */
async function assigned(tx: RecordsTransaction, floating: FloatingIp, port: Port, address: string | null) {
  try {
    return await leadingTo(tx, floating, port.id, address)
  } catch (thrown) {
    if (thrown instanceof Problem) return null
    throw thrown
  }
}
