import { isWithin, overlap, parseAddress, parseRange, rangeText, type IpRange } from './addresses'

/**
 * Ranges that no network, route or peer can have, with the reason: those of the registries of special addresses (RFC 6890) that are
 * not forwarded, and those in which services of this product listen. The narrower of two stands first.
 */
const reserved = (
  [
    ['169.254.169.254/32', 'guests reach the metadata service there'],
    ['0.0.0.0/8', 'it stands for this network'],
    ['127.0.0.0/8', 'loopback addresses do not leave a machine'],
    ['169.254.0.0/16', 'link-local addresses are not routed'],
    ['198.18.127.0/24', 'the uplink of the hosts uses it'],
    ['198.18.128.0/17', 'the name servers of networks use it'],
    ['224.0.0.0/4', 'it is for multicast'],
    ['255.255.255.255/32', 'it is for broadcast'],
    ['240.0.0.0/4', 'it is reserved for future use'],
    ['::/128', 'it stands for no address'],
    ['::1/128', 'the loopback address does not leave a machine'],
    ['::ffff:0:0/96', 'it stands for addresses of IPv4'],
    ['fe80::/10', 'link-local addresses are not routed'],
    ['ff00::/8', 'it is for multicast'],
  ] as const
).map(([cidr, reason]) => ({ range: parseRange(cidr)!, reason }))

const text = ({ range, reason }: (typeof reserved)[number]): string => `${rangeText(range)} cannot be used: ${reason}`

/** Why a network cannot have these addresses; null where it can. */
export function reservedInRange(range: IpRange): string | null {
  const found = reserved.find((it) => overlap(it.range, range))
  return found ? text(found) : null
}

/** Why nothing can be routed to this range; null where it can. A wider one, such as all addresses, leaves these out. */
export function reservedForRoutes(range: IpRange): string | null {
  const found = reserved.find((it) => isWithin(range, it.range))
  return found ? text(found) : null
}

/** Why no machine can have this address; null where one can, and where the text is no address. */
export function reservedAddress(address: string): string | null {
  const parsed = parseAddress(address)
  if (!parsed) return null
  const { version, value } = parsed
  return reservedInRange({ version, first: value, last: value, prefix: version === 4 ? 32 : 128 })
}
