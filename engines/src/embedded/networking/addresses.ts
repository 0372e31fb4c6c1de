import {
  addressText,
  isInRange,
  parseAddress,
  parseRange,
  slaacAddress,
  usable,
} from '@mainstay/contract/networking/addresses'
import type { FloatingIp } from '@mainstay/contract/networking/floating-ips'
import type { Network } from '@mainstay/contract/networking/networks'
import type { Port } from '@mainstay/contract/networking/ports'
import type { Subnet } from '@mainstay/contract/networking/subnets'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '../../ports/records'
import { portsOf } from './rows'

/*
 * Address allocation. Each allocated address is a private record of its network, so that no address is allocated twice.
 * Callers must have locked the network.
 */

export type FixedIp = Port['fixed_ips'][number]
export interface AskedAddress {
  ip_address: string
  subnet_id?: string | undefined
}
/** A specific address, or any free address in a subnet. */
export type WantedAddress = AskedAddress | { subnet_id: string; ip_address?: undefined }
/** A port or a floating IP. */
export type Holder = { port_id: string } | { floating_ip_id: string }

const keyOf = (networkId: string, address: string) => `${networkId}/${address}`
const plain = (address: string): string => addressText(parseAddress(address)!)

export const holderOf = (tx: RecordsTransaction, networkId: string, address: string): Promise<Holder | null> =>
  tx.getPrivate<Holder>('address', keyOf(networkId, plain(address)))

/** Releases addresses. Idempotent. */
export async function giveBack(tx: RecordsTransaction, networkId: string, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) await tx.removePrivate('address', keyOf(networkId, plain(address)))
}

/** Whether guests in a subnet generate their own addresses (SLAAC). */
export const makesOwnAddresses = ({ ipv6_address_mode }: Pick<Subnet, 'ipv6_address_mode'>): boolean =>
  ipv6_address_mode === 'slaac' || ipv6_address_mode === 'dhcpv6-stateless'

interface Taking {
  network: Network
  holder: Holder
  /** Field of the draft on which errors are reported. */
  field: string
  /** Whether the gateway address may be taken. */
  isRouter?: boolean
}

/**
 * Allocates a specific address. Throws a `validation` error if it is in no subnet, or `ip_address_in_use` if it is
 * taken.
 */
export async function takeAddress(
  tx: RecordsTransaction,
  asked: AskedAddress,
  { network, holder, field, isRouter = false }: Taking,
): Promise<FixedIp> {
  const { subnets } = network
  const address = parseAddress(asked.ip_address)
  const subnet = subnets.find(
    ({ id, cidr }) =>
      (asked.subnet_id === undefined || asked.subnet_id === id) &&
      address !== null &&
      isInRange(address, parseRange(cidr)!),
  )
  const range = subnet ? parseRange(subnet.cidr)! : null
  if (!address || !subnet || !range || address.value < usable(range).first || address.value > usable(range).last) {
    const ranges = subnets.map(({ cidr }) => cidr).join(' or ')
    throw fieldProblem(field, 'networking.use_address_of', { range: ranges || 'a subnet of the network' })
  }
  const text = addressText(address)
  const isKept = !isRouter && text === subnet.gateway_ip
  if (isKept || (await holderOf(tx, network.id, text)) !== null) throw fieldProblem(field, 'networking.ip_in_use')
  await tx.putPrivate('address', keyOf(network.id, text), holder)
  return { subnet_id: subnet.id, ip_address: text }
}

/** Number of addresses to check one by one before all allocated addresses are loaded. */
const triesBeforeAll = 64n

/**
 * Allocates the next free address after the last one allocated, cycling through the pools. Throws `no_free_addresses`
 * if the pools are used up.
 */
