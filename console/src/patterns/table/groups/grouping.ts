import type { Facet } from '@mainstay/contract/core/lists/facets'
import type { List } from '../../../api/use-list'
import type { ListFilter } from '../filter-text'

export interface Group {
  /** Unique key of the value; the key for rows without a value cannot collide with a value. */
  key: string
  value: string | null
  /** Label of the value, if the filter defines one. */
  label: string | undefined
  /** Number of matching rows; undefined above the counting limit. */
  count: number | undefined
}

/** Number of rows to show initially: groups are expanded until they cover it. */
const openRows = 100
const openGroups = 5

/**
 * Filters that rows can be grouped by: those with one exact value per row. Tags are excluded, because a row could be in
 * several groups.
 */
export const groupable = (list: Pick<List, 'source'>, filters: readonly ListFilter[]): ListFilter[] =>
  list.source === undefined
    ? []
    : filters.filter(({ options, operator }) =>
        operator === undefined ? options !== undefined : operator === 'exact' || operator === 'in',
      )

/** One group per value, in the order of the filter options, then by label; rows without a value are last. */
export function groupsOf({ options }: ListFilter, counted: readonly Facet[]): Group[] {
  const places = new Map(options?.map(({ value, label }, at) => [value, { at, label }]))
  const placeOf = ({ value }: Group) => (value === null ? Infinity : (places.get(value)?.at ?? places.size))
  const groups = counted.map(({ value, count }): Group => {
    const label = value === null ? undefined : places.get(value)?.label
    return { key: value === null ? 'none' : `is ${value}`, value, label, count: count ?? undefined }
  })
  const words = ({ label, value }: Group) => label ?? value ?? ''
  return groups.toSorted(
    (one, other) =>
      placeOf(one) - placeOf(other) || words(one).localeCompare(words(other), undefined, { numeric: true }),
  )
}

/** Keys of the initially expanded groups. */
export function openAtFirst(groups: readonly Group[]): ReadonlySet<string> {
  const before = (at: number) => groups.slice(0, at).reduce((sum, { count }) => sum + (count ?? openRows), 0)
  return new Set(groups.filter((_, at) => at < openGroups && before(at) < openRows).map(({ key }) => key))
}
