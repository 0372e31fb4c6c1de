import { says, type RuleText } from '../core/said'
import { isWithin, overlap, parseAddress, parseRange, rangeText, type IpRange } from './addresses'

/**
 * Ranges that no network, route or peer can have, with the reason: those of the registries of special addresses (RFC 6890) that are
 * not forwarded, and those in which services of this product listen. The narrower of two stands first.
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

/** Why a network cannot have these addresses; null where it can. */
export function reservedInRange(range: IpRange): RuleText | null {
  const found = reserved.find((it) => overlap(it.range, range))
  return found ? text(found) : null
}

/** Why nothing can be routed to this range; null where it can. A wider one, such as all addresses, leaves these out. */
export function reservedForRoutes(range: IpRange): RuleText | null {
  const found = reserved.find((it) => isWithin(range, it.range))
  return found ? text(found) : null
}

/** Why no machine can have this address; null where one can, and where the text is no address. */
export function reservedAddress(address: string): RuleText | null {
  const parsed = parseAddress(address)
  if (!parsed) return null
  const { version, value } = parsed
  return reservedInRange({ version, first: value, last: value, prefix: version === 4 ? 32 : 128 })
}
