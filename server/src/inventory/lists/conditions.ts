import { parseFilter, splitDomains, type FilterOperator, type FilterTerm } from '@mainstay/contract/core/lists/filters'
import type { FieldAt } from '@mainstay/contract/core/fields'
import type { PageQuery } from '@mainstay/contract/core/lists/paging'
import { canonical } from '@mainstay/contract/networking/addresses'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql } from 'kysely'
import { says } from '@mainstay/contract/core/said'
import { cut, naturalKey, naturalStart, SEARCH, type Column, type KindColumns } from '../columns'
import {
  containing,
  LAST_CHARACTER,
  naturalOf,
  plainCondition,
  readPlain,
  refuse,
  tagsCondition,
  textCondition,
  type Condition,
  type Where,
} from './operators'

/** The range to which a condition limits the values of one path. */
export interface Bounds {
  path: string
  min?: string | number | boolean | undefined
  max?: string | number | boolean | undefined
  /** Whether rows without a value never match, may match, or are the only ones that match. */
  nulls: 'never' | 'also' | 'only'
}

export interface Filter extends Where {
  /** Narrows the scan if the list is sorted by the same path. */
  bounds: Bounds | null
}

const MAX_VALUE_LENGTH = 8192
const MAX_VALUES = 1000
const pageWords = new Set(['limit', 'marker', 'with_count', 'sort', 'search'])

const plainOperator: Record<FieldAt['type'], FilterOperator> = {
  text: 'contains',
  id: 'exact',
  number: 'exact',
  time: 'exact',
  boolean: 'exact',
  tags: 'any',
}

/** Conditions for a list query on a kind's side table. Throws `invalid_filter` and names the parameter. */
export function filtersOf(columns: KindColumns, scope: Scope, query: PageQuery): Filter[] {
  const conditions: Filter[] = []
  for (const [name, given] of Object.entries(query)) {
    if (pageWords.has(name)) continue
    const filterOf = (own: string) => {
      const found = filterNamed(columns, scope, own)
      if (!found) throw refuse(name, says('core.no_filter', { name: own.slice(0, 64) }))
      return found
    }
    filterOf(name)
    for (const text of Array.isArray(given) ? (given as unknown[]) : [given]) {
      if (text === undefined || text === null || text === '') continue
      if (typeof text !== 'string' && typeof text !== 'number' && typeof text !== 'boolean')
        throw refuse(name, says('core.use_a_text'))
      for (const [own, part] of partsOf(columns, name, String(text))) {
        const { field, column } = filterOf(own)
        const condition = conditionOf(own, field, column, columns, part)
        if (condition) conditions.push(condition)
      }
    }
  }
  if (query.search !== undefined && query.search !== '')
    conditions.push({ where: searchCondition(query.search), bounds: null })
  return conditions
}

/** The conditions that every row of a list query meets. Throws `invalid_filter` and names the parameter. */
export const conditionsOf = (columns: KindColumns, scope: Scope, query: PageQuery): Condition[] =>
  filtersOf(columns, scope, query).flatMap(({ where, exactly }) => (exactly ? [where, exactly] : [where]))

/**
 * Splits a filter into its parts: domains in a `project_id` filter become a `domain_id` filter if the kind supports it.
 */
const partsOf = ({ kind }: KindColumns, name: string, text: string): [name: string, text: string][] =>
  name === 'project_id' && Object.hasOwn(kind.filters, 'domain_id') && text.length <= MAX_VALUE_LENGTH
    ? splitDomains(text)
    : [[name, text]]

/** The filter with this name, or null if it does not exist or the scope may not read its field. */
export function filterNamed(
  columns: KindColumns,
  scope: Scope,
  name: string,
): { field: FieldAt; column: Column } | null {
  const field = Object.hasOwn(columns.kind.filters, name) ? columns.kind.filters[name] : undefined
  const column = columns.filters.get(name)
  // filtering by a hidden field would reveal its value
  const isHidden = field && scope.kind !== 'system' && columns.kind.systemOnly.includes(field.path)
  return field && column && !isHidden ? { field, column } : null
}

/** Matches rows that contain the text, case-insensitively. Also finds addresses, which rows store in canonical form. */
function searchCondition(text: string): Condition {
  if (text.includes('\0')) throw refuse('search', says('core.unsearchable'))
  const asWritten = containing(SEARCH, text)
  const short = canonical(text)
  return short === text ? asWritten : sql`(${asWritten} or ${containing(SEARCH, short)})`
}

function conditionOf(name: string, field: FieldAt, column: Column, columns: KindColumns, text: string): Filter | null {
  if (text.length > MAX_VALUE_LENGTH) throw refuse(name, says('core.filter_too_long', { most: MAX_VALUE_LENGTH }))
  if (text.includes('\0')) throw refuse(name, says('core.unsearchable'))
  const said = parseFilter(text, plainOperator[field.type])
  if (!said) return null
  if (said.values.length > MAX_VALUES) throw refuse(name, says('core.filter_too_many', { most: MAX_VALUES }))
  const term = field.addresses ? { ...said, values: said.values.map((value) => value && canonical(value)) } : said
  return { ...whereOf(name, field, column, columns, term), bounds: boundsOf(name, field, columns, term) }
}

function whereOf(name: string, field: FieldAt, column: Column, columns: KindColumns, term: FilterTerm): Where {
  switch (field.type) {
    case 'text':
      return textCondition(name, column, columns, term)
    case 'id':
      // no index supports partial IDs; the search matches them instead
      if (term.operator === 'contains' || term.operator === 'starts') throw refuse(name, says('core.compared_whole'))
      return textCondition(name, column, columns, term)
    case 'tags':
      return { where: tagsCondition(name, column, term) }
    case 'number':
    case 'time':
    case 'boolean':
      return { where: plainCondition(name, field.type, column, term) }
  }
}

function boundsOf(name: string, { path, type }: FieldAt, columns: KindColumns, term: FilterTerm): Bounds | null {
  if (type === 'tags' || term.operator === 'contains') return null
  const given = term.values.filter((value) => value !== null)
  const missing = given.length < term.values.length
  if (term.operator === 'not') return { path, nulls: missing ? 'never' : 'also' }
  if (given.length === 0) return { path, nulls: 'only' }
  const isNatural = naturalOf({ path }, columns) !== undefined
  if (term.operator === 'starts') {
    if (!isNatural) return null
    const min = naturalStart(given[0]!)
    return { path, min, max: min + LAST_CHARACTER, nulls: 'never' }
  }
  const values = given.map((value) => {
    if (type === 'text' || type === 'id') return isNatural ? naturalKey(value) : cut(value)
    return readPlain(name, type, value)
  })
  const sorted = values.toSorted((one, other) =>
    typeof one === 'string'
      ? Buffer.compare(Buffer.from(one), Buffer.from(other as string))
      : Number(one) - Number(other),
  )
  return {
    path,
    min: term.operator === 'lte' ? undefined : sorted[0],
    max: term.operator === 'gte' ? undefined : sorted[sorted.length - 1],
    nulls: missing ? 'also' : 'never',
  }
}
