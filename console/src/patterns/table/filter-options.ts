import type { Facets } from '@mainstay/contract/core/lists/facets'
import { findFilter, typingAt, valuesOf, type ListFilter } from './filter-text'

/** A suggestion in the filter box. */
export type FilterOption =
  | { id: string; sort: 'field'; filter: ListFilter }
  | { id: string; sort: 'value'; filter: ListFilter; value: string; label: string; count: number | null | undefined }
  | { id: string; sort: 'exclude' | 'contains'; filter: ListFilter; word: string }
  | { id: string; sort: 'search'; word: string }

export interface Completion {
  /** The field whose values are suggested. */
  filter: ListFilter | undefined
  /** Text before a colon that does not name a known field. */
  unknown: string | undefined
  options: FilterOption[]
}

const VALUES = 12
const folded = (text: string) => text.toLowerCase()
/** Matches the beginning of the text or of one of its words. */
const begins = (text: string, start: string) =>
  [text, ...text.split(/[\s_-]+/)].some((part) => folded(part).startsWith(folded(start)))

/** Suggestions for the typed text: fields, or the values of a field with counts. */
export function completionOf(
  typed: string,
  filters: readonly ListFilter[],
  now: Readonly<Record<string, string>>,
  facets: Facets | undefined,
): Completion {
  const { field, word, isExcluded } = typingAt(typed)
  const filter = field === undefined ? undefined : findFilter(filters, field)
  if (filter) {
    const options: FilterOption[] = valueOptions(filter, word, now[filter.name], facets)
    if (!filter.options && filter.operator === undefined && word !== '' && !isExcluded)
      options.push({ id: 'contains', sort: 'contains', filter, word })
    if (!isExcluded) options.push({ id: 'exclude', sort: 'exclude', filter, word })
    return { filter, unknown: undefined, options }
  }
  const start = field === undefined ? word.replace(/^-/, '') : ''
  const fields = filters
    .filter(({ name, label }) => begins(name, start) || begins(label, start))
    .map((it): FilterOption => ({ id: `field-${it.name}`, sort: 'field', filter: it }))
  const search: FilterOption[] =
    field === undefined && typed.trim() !== '' ? [{ id: 'search', sort: 'search', word: typed.trim() }] : []
  return { filter: undefined, unknown: field, options: [...fields, ...search] }
}

function valueOptions(
  filter: ListFilter,
  word: string,
  now: string | undefined,
  facets: Facets | undefined,
): FilterOption[] {
  // only the part after the last comma is being typed
  const last = filter.options || filter.operator ? word.split(',').at(-1)! : word
  const chosen = new Set(now === undefined ? [] : valuesOf(filter, now))
  const counts = new Map(facets?.data.map(({ value, count }) => [value ?? 'None', count]))
  // a value missing from a complete result has no rows
  const isWhole = facets && !facets.has_more && facets.data.every(({ count }) => count !== null)
  const offered = filter.options
    ? filter.options.map(({ value, label }) => ({
        value,
        label,
        count: counts.get(value) ?? (isWhole ? 0 : undefined),
      }))
    : (facets?.data ?? []).map(({ value, count }) => ({ value: value ?? 'None', label: value ?? '', count }))
  return offered
    .filter(({ value, label }) => !chosen.has(value) && (last === '' || begins(label, last) || begins(value, last)))
    .slice(0, VALUES)
    .map((it) => ({ id: `value-${it.value}`, sort: 'value', filter, ...it }))
}
