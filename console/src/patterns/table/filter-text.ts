import { parseFilter, writeFilter, type FilterOperator } from '@mainstay/contract/core/filters'

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

const term = /(?:^|\s)(-?)([\p{L}_]+):(?:"([^"]*)"|([^\s"]+))(?=\s|$)/gu

export interface Typed {
  filters: Record<string, string | null>
  /** What is left: looked for in all searched fields. */
  search: string
}

/** Takes `status:error name:web` out of what was typed. Words that name no filter stay words. */
export function parseTyped(typed: string, filters: readonly ListFilter[]): Typed {
  const found: Record<string, string | null> = {}
  const search = typed.replace(term, (whole, minus: string, name: string, quoted?: string, word?: string) => {
    const filter = findFilter(filters, name)
    const value = quoted ?? word
    if (!filter || !value) return whole
    const option = value.split(',').map((part) => optionOf(filter, part))
    found[filter.name] = minus ? `not:${option[0]}` : writeValues(filter, option)
    return ' '
  })
  return { filters: found, search: search.replace(/\s+/g, ' ').trim() }
}
