/*
 * Filter syntax of list calls (S1§5): `name=web` (contains, for text), `name=starts:web`, `name=exact:web`,
 * `status=in:ACTIVE,ERROR`, `tags=any:red,blue` (`None`: no tags), `vcpus=gte:4`. The server parses filters; the
 * console writes them, and parses them for its filter chips.
 */

export type FilterOperator = 'contains' | 'starts' | 'exact' | 'in' | 'any' | 'gte' | 'lte' | 'not'

export interface FilterTerm {
  operator: FilterOperator
  /** One value, or several for `in` and `any`; null stands for "none" (`None` on the wire). */
  values: (string | null)[]
}

const prefixes: Record<string, FilterOperator> = {
  'contains:': 'contains',
  'starts:': 'starts',
  'exact:': 'exact',
  'in:': 'in',
  'any:': 'any',
  'gte:': 'gte',
  'lte:': 'lte',
  'not:': 'not',
}

// Commas and backslashes in values are escaped with a backslash.
const splitList = (text: string): string[] =>
  (text.match(/(?:\\.|[^,\\])+/g) ?? []).map((part) => part.replace(/\\(.)/g, '$1'))
const escapeItem = (text: string): string => text.replace(/[\\,]/g, (found) => `\\${found}`)

/**
 * Parses a filter parameter. `plain` is the operator for values without a prefix. Returns null (no filter) if the text
 * is empty.
 */
export function parseFilter(text: string, plain: FilterOperator): FilterTerm | null {
  const prefix = Object.keys(prefixes).find((start) => text.startsWith(start))
  const operator = prefix ? prefixes[prefix]! : plain
  const rest = prefix ? text.slice(prefix.length) : text
  const values = operator === 'in' || operator === 'any' ? splitList(rest) : [rest]
  const kept = values.filter((value) => value !== '')
  if (kept.length === 0) return null
  const isPart = operator === 'contains' || operator === 'starts'
  return { operator, values: kept.map((value) => (value === 'None' && !isPart ? null : value)) }
}

/** Writes a filter as a query parameter; null if it has no effect. */
export function writeFilter({ operator, values }: FilterTerm): string | null {
  const kept = values.filter((value) => value !== '')
  if (kept.length === 0) return null
  const words = kept.map((value) => value ?? 'None')
  if (operator === 'in' || operator === 'any') return `${operator}:${words.map(escapeItem).join(',')}`
  return `${operator}:${words[0]}`
}

const ofDomain = 'domain:'

/**
 * Splits a project filter: entries of the form `domain:ID` become a separate filter on `domain_id` (S1§5). As with all
 * list filters, a row must match both.
 */
export function splitDomains(text: string): [name: 'project_id' | 'domain_id', text: string][] {
  const term = parseFilter(text, 'exact')
  const isDomain = (value: string | null) => value?.startsWith(ofDomain) ?? false
  if (!term?.values.some(isDomain)) return [['project_id', text]]
  const written = (values: FilterTerm['values']) => writeFilter({ ...term, values })
  const parts = {
    project_id: written(term.values.filter((value) => !isDomain(value))),
    domain_id: written(term.values.filter(isDomain).map((value) => value!.slice(ofDomain.length))),
  }
  return (['project_id', 'domain_id'] as const).flatMap((name) => (parts[name] ? [[name, parts[name]]] : []))
}

/** Removes parameters that have no effect: empty strings, empty lists, false, null and undefined (S1§5). */
export function dropEmpty(query: Record<string, unknown>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === false || value === '') continue
    if (Array.isArray(value) && value.length === 0) continue
    kept[name] = Array.isArray(value) ? value.join(',') : `${value as string | number}`
  }
  return kept
}
