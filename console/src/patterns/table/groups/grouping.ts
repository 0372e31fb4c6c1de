import type { Facet } from '@mainstay/contract/core/lists/facets'
import type { List } from '../../../api/use-list'
import type { ListFilter } from '../filter-text'

export interface Group {
  /** Of its value, among those of the field; that of rows without a value is no value of others. */
  key: string
  value: string | null
  /** In words, where the filter has words for its values. */
  label: string | undefined
  /** Rows that match; undefined where there are too many to count. */
  count: number | undefined
}

/** So many rows are asked for without being asked: the groups with the first of them are open. */
const openRows = 100
const openGroups = 5

/**
 * By which filters of a list its rows can be grouped: those with one value a row, compared whole. Tags are none: a row would
 * stand in several groups.
 */
export const groupable = (list: Pick<List, 'source'>, filters: readonly ListFilter[]): ListFilter[] =>
  list.source === undefined
    ? []
    : filters.filter(({ options, operator }) =>
        operator === undefined ? options !== undefined : operator === 'exact' || operator === 'in',
      )

/** One group for each value, in the order in which they can be chosen, else by their words; those without a value last. */
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

/** The keys of the groups that are open before anybody has turned one. */
export function openAtFirst(groups: readonly Group[]): ReadonlySet<string> {
  const before = (at: number) => groups.slice(0, at).reduce((sum, { count }) => sum + (count ?? openRows), 0)
  return new Set(groups.filter((_, at) => at < openGroups && before(at) < openRows).map(({ key }) => key))
}
