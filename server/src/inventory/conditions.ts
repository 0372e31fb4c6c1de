import { parseFilter, type FilterOperator, type FilterTerm } from '@mainstay/contract/core/filters'
import { badField, type Problem } from '@mainstay/contract/core/problems'
import type { FieldAt } from '@mainstay/contract/core/kind'
import type { PageQuery } from '@mainstay/contract/core/paging'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type RawBuilder } from 'kysely'
import { wellFormed } from './well-formed'
import { cut, naturalKey, searchable, SEARCH, type Column, type KindColumns } from './columns'

export type Condition = RawBuilder<boolean>

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

/** The conditions of a list query on a kind's side table. Throws `invalid_filter` naming the parameter. */
export function conditionsOf(columns: KindColumns, scope: Scope, query: PageQuery): Condition[] {
  const conditions: Condition[] = []
  for (const [name, given] of Object.entries(query)) {
    if (pageWords.has(name)) continue
    const field = Object.hasOwn(columns.kind.filters, name) ? columns.kind.filters[name] : undefined
    const column = columns.filters.get(name)
    // a filter on what a scope may not read would tell it all the same
    const hidden = field && scope.kind !== 'system' && columns.kind.systemOnly.includes(field.path)
    if (!field || !column || hidden) throw refuse(name, `There is no filter "${name.slice(0, 64)}" here`)
    for (const text of Array.isArray(given) ? (given as unknown[]) : [given]) {
      if (text === undefined || text === null || text === '') continue
      if (typeof text === 'object') throw refuse(name, 'Use a text')
      const condition = conditionOf(name, field, column, columns, String(text as string | number | boolean))
      if (condition) conditions.push(condition)
    }
  }
  if (query.search !== undefined && query.search !== '') conditions.push(searchCondition(query.search))
  return conditions
}

const refuse = (name: string, message: string): Problem => badField(name.slice(0, 64), message, 'invalid_filter')

/** Texts that contain these words, whatever the case. */
function searchCondition(text: string): Condition {
  if (text.includes('\0')) throw badField('search', 'This text cannot be searched for', 'invalid_filter')
  return sql`${sql.id(SEARCH)} like ${containing(searchable(text))}`
}

/** A LIKE pattern in which nothing of the text is a wildcard. */
const containing = (text: string): string => `%${wellFormed(text).replace(/[\\%_]/g, (found) => `\\${found}`)}%`

function conditionOf(
  name: string,
  field: FieldAt,
  column: Column,
  columns: KindColumns,
  text: string,
): Condition | null {
  if (text.length > MAX_VALUE_LENGTH) throw refuse(name, `Use at most ${MAX_VALUE_LENGTH} characters`)
  if (text.includes('\0')) throw refuse(name, 'This text cannot be searched for')
  const term = parseFilter(text, plainOperator[field.type])
  if (!term) return null
  if (term.values.length > MAX_VALUES) throw refuse(name, `Use at most ${MAX_VALUES} values`)
  switch (field.type) {
    case 'text':
    case 'id':
      return textCondition(name, column, columns, term)
    case 'tags':
      return tagsCondition(name, column, term)
    case 'number':
    case 'time':
    case 'boolean':
      return plainCondition(name, field.type, column, term)
  }
}

function textCondition(name: string, column: Column, columns: KindColumns, term: FilterTerm): Condition {
  const at = sql.id(column.name)
  const [first] = term.values
  const texts = term.values.filter((value) => value !== null).map(cut)
  switch (term.operator) {
    case 'contains': {
      const part = searchable(texts[0] ?? '')
      const folded = columns.columns.find((other) => other.type === 'folded' && other.path === column.path)
      const inColumn = sql<boolean>`${folded ? sql.id(folded.name) : sql`lower(${at})`} like ${containing(part)}`
      // the search holds this text as well, and has an index for it
      if (!columns.kind.search.includes(column.path)) return inColumn
      return sql`(${sql.id(SEARCH)} like ${containing(part)} and ${inColumn})`
    }
    case 'exact':
    case 'in':
    case 'any': {
      const some = oneOf(column, columns, texts)
      if (!term.values.includes(null)) return some
      return texts.length > 0 ? sql`(${some} or ${at} is null)` : sql`${at} is null`
    }
    case 'not':
      return first === null ? sql`${at} is not null` : sql`${at} is distinct from ${texts[0]}`
    case 'gte':
    case 'lte':
      throw refuse(name, 'Only numbers and times are compared by size')
  }
}

function oneOf(column: Column, columns: KindColumns, texts: string[]): Condition {
  const exact = sql<boolean>`${sql.id(column.name)} = any(${texts}::text[])`
  const natural = columns.columns.find((other) => other.type === 'natural' && other.path === column.path)
  if (!natural) return exact
  // implied, and what the index holds
  return sql`(${exact} and ${sql.id(natural.name)} = any(${texts.map(naturalKey)}::text[]))`
}

function tagsCondition(name: string, column: Column, term: FilterTerm): Condition {
  const at = sql.id(column.name)
  const tags = term.values.filter((value) => value !== null).map(cut)
  const none = sql<boolean>`coalesce(cardinality(${at}), 0) = 0`
  switch (term.operator) {
    case 'contains':
      return sql`lower(array_to_string(${at}, ' ')) like ${containing(searchable(tags[0] ?? ''))}`
    case 'exact':
    case 'in':
    case 'any': {
      const some = sql<boolean>`${at} && ${tags}::text[]`
      if (!term.values.includes(null)) return some
      return tags.length > 0 ? sql`(${some} or ${none})` : none
    }
    case 'not':
      return tags.length > 0 ? sql`not coalesce(${at} && ${tags}::text[], false)` : sql`not (${none})`
    case 'gte':
    case 'lte':
      throw refuse(name, 'Only numbers and times are compared by size')
  }
}

function plainCondition(
  name: string,
  type: 'number' | 'time' | 'boolean',
  column: Column,
  term: FilterTerm,
): Condition {
  const at = sql.id(column.name)
  const values = term.values.filter((value) => value !== null).map((value) => readPlain(name, type, value))
  const cast = sql.raw(type === 'boolean' ? 'boolean[]' : 'double precision[]')
  switch (term.operator) {
    case 'exact':
    case 'in':
    case 'any': {
      const some = sql<boolean>`${at} = any(${values}::${cast})`
      if (!term.values.includes(null)) return some
      return values.length > 0 ? sql`(${some} or ${at} is null)` : sql`${at} is null`
    }
    case 'not':
      return values.length > 0 ? sql`${at} is distinct from ${values[0]}` : sql`${at} is not null`
    case 'gte':
    case 'lte':
      if (type === 'boolean' || values.length === 0) throw refuse(name, 'Only numbers and times are compared by size')
      return term.operator === 'gte' ? sql`${at} >= ${values[0]}` : sql`${at} <= ${values[0]}`
    case 'contains':
      throw refuse(name, 'Only texts are looked into')
  }
}

function readPlain(name: string, type: 'number' | 'time' | 'boolean', text: string): number | boolean {
  if (type === 'boolean') {
    if (/^(true|1)$/i.test(text)) return true
    if (/^(false|0)$/i.test(text)) return false
    throw refuse(name, 'Use true or false')
  }
  if (type === 'number') {
    const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text.trim()) ? Number(text) : Number.NaN
    if (!Number.isFinite(number)) throw refuse(name, 'Use a number')
    return number
  }
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isFinite(time)) throw refuse(name, 'Use a time such as 2026-01-31T12:00:00Z')
  return time
}
