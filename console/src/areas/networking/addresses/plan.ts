import { overlap, parseRange, rangeText, without, type IpRange } from '@mainstay/contract/networking/addresses'

/** An address range and the network that owns it. */
export interface NamedRange {
  id: string
  name: string
  cidr: string
}

/** Part of a plan. `share` is its share of the whole plan, from 0 to 1. */
export interface PlanPart {
  first: bigint
  last: bigint
  share: number
  kind: 'used' | 'own' | 'clash' | 'free'
  /** The networks in this part. There are several if ranges overlap or if small parts were merged. */
  owners: NamedRange[]
}

export interface AddressPlan {
  window: IpRange
  parts: PlanPart[]
  /** The number of free addresses, followed by the largest free range. */
  free: bigint
  largestFree: IpRange | null
}

/** Plans are at least this large, so that free space next to a network is visible. */
const WIDEST_PREFIX = 20
/** Maximum number of parts per plan. */
const MOST_PARTS = 40
/** Ranges are drawn in separate plans if they would fill less than this share of a common plan. */
const LEAST_USE = 1 / 32

const sizeOf = ({ first, last }: { first: bigint; last: bigint }): bigint => last - first + 1n
const withPrefix = (at: bigint, prefix: number): IpRange => {
  const size = 1n << BigInt(32 - prefix)
  const first = (at / size) * size
  return { version: 4, first, last: first + size - 1n, prefix }
}

/** The smallest CIDR range that contains both ranges. */
function around(one: IpRange, other: IpRange): IpRange {
  let prefix = Math.min(one.prefix, other.prefix)
  while (prefix > 0 && withPrefix(one.first, prefix).first !== withPrefix(other.first, prefix).first) prefix -= 1
  return withPrefix(one.first, prefix)
}

type Parsed = NamedRange & { range: IpRange }

const parsedOf = (ranges: readonly NamedRange[]): Parsed[] =>
  ranges
    .flatMap((it) => {
      const range = parseRange(it.cidr)
      return range?.version === 4 ? [{ ...it, range }] : []
    })
    .toSorted((a, b) => (a.range.first < b.range.first ? -1 : a.range.first > b.range.first ? 1 : 0))

/** Groups ranges into the windows in which they are drawn. Nearby ranges share a window. */
function windowsOf(ranges: readonly Parsed[]): { window: IpRange; ranges: Parsed[] }[] {
  const windows: { window: IpRange; ranges: Parsed[]; used: bigint }[] = []
  for (const it of ranges) {
    const least = withPrefix(it.range.first, Math.min(it.range.prefix, WIDEST_PREFIX))
    const last = windows.at(-1)
    const used = (last?.used ?? 0n) + sizeOf(it.range)
    const both = last && around(last.window, least)
    const isNear = both && (both.prefix >= WIDEST_PREFIX || Number(used) / Number(sizeOf(both)) >= LEAST_USE)
    if (last && isNear) Object.assign(last, { window: both, used, ranges: [...last.ranges, it] })
    else windows.push({ window: least, ranges: [it], used: sizeOf(it.range) })
  }
  return windows
}

/** The largest CIDR range that fits into a part. */
function largestIn({ first, last }: { first: bigint; last: bigint }): IpRange | null {
  for (let prefix = 0; prefix <= 32; prefix += 1) {
    const size = 1n << BigInt(32 - prefix)
    const at = ((first + size - 1n) / size) * size
    if (at + size - 1n <= last) return { version: 4, first: at, last: at + size - 1n, prefix }
  }
  return null
}

/** Merges small neighbouring parts if there are too many parts. */
function merged(parts: PlanPart[]): PlanPart[] {
  if (parts.length <= MOST_PARTS) return parts
  const least = parts.map(({ share }) => share).toSorted((a, b) => a - b)[parts.length - MOST_PARTS] ?? 0
  const kept: PlanPart[] = []
  for (const part of parts) {
    const before = kept.at(-1)
    if (before && part.share <= least && before.share <= least * 4 && part.kind !== 'own' && before.kind !== 'own')
      Object.assign(before, {
        last: part.last,
        share: before.share + part.share,
        owners: [...before.owners, ...part.owners],
        kind: [before.kind, part.kind].includes('clash') ? 'clash' : 'used',
      })
    else kept.push({ ...part })
  }
  return kept
}

function partsOf(window: IpRange, ranges: readonly Parsed[], own: IpRange | null): PlanPart[] {
  const all = sizeOf(window)
  const mine = own && overlap(own, window) ? own : null
  const cuts = new Set<bigint>([window.first, window.last + 1n])
  for (const { first, last } of [...ranges.map(({ range }) => range), ...(mine ? [mine] : [])])
    for (const at of [first, last + 1n]) if (at > window.first && at <= window.last) cuts.add(at)
  const edges = [...cuts].toSorted((a, b) => (a < b ? -1 : 1))
  return edges.slice(0, -1).map((first, at): PlanPart => {
    const last = edges[at + 1]! - 1n
    const has = (range: IpRange) => range.first <= first && range.last >= last
    const owners = ranges.filter(({ range }) => has(range))
    const isOwn = mine !== null && has(mine)
    const kind = isOwn ? (owners.length > 0 ? 'clash' : 'own') : owners.length > 0 ? 'used' : 'free'
    return { first, last, share: Number((sizeOf({ first, last }) * 1_000_000n) / all) / 1_000_000, kind, owners }
  })
}

/**
 * Builds plans that show IPv4 ranges to scale. Nearby ranges share a plan.
 *
 *
 * @param own - the range that the user is choosing, shown in a distinct colour
 */
export function addressPlans(ranges: readonly NamedRange[], own?: string): AddressPlan[] {
  const mine = own === undefined ? null : parseRange(own)
  const shown = mine?.version === 4 ? mine : null
  const parsed = parsedOf(ranges)
  const drawn = shown ? parsedOf([...ranges, { id: '', name: '', cidr: rangeText(shown) }]) : parsed
  return windowsOf(drawn).map(({ window, ranges: within }) => {
    const theirs = within.filter(({ id }) => id !== '')
    const taken = [...theirs.map(({ range }) => range), ...(shown && overlap(shown, window) ? [shown] : [])]
    const free = without(window, taken)
    const largest = free
      .flatMap((part) => largestIn(part) ?? [])
      .reduce<IpRange | null>((best, it) => (best === null || it.prefix < best.prefix ? it : best), null)
    return {
      window,
      parts: merged(partsOf(window, theirs, shown)),
      free: free.reduce((sum, part) => sum + sizeOf(part), 0n),
      largestFree: largest,
    }
  })
}

/**
 * Finds the first overlapping range, and the number of addresses that both ranges share. Returns null if there is no
 * overlap.
 */
export function overlapOf(cidr: string, others: readonly NamedRange[]): { with: NamedRange; addresses: bigint } | null {
  const range = parseRange(cidr)
  if (!range) return null
  for (const other of others) {
    const theirs = parseRange(other.cidr)
    if (!theirs || !overlap(range, theirs)) continue
    const first = range.first > theirs.first ? range.first : theirs.first
    const last = range.last < theirs.last ? range.last : theirs.last
    return { with: other, addresses: last - first + 1n }
  }
  return null
}
