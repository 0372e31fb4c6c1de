import type { Kind } from '@mainstay/contract/core/kind'
import { parseFilter, splitDomains, writeFilter, type FilterOperator } from '@mainstay/contract/core/lists/filters'

/** A filter for a list, shown as a chip and typed as `status:error`. */
export interface ListFilter {
  /** Name of the filter in the API. */
  name: string
  /** Display label; can be typed without spaces, in any case. */
  label: string
  /** Possible values; without them any text can be typed. */
  options?: readonly { value: string; label: string }[] | undefined
  /** How several values are combined: `any` for tags. */
  operator?: 'in' | 'any' | 'contains' | 'exact' | undefined
}

const plainWord = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '')

/**
 * Adds a domain filter next to a project filter, if the kind supports it. Domains can also be typed into the project
 * filter as `domain:ID`.
 */
export function withDomains(
  filters: readonly ListFilter[],
  { filters: known }: Kind,
  label: string,
): readonly ListFilter[] {
  const has = (name: string) => filters.some((filter) => filter.name === name)
  if (!has('project_id') || has('domain_id') || !Object.hasOwn(known, 'domain_id')) return filters
  return [...filters, { name: 'domain_id', label, operator: 'in' }]
}

const owners: Readonly<Record<string, 'project' | 'domain'>> = { project_id: 'project', domain_id: 'domain' }
/** The kind of owner whose IDs are a filter's values. */
export const ownerOf = ({ name, options }: ListFilter): 'project' | 'domain' | undefined =>
  options ? undefined : owners[name]

/** The filter with this name or label. */
export const findFilter = (filters: readonly ListFilter[], typed: string): ListFilter | undefined =>
  filters.find(({ name, label }) => [plainWord(name), plainWord(label)].includes(plainWord(typed)))

const operatorOf = ({ operator, options }: ListFilter): FilterOperator => operator ?? (options ? 'in' : 'contains')

/** A filter's current values. */
export const valuesOf = (filter: ListFilter, text: string | undefined): string[] =>
  (text ? parseFilter(text, operatorOf(filter))?.values : undefined)?.map((value) => value ?? 'None') ?? []

/** Values in API syntax. */
export const writeValues = (filter: ListFilter, values: readonly string[]): string | null => {
  const operator = operatorOf(filter)
  // a single text value stays as typed in the URL
  if (operator === 'contains') return values.at(-1) ?? null
  return writeFilter({ operator, values: [...values] })
}

const optionOf = ({ options }: ListFilter, typed: string): string =>
  options?.find(({ value, label }) => [plainWord(value), plainWord(label)].includes(plainWord(typed)))?.value ?? typed

/** The text shown on a chip. */
export const valueLabels = (filter: ListFilter, text: string): string =>
  valuesOf(filter, text)
    .map((value) => filter.options?.find((option) => option.value === value)?.label ?? value)
    .join(', ')

/** Whether the filter excludes its values. */
export const isExcluding = (filter: ListFilter, text: string): boolean =>
  parseFilter(text, operatorOf(filter))?.operator === 'not'

/** Adds a value to a multi-value filter, replaces the value of a single-value filter, or excludes the value. */
export function withValue(filter: ListFilter, text: string | undefined, value: string, isExcluded: boolean): string {
  if (isExcluded) return writeFilter({ operator: 'not', values: [value] })!
  const operator = operatorOf(filter)
  if (operator !== 'in' && operator !== 'any') return writeFilter({ operator: 'exact', values: [value] })!
  const before = text === undefined || isExcluding(filter, text) ? [] : valuesOf(filter, text)
  return writeFilter({ operator, values: [...new Set([...before, value])] })!
}

/** IPv6 and MAC addresses, whose colons do not introduce a filter value. */
const isAddress = (word: string) => /^[0-9a-f]{0,4}:[0-9a-f]*(:[0-9a-f]*)+$/i.test(word)

const term = /(?:^|\s)(-?)([\p{L}_]+):(?:"([^"]*)"|([^\s"]+))(?=\s|$)/gu

export interface Typed {
  filters: Record<string, string | null>
  /** The remaining text, searched for in all searchable fields. */
  search: string
  /** Terms such as `foo:bar` without a matching filter, which are not searched for. */
  unknown: string[]
}

/** Extracts filters such as `status:error name:web` from typed text. Quoted text is always searched for. */
export function parseTyped(typed: string, filters: readonly ListFilter[]): Typed {
  const found: Record<string, string | null> = {}
  const unknown: string[] = []
  const plain: string[] = []
  const words = typed.replace(/(^|\s)"([^"]+)"(?=\s|$)/g, (_, space: string, text: string) => {
    plain.push(text)
    return space
  })
  const search = words.replace(term, (whole, minus: string, name: string, quoted?: string, word?: string) => {
    const filter = findFilter(filters, name)
    const value = quoted ?? word
    if (isAddress(whole.trim()) || !value || value.startsWith('/')) return whole
    if (!filter) {
      unknown.push(whole.trim())
      return ' '
    }
    const option = value.split(',').map((part) => optionOf(filter, part))
    const text = minus ? `not:${option[0]}` : writeValues(filter, option)
    const parts = text && filter.name === 'project_id' && findFilter(filters, 'domain_id') ? splitDomains(text) : null
    for (const [own, part] of parts ?? [[filter.name, text] as const]) found[own] = part
    return ' '
  })
  return { filters: found, search: [search, ...plain].join(' ').replace(/\s+/g, ' ').trim(), unknown }
}

/** The search text as typed, in quotes if it would be parsed as a filter. */
export const typedOf = (search: string, filters: readonly ListFilter[]): string =>
  parseTyped(search, filters).search === search ? search : `"${search}"`

/** The term at the end of the text: a word, or the value of a field. */
export interface Typing {
  /** The text before the term. */
  before: string
  isExcluded: boolean
  /** The typed name before the colon; undefined without a colon. */
  field: string | undefined
  word: string
}

/** The term being typed at the end of the text. */
export function typingAt(typed: string): Typing {
  const found = /(?:^|\s)(-?)([\p{L}_]+):(?:"([^"]*)|([^\s"]*))$/u.exec(typed)
  const word = /\S*$/.exec(typed)![0]
  const value = found?.[3] ?? found?.[4] ?? ''
  if (!found || isAddress(word) || value.startsWith('/'))
    return { before: typed.slice(0, typed.length - word.length), isExcluded: false, field: undefined, word }
  return {
    before: typed.slice(0, found.index + (/^\s/.test(found[0]) ? 1 : 0)),
    isExcluded: found[1] === '-',
    field: found[2],
    word: value,
  }
}
