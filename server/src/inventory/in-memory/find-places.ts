import { setImmediate as otherWork } from 'node:timers/promises'
import type { Place, Sorting } from '../sorting'
import type { RowTest } from './column-copy'
import type { CopyCondition, TableCopy } from './table-copy'

/** Which rows of a copy: those for which every condition holds, from a place on, as many in the order. */
export interface CopyQuery {
  holds: readonly CopyCondition[]
  sorting: Sorting
  after: Place | null
  limit: number
}

/** The server does other work this often while it looks through a copy. */
const BREATH_MS = 2
const ROWS_BETWEEN_LOOKS = 1024
const LEAST_KEPT = 256

/** What of a copy a list shows. */
export interface FoundPlaces {
  /** In order, at most as many as were asked for. */
  places: Place[]
  /** Of all rows for which every condition holds, wherever they stand. */
  count: number
}

/** The places of the rows. The copy must not change until they are answered. */
export async function findPlaces(copy: TableCopy, { holds, sorting, after, limit }: CopyQuery): Promise<FoundPlaces> {
  const tests = holds.map((condition) => condition(copy))
  const values = copy.column(sorting.column.name)
  const ids = copy.texts('id')
  const compare = orderOf(sorting)
  const { end } = copy
  const room = Math.max(limit * 2, LEAST_KEPT)
  let best: Place[] = []
  let count = 0
  /** The last one of a full page, so far. */
  let last: Place | null = null
  const cut = (): void => {
    best = best.sort(compare).slice(0, limit)
    if (best.length === limit) last = best[limit - 1] ?? null
  }

  let began = performance.now()
  for (let row = 0; row < end; row++) {
    if (row % ROWS_BETWEEN_LOOKS === 0 && performance.now() - began > BREATH_MS) {
      await otherWork()
      began = performance.now()
    }
    if (!passes(tests, row)) continue
    const id = ids.at(row)
    if (id === null) continue
    count++
    if (limit === 0) continue
    const place = { value: values.at(row), id }
    if (after && compare(place, after) <= 0) continue
    if (last && compare(place, last) >= 0) continue
    if (best.push(place) >= room) cut()
  }
  cut()
  return { places: best, count }
}

function passes(tests: readonly RowTest[], row: number): boolean {
  for (const test of tests) if (!test(row)) return false
  return true
}

/** As lists are ordered: by value and id in one direction, what has no value last in both. */
function orderOf({ descending }: Sorting): (one: Place, other: Place) => number {
  const sign = descending ? -1 : 1
  return (one, other) => {
    if (one.value === null || other.value === null) {
      const missing = Number(one.value === null) - Number(other.value === null)
      if (missing !== 0) return missing
    } else {
      const byValue = compareValues(one.value, other.value)
      if (byValue !== 0) return sign * byValue
    }
    return sign * compareTexts(one.id, other.id)
  }
}

const compareValues = (one: string | number | boolean, other: string | number | boolean): number =>
  typeof one === 'string' ? compareTexts(one, other as string) : Number(one) - Number(other)

/** By code points, which is the order of their UTF-8 bytes and the database's; `<` orders halves of characters. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)]
    // halves stand for what comes after every whole unit
    if (a !== b) return Number(isHalf(a)) - Number(isHalf(b)) || a - b
  }
  return one.length - other.length
}

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff
