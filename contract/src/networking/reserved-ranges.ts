import { says, type RuleText } from '../core/said'
import { isWithin, overlap, parseAddress, parseRange, rangeText, type IpRange } from './addresses'

/**
 * Ranges that networks, routes and peers cannot use, with reasons: special-purpose ranges that are not forwarded (RFC
 * 6890), and ranges that this product's services use. More specific ranges come first.
 */
const reserved = (
  [
    ['169.254.169.254/32', 'metadata'],
    ['0.0.0.0/8', 'this_network'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link_local'],
    ['198.18.127.0/24', 'uplink'],
    ['198.18.128.0/17', 'name_servers'],
    ['224.0.0.0/4', 'multicast'],
    ['255.255.255.255/32', 'broadcast'],
    ['240.0.0.0/4', 'future'],
    ['::/128', 'unspecified'],
    ['::1/128', 'loopback'],
    ['::ffff:0:0/96', 'mapped'],
    ['fe80::/10', 'link_local'],
    ['ff00::/8', 'multicast'],
  ] as const
).map(([cidr, reason]) => ({ range: parseRange(cidr)!, reason }))

const text = ({ range, reason }: (typeof reserved)[number]): RuleText =>
  says('networking.range_reserved', { range: rangeText(range), reason })

/** Returns the reason why a network cannot use a range, or null if it can. */
export function reservedInRange(range: IpRange): RuleText | null {
  const found = reserved.find((it) => overlap(it.range, range))
  return found ? text(found) : null
}

/**
 * Returns the reason why a range cannot be the destination of a route, or null if it can. A larger range, such as the
 * default route, may include reserved ones.
 */
export function reservedForRoutes(range: IpRange): RuleText | null {
  const found = reserved.find((it) => isWithin(range, it.range))
  return found ? text(found) : null
}

/** Returns the reason why a host cannot have an address, or null if it can or if the text is not an address. */
export function reservedAddress(address: string): RuleText | null {
  const parsed = parseAddress(address)
  if (!parsed) return null
  const { version, value } = parsed
  return reservedInRange({ version, first: value, last: value, prefix: version === 4 ? 32 : 128 })
}
