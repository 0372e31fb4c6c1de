import { parseFilter, type FilterOperator, type FilterTerm } from '@mainstay/contract/core/filters'
import { badField, type Problem } from '@mainstay/contract/core/problems'
import type { FieldAt } from '@mainstay/contract/core/kind'
import type { PageQuery } from '@mainstay/contract/core/paging'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type RawBuilder } from 'kysely'
import { wellFormed } from './well-formed'
import { cut, naturalKey, searchable, SEARCH, type Column, type KindColumns } from './columns'

export type Condition = RawBuilder<boolean>

/** What a condition says of one path's values in the form in which they are sorted. */
export interface Bounds {
  path: string
  min?: string | number | boolean | undefined
  max?: string | number | boolean | undefined
  /** Whether rows without a value may match, or only they. */
  nulls: 'never' | 'also' | 'only'
}

export interface Filter {
  /** What an index can find and the planner can judge. */
  where: Condition
  /** What has to be looked at in each row found by it; left out where the first says all. */
  exactly?: Condition
  /** Lets a list that is sorted by the same path begin and end where the rows are. */
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

/** The conditions of a list query on a kind's side table. Throws `invalid_filter` naming the parameter. */
export function filtersOf(columns: KindColumns, scope: Scope, query: PageQuery): Filter[] {
  const conditions: Filter[] = []
  for (const [name, given] of Object.entries(query)) {
    if (pageWords.has(name)) continue
    const field = Object.hasOwn(columns.kind.filters, name) ? columns.kind.filters[name] : undefined
    const column = columns.filters.get(name)
    // a filter on what a scope may not read would tell it all the same
    const hidden = field && scope.kind !== 'system' && columns.kind.systemOnly.includes(field.path)
    if (!field || !column || hidden) throw refuse(name, `There is no filter "${name.slice(0, 64)}" here`)
    for (const text of Array.isArray(given) ? (given as unknown[]) : [given]) {
      if (text === undefined || text === null || text === '') continue
      if (typeof text !== 'string' && typeof text !== 'number' && typeof text !== 'boolean')
        throw refuse(name, 'Use a text')
      const condition = conditionOf(name, field, column, columns, String(text))
      if (condition) conditions.push(condition)
    }
  }
  if (query.search !== undefined && query.search !== '')
    conditions.push({ where: searchCondition(query.search), bounds: null })
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

function conditionOf(name: string, field: FieldAt, column: Column, columns: KindColumns, text: string): Filter | null {
  if (text.length > MAX_VALUE_LENGTH) throw refuse(name, `Use at most ${MAX_VALUE_LENGTH} characters`)
  if (text.includes('\0')) throw refuse(name, 'This text cannot be searched for')
  const term = parseFilter(text, plainOperator[field.type])
  if (!term) return null
  if (term.values.length > MAX_VALUES) throw refuse(name, `Use at most ${MAX_VALUES} values`)
  return { ...whereOf(name, field, column, columns, term), bounds: boundsOf(name, field, columns, term) }
}

type Where = Omit<Filter, 'bounds'>

function whereOf(name: string, field: FieldAt, column: Column, columns: KindColumns, term: FilterTerm): Where {
  switch (field.type) {
    case 'text':
      return textCondition(name, column, columns, term)
    case 'id':
      // nobody knows a part of an id, and no index would help to find one; the search looks into ids
      if (term.operator === 'contains') throw refuse(name, 'These are compared whole; use the search for a part')
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

function textCondition(name: string, column: Column, columns: KindColumns, term: FilterTerm): Where {
  const at = sql.id(column.name)
  const [first] = term.values
  const texts = term.values.filter((value) => value !== null).map(cut)
  switch (term.operator) {
    case 'contains': {
      const part = searchable(texts[0] ?? '')
      const folded = columns.columns.find((other) => other.type === 'folded' && other.path === column.path)
      const inColumn = sql<boolean>`${folded ? sql.id(folded.name) : sql`lower(${at})`} like ${containing(part)}`
      if (!columns.kind.search.includes(column.path)) return { where: inColumn }
      // the search holds this text as well, and has an index for it
      return { where: sql`${sql.id(SEARCH)} like ${containing(part)}`, exactly: inColumn }
    }
    case 'exact':
    case 'in':
    case 'any': {
      const missing = term.values.includes(null)
      const exact = amongTexts(column, texts, missing)
      // the form that is sorted by is implied, and what the index holds
      const natural = naturalOf(column, columns)
      return natural ? { where: amongTexts(natural, texts.map(naturalKey), missing), exactly: exact } : { where: exact }
    }
    case 'not':
      return { where: first === null ? sql`${at} is not null` : otherThan(column, texts[0]) }
    case 'gte':
    case 'lte':
      throw refuse(name, 'Only numbers and times are compared by size')
  }
}

/** The form of a column that is sorted by; where there is one it holds the index. */
const naturalOf = ({ path }: Pick<Column, 'path'>, { columns }: KindColumns): Column | undefined =>
  columns.find((other) => other.type === 'natural' && other.path === path)

function amongTexts({ name }: Column, texts: string[], missing: boolean): Condition {
  const some = sql<boolean>`${sql.id(name)} = any(${texts}::text[])`
  if (!missing) return some
  return texts.length > 0 ? sql`(${some} or ${sql.id(name)} is null)` : sql`${sql.id(name)} is null`
}

/** Said in a way that an index can find the few where almost all have the value. */
const otherThan = ({ name }: Column, value: unknown): Condition =>
  sql`(${sql.id(name)} < ${value} or ${sql.id(name)} > ${value} or ${sql.id(name)} is null)`

function tagsCondition(name: string, column: Column, term: FilterTerm): Condition {
  const at = sql.id(column.name)
  const tags = term.values.filter((value) => value !== null).map(cut)
  const none = sql<boolean>`${at} <@ '{}'::text[]`
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
      return tags.length > 0 ? sql`not ${at} && ${tags}::text[]` : sql`not ${none}`
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
      return values.length > 0 ? otherThan(column, values[0]) : sql`${at} is not null`
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
