import type { Kind } from '@mainstay/contract/core/kind'
import { parseFilter, splitDomains, writeFilter, type FilterOperator } from '@mainstay/contract/core/lists/filters'

/** A filter of a list, as a chip shows it and as it can be typed: `status:error`. */
export interface ListFilter {
  /** Its name in the API. */
  name: string
  /** What it is called; typed without spaces, in any case. */
  label: string
  /** What can be chosen; without it any text can be typed. */
  options?: readonly { value: string; label: string }[] | undefined
  /** How several values go together: `any` for tags. */
  operator?: 'in' | 'any' | 'contains' | 'exact' | undefined
}

const plainWord = (text: string) => text.toLowerCase().replace(/[\s_-]+/g, '')

/** The filters of a list; one by projects is joined by one by domains, whose entries may stand among the projects as `domain:ID`. */
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
/** Whose names stand for the values of a filter, which are ids of owners. */
export const ownerOf = ({ name, options }: ListFilter): 'project' | 'domain' | undefined =>
  options ? undefined : owners[name]

/** The filter that a typed name means. */
export const findFilter = (filters: readonly ListFilter[], typed: string): ListFilter | undefined =>
  filters.find(({ name, label }) => [plainWord(name), plainWord(label)].includes(plainWord(typed)))

const operatorOf = ({ operator, options }: ListFilter): FilterOperator => operator ?? (options ? 'in' : 'contains')

/** The values that a filter has now. */
export const valuesOf = (filter: ListFilter, text: string | undefined): string[] =>
  (text ? parseFilter(text, operatorOf(filter))?.values : undefined)?.map((value) => value ?? 'None') ?? []

/** Values as the API wants them. */
export const writeValues = (filter: ListFilter, values: readonly string[]): string | null => {
  const operator = operatorOf(filter)
  // one word of a text stands in the address as it was typed
  if (operator === 'contains') return values.at(-1) ?? null
  return writeFilter({ operator, values: [...values] })
}

const optionOf = ({ options }: ListFilter, typed: string): string =>
  options?.find(({ value, label }) => [plainWord(value), plainWord(label)].includes(plainWord(typed)))?.value ?? typed

/** What a chip says. */
export const valueLabels = (filter: ListFilter, text: string): string =>
  valuesOf(filter, text)
    .map((value) => filter.options?.find((option) => option.value === value)?.label ?? value)
    .join(', ')

/** Whether rows with the value are left out. */
export const isExcluding = (filter: ListFilter, text: string): boolean =>
  parseFilter(text, operatorOf(filter))?.operator === 'not'

/** A filter with one more value: beside those that it has where it takes several, or without the value. */
export function withValue(filter: ListFilter, text: string | undefined, value: string, isExcluded: boolean): string {
  if (isExcluded) return writeFilter({ operator: 'not', values: [value] })!
  const operator = operatorOf(filter)
  if (operator !== 'in' && operator !== 'any') return writeFilter({ operator: 'exact', values: [value] })!
  const before = text === undefined || isExcluding(filter, text) ? [] : valuesOf(filter, text)
  return writeFilter({ operator, values: [...new Set([...before, value])] })!
}

/** Addresses of networks have colons, and letters only at times. */
const isAddress = (word: string) => /^[0-9a-f]{0,4}:[0-9a-f]*(:[0-9a-f]*)+$/i.test(word)

const term = /(?:^|\s)(-?)([\p{L}_]+):(?:"([^"]*)"|([^\s"]+))(?=\s|$)/gu

export interface Typed {
  filters: Record<string, string | null>
  /** What is left: looked for in all searched fields. */
  search: string
  /** `foo:bar` that names no filter: neither a filter nor a text to look for. */
  unknown: string[]
}

/** Takes `status:error name:web` out of what was typed. Quotes make words of anything. */
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

/** Words that are looked for as they are typed: in quotes where they would be a filter otherwise. */
export const typedOf = (search: string, filters: readonly ListFilter[]): string =>
  parseTyped(search, filters).search === search ? search : `"${search}"`

/** What is being typed at the end of a text: a word, or the value of a field. */
export interface Typing {
  /** What stands before it. */
  before: string
  isExcluded: boolean
  /** As typed before the colon; undefined while there is none. */
  field: string | undefined
  word: string
}

/** What is being typed at the end of a text. */
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
