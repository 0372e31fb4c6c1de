import { isInRange, parseAddress, parseRange, rangeText } from './addresses'
import { firstOverlap } from './subnet-rules'

/** A subnet that a router has a leg in, with the router's addresses there. */
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
  message: string
}

/** Whether a network may be connected besides those that are: no two ranges behind one router overlap. */
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
        message: `${cidr} overlaps ${clash.cidr} of ${clash.network_name}, which this router connects already`,
      }
  }
  return null
}

/** What of static routes is wrong: a next hop outside the connected subnets, or the router itself; a destination named twice. */
export function routeFaults(
  routes: readonly { destination: string; nexthop: string }[],
  connected: readonly ConnectedSubnet[],
): RouterFault[] {
  const faults: RouterFault[] = []
  const seen = new Set<string>()
  for (const [at, route] of routes.entries()) {
    const add = (name: 'destination' | 'nexthop', message: string, code: RouterFault['code'] = 'validation') =>
      void faults.push({ field: `routes.${at}.${name}`, code, message })
    const range = parseRange(route.destination)
    const hop = parseAddress(route.nexthop)
    if (!range || !hop) continue
    if (range.version !== hop.version) {
      add('nexthop', `Use an IPv${range.version} address, as the destination is`)
      continue
    }
    const text = rangeText(range)
    if (seen.has(text)) add('destination', 'This destination has a route already')
    seen.add(text)
    const through = connected.find(({ cidr }) => isInRange(hop, parseRange(cidr)!))
    if (!through) add('nexthop', 'Use an address in a network that the router connects', 'nexthop_unreachable')
    else if (through.addresses.includes(route.nexthop)) add('nexthop', 'This is the router itself')
  }
  return faults
}
