import { addressText, freeRange, parseAddress, parseRange, rangeText } from '@mainstay/contract/networking/addresses'
import { mayUseNetwork } from '@mainstay/contract/networking/access'
import {
  MAX_ADDRESS_HOLDERS,
  networkKind,
  type AddressHolder,
  type AddressUse,
  type Network,
} from '@mainstay/contract/networking/networks'
import { isOfLoadBalancer } from '@mainstay/contract/networking/device-owners'
import { deviceOwners, portKind, type Port } from '@mainstay/contract/networking/ports'
import { subnetKind, type Subnet } from '@mainstay/contract/networking/subnets'
import type { Scope } from '@mainstay/engines/ports/scope'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'
import { everyRow } from '../../http/rows/every-row'

type Index = Pick<Tools, 'inventory'>

/** Maximum number of subnets in one response. */
const MOST_SUBNETS = 5000

/** Number of addresses in the allocation pools of a subnet. */
function sizeOf({ allocation_pools }: Subnet): bigint {
  return allocation_pools.reduce((sum, pool) => {
    const [start, end] = [parseAddress(pool.start), parseAddress(pool.end)]
    return start && end ? sum + end.value - start.value + 1n : sum
  }, 0n)
}

/**
 * Returns the number of used addresses and the total for each subnet. Counts ports in all projects, even if the caller
 * cannot see them.
 */
export async function addressUse(
  { inventory }: Index,
  scope: Scope,
  query: { network_id?: string | undefined },
): Promise<AddressUse[]> {
  const filters = query.network_id === undefined ? {} : { network_id: query.network_id }
  const { rows } = await everyRow<Subnet>({ inventory }, subnetKind, scope, { most: MOST_SUBNETS, ...filters })
  const counted = await inventory.facets(portKind, serverScope, { ...filters, field: 'subnet_id', limit: MOST_SUBNETS })
  const used = new Map(counted.data.map(({ value, count }) => [value, count ?? 0]))
  return rows.map((subnet) => ({
    subnet_id: subnet.id,
    network_id: subnet.network_id,
    cidr: subnet.cidr,
    ip_version: subnet.ip_version,
    total: String(sizeOf(subnet)),
    used: used.get(subnet.id) ?? 0,
  }))
}

const kindOfOwner = (port: Port): AddressHolder['kind'] => {
  const { device_owner } = port
  if (device_owner.startsWith('compute:')) return 'instance'
  if (device_owner === deviceOwners.routerInterface || device_owner === deviceOwners.routerGateway) return 'router'
  if (device_owner === deviceOwners.floatingIp) return 'floating_ip'
  if (device_owner === deviceOwners.service) return 'service'
  return isOfLoadBalancer(device_owner) ? 'load_balancer' : 'port'
}

/** Holders of a port's addresses. Ports in other projects only show that the address is in use. */
const holdersOf = (scope: Scope, port: Port): AddressHolder[] => {
  const isOwn = scope.kind === 'system' || port.project_id === scope.project_id
  return port.fixed_ips.map(({ ip_address }) =>
    isOwn
      ? {
          address: ip_address,
          kind: kindOfOwner(port),
          object_id: port.device_id || null,
          object_name: port.device_name || port.name,
          port_id: port.id,
          mac_address: port.mac_address,
          status: port.status,
          ...(scope.kind === 'system' && { project_id: port.project_id }),
        }
      : {
          ...{ address: ip_address, kind: 'port' as const, object_id: null, object_name: '' },
          ...{ port_id: null, mac_address: null, status: null },
        },
  )
}

/** Reserved addresses in a subnet: the gateway and the DNS servers. */
const reservedOf = ({ gateway_ip, dns_nameservers, cidr }: Subnet): AddressHolder[] => {
  const range = parseRange(cidr)!
  const inside = [gateway_ip, ...dns_nameservers].filter((address): address is string => {
    const at = address === null ? null : parseAddress(address)
    return at !== null && at.version === range.version && at.value >= range.first && at.value <= range.last
  })
  return [...new Set(inside)].map((address) => ({
    ...{ address, kind: 'reserved' as const, object_id: null, object_name: address === gateway_ip ? 'gateway' : 'dns' },
    ...{ port_id: null, mac_address: null, status: null },
  }))
}

const byAddress = (one: AddressHolder, other: AddressHolder): number => {
  const [a, b] = [parseAddress(one.address), parseAddress(other.address)]
  if (!a || !b) return one.address < other.address ? -1 : 1
  if (a.version !== b.version) return a.version - b.version
  return a.value < b.value ? -1 : a.value > b.value ? 1 : 0
}

/**
 * Lists the holders of all addresses in a network. If the caller's project can attach instances to the network,
 * addresses used by other projects are included, so that the caller can choose a free address. Otherwise only the
 * project's own are listed.
 */
export async function addressHolders(
  { inventory }: Index,
  scope: Scope,
  id: string,
): Promise<{ data: AddressHolder[]; truncated: boolean }> {
  const network = await inventory.view<Network>(networkKind, scope, id)
  const seen = mayUseNetwork(scope, network, 'direct') ? serverScope : scope
  const found = await everyRow<Port>({ inventory }, portKind, seen, { most: MAX_ADDRESS_HOLDERS, network_id: id })
  const held = found.rows.flatMap((port) => holdersOf(scope, port))
  const taken = new Set(held.map(({ address }) => address))
  const reserved = network.subnets.flatMap(reservedOf).filter(({ address }) => !taken.has(address))
  return { data: [...held, ...reserved].toSorted(byAddress), truncated: found.truncated }
}

/** Finds the holders of an address in networks whose ports the scope can see. */
export async function findHolder(
  { inventory }: Index,
  scope: Scope,
  address: string,
): Promise<(AddressHolder & { network_id: string; network_name: string })[]> {
  const asked = addressText(parseAddress(address)!)
  const { rows } = await everyRow<Port>({ inventory }, portKind, scope, { most: 1000, fixed_ips: `any:${asked}` })
  return rows.flatMap((port) =>
    holdersOf(scope, port)
      .filter((holder) => holder.address === asked)
      .map((holder) => ({ ...holder, network_id: port.network_id, network_name: port.network_name })),
  )
}

/** Ranges in which to look for a free range for a private network, in this order. */
const within = {
  4: ['192.168.0.0/16', '10.0.0.0/8', '172.16.0.0/12'],
  6: ['fd00::/16'],
} as const

/**
 * Returns a range of the given size that does not overlap any subnet visible to the scope, or null if there is none.
 */
export async function freeRangeFor(
  { inventory }: Index,
  scope: Scope,
  { prefix, version }: { prefix: number; version: 4 | 6 },
): Promise<string | null> {
  const { rows } = await everyRow<Subnet>({ inventory }, subnetKind, scope, { most: MOST_SUBNETS })
  const used = rows.flatMap(({ cidr }) => parseRange(cidr) ?? [])
  for (const text of within[version]) {
    const found = freeRange(parseRange(text)!, prefix, used)
    if (found) return rangeText(found)
  }
  return null
}