export async function takeFreeAddress(
  tx: RecordsTransaction,
  subnet: Subnet,
  { network, holder, field }: Taking,
): Promise<FixedIp> {
  const pools = subnet.allocation_pools.map(({ start, end }) => ({
    start: parseAddress(start)!.value,
    end: parseAddress(end)!.value,
  }))
  const size = pools.reduce((sum, { start, end }) => sum + end - start + 1n, 0n)
  const from = BigInt((await tx.getPrivate<{ next: string | number }>('subnet', subnet.id))?.next ?? 0)
  const textAt = (place: bigint) =>
    addressText({ version: subnet.ip_version, value: nthOf(pools, (from + place) % size) })
  const take = async (place: bigint): Promise<FixedIp> => {
    const address = textAt(place)
    await tx.putPrivate('address', keyOf(network.id, address), holder)
    await tx.putPrivate('subnet', subnet.id, { next: String((from + place + 1n) % size) })
    return { subnet_id: subnet.id, ip_address: address }
  }
  const isFree = async (place: bigint) =>
    textAt(place) !== subnet.gateway_ip && (await holderOf(tx, network.id, textAt(place))) === null

  for (let place = 0n; place < size && place < triesBeforeAll; place++) if (await isFree(place)) return take(place)
  const taken = await takenIn(tx, network.id)
  for (let place = triesBeforeAll; place < size; place++)
    if (!taken.has(textAt(place)) && (await isFree(place))) return take(place)
  throw fieldProblem(field, 'networking.no_free_address_in', { name: network.name, cidr: subnet.cidr })
}

async function takenIn(tx: RecordsTransaction, networkId: string): Promise<Set<string>> {
  const ports = await portsOf(tx, networkId)
  const floating = await tx.find<FloatingIp>('floating_ip', { floating_network_id: networkId })
  return new Set([
    ...ports.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address)),
    ...floating.map(({ floating_ip_address }) => floating_ip_address),
  ])
}

function nthOf(pools: readonly { start: bigint; end: bigint }[], place: bigint): bigint {
  let left = place
  for (const { start, end } of pools) {
    if (left <= end - start) return start + left
    left -= end - start + 1n
  }
  throw new Error('the position is outside the allocation pools')
}

/**
 * Allocates the address that a guest derives from its MAC address, so that it is not assigned to others. Returns null
 * if it is already taken.
 */
async function takeOwnAddress(
  tx: RecordsTransaction,
  subnet: Subnet,
  mac: string,
  { network, holder }: Taking,
): Promise<FixedIp | null> {
  const address = slaacAddress(parseRange(subnet.cidr)!, mac)
  if ((await holderOf(tx, network.id, address)) !== null) return null
  await tx.putPrivate('address', keyOf(network.id, address), holder)
  return { subnet_id: subnet.id, ip_address: address }
}

/**
 * Allocates the addresses of a port: the requested ones, or one per subnet by default. In SLAAC subnets, the address
 * derived from the MAC address is always included, and no other address may be requested.
 */
export async function takeAddresses(
  tx: RecordsTransaction,
  asked: readonly WantedAddress[] | null,
  mac: string,
  taking: Taking & { askedField: string },
): Promise<FixedIp[]> {
  const { network, field, askedField } = taking
  const taken: FixedIp[] = []
  const bySelf = network.subnets.filter(makesOwnAddresses)
  const own = new Map(bySelf.map((subnet) => [slaacAddress(parseRange(subnet.cidr)!, mac), subnet.id]))
  for (const it of asked ?? []) {
    if (it.ip_address === undefined) {
      const subnet = network.subnets.find(({ id }) => id === it.subnet_id)
      if (subnet) taken.push(await takeFreeAddress(tx, subnet, { ...taking, field }))
      continue
    }
    const address = parseAddress(it.ip_address)
    if (address && own.has(addressText(address))) continue
    const subnet = address && bySelf.find(({ cidr }) => isInRange(address, parseRange(cidr)!))
    if (subnet) throw fieldProblem(askedField, 'networking.slaac_addresses', { cidr: subnet.cidr })
    taken.push(await takeAddress(tx, it, { ...taking, field: askedField }))
  }
  for (const subnet of bySelf) {
    const made = await takeOwnAddress(tx, subnet, mac, taking)
    if (made) taken.push(made)
  }
  if (asked === null) {
    for (const subnet of network.subnets.filter((it) => !makesOwnAddresses(it)))
      taken.push(await takeFreeAddress(tx, subnet, { ...taking, field }))
  }
  const version = ({ subnet_id }: FixedIp) => network.subnets.find(({ id }) => id === subnet_id)?.ip_version ?? 4
  return taken.toSorted((one, other) => version(one) - version(other))
}
