import { addressText, isInRange, parseAddress, parseRange, type IpRange } from '@mainstay/contract/networking/addresses'
import type { AddressHolder } from '@mainstay/contract/networking/networks'
import type { AllocationPool } from '@mainstay/contract/networking/subnets'

/** State of a cell. `kept` means reserved: the addresses are never assigned to guests. */
export type CellState = 'free' | 'machine' | 'floating' | 'router' | 'other' | 'kept'

export interface AddressCell {
  first: string
  last: string
  state: CellState
  holders: AddressHolder[]
  /** Share of the addresses in the cell that are held, from 0 to 1. */
  share: number
}

export interface AddressCells {
  cells: AddressCell[]
  columns: number
  /** Number of addresses per cell. */
  step: number
  used: number
  free: number
  kept: number
}

const MOST_CELLS = 256

const stateOfHolder: Readonly<Record<AddressHolder['kind'], CellState>> = {
  instance: 'machine',
  router: 'router',
  service: 'router',
  floating_ip: 'floating',
  load_balancer: 'other',
  port: 'other',
  reserved: 'kept',
}
/** Precedence of states: a cell with several states shows the first one. */
const order: readonly CellState[] = ['router', 'machine', 'floating', 'other', 'kept', 'free']

type Spans = readonly { first: bigint; last: bigint }[]

function spansOf(pools: readonly AllocationPool[], range: IpRange): Spans {
  return pools.flatMap(({ start, end }) => {
    const [first, last] = [parseAddress(start), parseAddress(end)]
    return first && last && isInRange(first, range) && isInRange(last, range)
      ? [{ first: first.value, last: last.value }]
      : []
  })
}

const sharedSize = (first: bigint, last: bigint, spans: Spans): bigint =>
  spans.reduce((sum, span) => {
    const from = span.first > first ? span.first : first
    const to = span.last < last ? span.last : last
    return to >= from ? sum + (to - from + 1n) : sum
  }, 0n)

/**
 * Divides an IPv4 range into cells: one per address for up to 256 addresses, otherwise 2^n addresses per cell. Returns
 * null for any other range.
 */
export function addressCells(
  cidr: string,
  pools: readonly AllocationPool[],
  holders: readonly AddressHolder[],
): AddressCells | null {
  const range = parseRange(cidr)
  if (range?.version !== 4) return null
  const size = Number(range.last - range.first + 1n)
  const step = Math.max(1, size / MOST_CELLS)
  const count = size / step
  const byCell = new Map<number, AddressHolder[]>()
  for (const holder of holders) {
    const address = parseAddress(holder.address)
    if (!address || !isInRange(address, range)) continue
    const at = Math.floor(Number(address.value - range.first) / step)
    byCell.set(at, [...(byCell.get(at) ?? []), holder])
  }
  const spans = spansOf(pools, range)
  const text = (value: bigint) => addressText({ version: 4, value })
  let [used, keptBack] = [0, 0]
  const cells = Array.from({ length: count }, (_, at): AddressCell => {
    const first = range.first + BigInt(at * step)
    const last = first + BigInt(step) - 1n
    const here = byCell.get(at) ?? []
    const held = here.filter(({ kind }) => kind !== 'reserved')
    const offered = Number(sharedSize(first, last, spans))
    // held addresses outside the allocation pools, which must not also be counted as reserved
    const outside = held.filter(({ address }) => {
      const value = parseAddress(address)!.value
      return sharedSize(value, value, spans) === 0n
    }).length
    used += held.length
    keptBack += Math.max(0, step - offered - outside)
    const states = here.map(({ kind }) => stateOfHolder[kind])
    const isKept = held.length === 0 && offered === 0
    return {
      first: text(first),
      last: text(last),
      state: isKept ? 'kept' : (order.find((state) => states.includes(state) && state !== 'kept') ?? 'free'),
      holders: held,
      share: Math.min(1, held.length / step),
    }
  })
  return { cells, columns: 32, step, used, kept: keptBack, free: Math.max(0, size - used - keptBack) }
}

/** Returns the index of the cell that contains an address, or -1. */
export function cellOf(address: string, { cells }: Pick<AddressCells, 'cells'>): number {
  const wanted = parseAddress(address.trim())
  if (wanted?.version !== 4) return -1
  return cells.findIndex(
    ({ first, last }) => parseAddress(first)!.value <= wanted.value && wanted.value <= parseAddress(last)!.value,
  )
}
