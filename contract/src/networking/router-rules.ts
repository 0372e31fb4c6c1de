import { says, type RuleText } from '../core/said'
import {
  addressText,
  isInRange,
  isWithin,
  parseAddress,
  parseRange,
  rangeText,
  usable,
  type IpRange,
} from './addresses'
import { reservedForRoutes } from './reserved-ranges'
import { firstOverlap } from './subnet-rules'

/** A subnet connected to a router, with the router's addresses in it. */
export interface ConnectedSubnet {
  id: string
  network_id: string
  network_name: string
  cidr: string
  addresses: readonly string[]
}

export interface RouterFault {
  field: string
  code: 'validation' | 'overlapping_subnet' | 'nexthop_unreachable'
  message: RuleText
}

/**
 * Returns the validation error for connecting more subnets if their ranges overlap with others behind the same router,
 * or null if none do.
 */
export function overlapFault(
  added: readonly { cidr: string; network_name: string }[],
  connected: readonly ConnectedSubnet[],
  field: string,
): RouterFault | null {
  for (const { cidr } of added) {
    const clash = firstOverlap(cidr, connected)
    if (clash)
      return {
        field,
        code: 'overlapping_subnet',
        message: says('networking.subnet_overlaps', { taken: clash.cidr, network: clash.network_name, cidr }),
      }
  }
  return null
}

interface Route {
  destination: string
  nexthop: string
}

/**
 * Returns the validation errors in static routes: a next hop that is outside the connected subnets or is the router
 * itself; a destination that is listed twice, reserved or directly connected.
 *
 * @param kept - existing routes, which are exempt from the destination checks
 */
export function routeFaults(
  routes: readonly Route[],
  connected: readonly ConnectedSubnet[],
  kept: readonly Route[] = [],
): RouterFault[] {
  const faults: RouterFault[] = []
  const seen = new Set<string>()
  for (const [at, route] of routes.entries()) {
    const add = (name: 'destination' | 'nexthop', message: RuleText, code: RouterFault['code'] = 'validation') =>
      void faults.push({ field: `routes.${at}.${name}`, code, message })
    const range = parseRange(route.destination)
    const hop = parseAddress(route.nexthop)
    if (!range || !hop) continue
    if (range.version !== hop.version) {
      add('nexthop', says('networking.nexthop_version', { version: range.version }))
      continue
    }
    const text = rangeText(range)
    if (seen.has(text)) add('destination', says('networking.route_twice'))
    seen.add(text)
    const stays = kept.some((it) => it.destination === text && it.nexthop === addressText(hop))
    const fault = stays ? null : (reservedForRoutes(range) ?? connectedFault(text, connected))
    if (fault !== null) add('destination', fault)
    const through = connected.find(({ cidr }) => isInRange(hop, parseRange(cidr)!))
    if (!through) add('nexthop', says('networking.nexthop_unreachable'), 'nexthop_unreachable')
    else if (through.addresses.includes(addressText(hop))) add('nexthop', says('networking.nexthop_is_router'))
    else if (!stays && !isUsable(hop.value, parseRange(through.cidr)!))
      add('nexthop', says('networking.nexthop_unusable', { cidr: through.cidr }))
  }
  return faults
}

const isUsable = (value: bigint, range: IpRange): boolean => value >= usable(range).first && value <= usable(range).last

/**
 * Returns the reason why a range cannot be the destination of a route: it would replace the direct route to a connected
 * network. Null if it can.
 */
function connectedFault(destination: string, connected: readonly Pick<ConnectedSubnet, 'cidr' | 'network_name'>[]) {
  const range = parseRange(destination)!
  const there = connected.find(({ cidr }) => isWithin(range, parseRange(cidr)!))
  return there ? says('networking.route_to_connected', { network: there.network_name, cidr: there.cidr }) : null
}

/** Returns the reason why subnets cannot be connected to a router with these static routes, or null if they can. */
export function conflictingRoute(
  added: readonly { cidr: string; network_name: string }[],
  routes: readonly Route[],
): RuleText | null {
  const route = routes.find(({ destination }) => connectedFault(destination, added) !== null)
  return route ? says('networking.route_in_the_way', { destination: route.destination }) : null
}
