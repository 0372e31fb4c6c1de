import { bare, isInside, linkLocalOf, readCidr, toBigInt, toText, versionOf } from '../addresses'
import { bridgeOf, shortNumberOf } from '../names'
import type { WantedNetwork, WantedNetworks, WantedPort } from '../wanted'
import type { Numbers } from './numbers'
import type { CablePlan, SpacePlan } from './plan'

/*
 * IPv6 addresses that guests choose themselves: link-local addresses, and addresses in prefixes advertised for SLAAC. A
 * port may use any unassigned address in such a prefix. The rules in `switch-tables.ts` track the owner of each address
 * in the kernel.
 */

/** A /64 prefix on one switch, in which guests choose the interface ID. */
export interface Segment {
  networkId: string
  /** The upper 64 bits of its addresses. */
  prefix: bigint
  /** The segment's number in nft notation, composed of the network's zone and a number for the prefix. */
  number: string
  /** Null for link-local addresses. */
  cidr: string | null
}

const lowerHalf = (1n << 64n) - 1n
const upper = (address: string) => toBigInt(address) >> 64n
const hex = (value: bigint) => `0x${value.toString(16)}`
const linkLocal = 'fe80::'

export function segmentsOf({ id, subnets }: WantedNetwork, { zones }: Numbers): Segment[] {
  const six = subnets.filter(({ version }) => version === 6)
  if (six.length === 0) return []
  const segment = (address: string, cidr: string | null): Segment => {
    const prefix = upper(address)
    return { networkId: id, prefix, cidr, number: `${zones[id]!.toString(16)}:${shortNumberOf(`prefix ${prefix}`)}` }
  }
  const chosen = six.filter(
    ({ mode, cidr }) => (mode === 'slaac' || mode === 'dhcpv6-stateless') && readCidr(cidr).prefix === 64,
  )
  return [segment(linkLocal, null), ...chosen.map(({ cidr }) => segment(bare(cidr), cidr))]
}

/**
 * Returns the segments in which a port may choose addresses: those that contain its assigned addresses, and the
 * link-local segment if it has any IPv6 address.
 */
export const segmentsFor = ({ addresses }: WantedPort, segments: readonly Segment[]): Segment[] =>
  segments.filter(({ cidr }) =>
    addresses.some((address) => (cidr === null ? versionOf(address) === 6 : isInside(address, readCidr(cidr)))),
  )

/** Returns an element of the nft set `segments6`. */
export const segmentElement = (device: string, { prefix, number }: Segment) =>
  `"${device}" . ${hex(prefix)} : ${number}`

/**
 * Returns the elements of the nft set `assigned6`: addresses that ports must not choose, because they are assigned or
 * reserved.
 */
export function assignedElements(
  { networks, ports, routers, balancers }: WantedNetworks,
  segments: ReadonlyMap<string, readonly Segment[]>,
  { cables, spaces }: { cables: readonly CablePlan[]; spaces: readonly SpacePlan[] },
): Set<string> {
  const found = new Set<string>()
  const networkOf = new Map(networks.map(({ id }) => [bridgeOf(id), id]))
  const spaceOf = new Map(spaces.map((space) => [space.name, space]))
  const reserve = (networkId: string, addresses: readonly (string | null)[]) => {
    const its = segments.get(networkId) ?? []
    if (its.length === 0) return
    for (const address of addresses) {
      if (address === null || !address.includes(':')) continue
      const value = toBigInt(bare(address))
      const segment = its.find(({ prefix }) => prefix === value >> 64n)
      if (segment) found.add(`${segment.number} . ${hex(value & lowerHalf)}`)
    }
  }
  for (const { id, subnets } of networks) {
    // the first address of a prefix is the subnet-router anycast address
    reserve(id, [linkLocal])
    for (const { cidr, gateway, serviceAddress, nameServers, hostRoutes = [] } of subnets)
      reserve(id, [cidr, gateway, serviceAddress, ...nameServers, ...hostRoutes.map(({ nexthop }) => nexthop)])
  }
  for (const { interfaces, gateway, routes } of routers) {
    for (const { networkId } of [...interfaces, ...(gateway ? [gateway] : [])])
      reserve(
        networkId,
        routes.map(({ nexthop }) => nexthop),
      )
  }
  for (const { networkId, mac, addresses, alsoFrom = [] } of ports) {
    const pairs = alsoFrom.flatMap((pair) => [
      ...(/^[^/]+(\/128)?$/.test(pair.cidr) ? [pair.cidr] : []),
      ...(pair.mac === null ? [] : [linkLocalOf(pair.mac)]),
    ])
    reserve(networkId, [...addresses, linkLocalOf(mac), ...pairs])
  }
  for (const { networkId, address, gateway } of balancers) reserve(networkId, [address, gateway])
  // also reserve the addresses of our own interfaces on the switch
  for (const { outer, inner } of cables) {
    const networkId = networkOf.get(outer.bridge ?? '')
    if (networkId === undefined) continue
    const { addresses = [], moved = [] } = spaceOf.get(inner.space) ?? {}
    const own = [...addresses, ...moved].filter((address) => address.endsWith(` dev ${inner.name}`))
    reserve(networkId, [linkLocalOf(inner.mac), ...own.map((address) => address.split(' ')[0]!)])
  }
  return found
}

/** Matches an entry of the chosen-address map in nft output. */
const listed = /([0-9a-f]+:[0-9a-f]+) \. 0x([0-9a-f]+)(?: timeout \S+)? expires (\S+) : 0x([0-9a-f]+)/g

/** Returns the entries to keep when the map is recreated: those that do not expire within a second. */
export const keptElements = (listing: string): string[] =>
  [...listing.matchAll(listed)].flatMap(([element, , , expires = '']) =>
    /\d[dhms](?!s)/.test(expires) ? [element] : [],
  )

/** Returns the ports on each network, by the addresses that their guests chose. */
export function chosenAddresses(
  listing: string,
  { networks, ports }: WantedNetworks,
  numbers: Numbers,
): Map<string, Map<string, WantedPort>> {
  const byNumber = new Map(ports.map((port) => [numbers.ports[port.id], port]))
  const segments = new Map(networks.flatMap((one) => segmentsOf(one, numbers)).map((it) => [it.number, it]))
  const found = new Map<string, Map<string, WantedPort>>()
  for (const [, number = '', rest = '', , mark = ''] of listing.matchAll(listed)) {
    const segment = segments.get(number)
    const port = byNumber.get(Number.parseInt(mark, 16))
    if (!segment || port?.networkId !== segment.networkId) continue
    const its = found.get(segment.networkId) ?? new Map<string, WantedPort>()
    found.set(segment.networkId, its.set(toText((segment.prefix << 64n) | BigInt(`0x${rest}`), 6), port))
  }
  return found
}
