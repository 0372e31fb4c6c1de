import { says, type RuleText } from '@mainstay/contract/core/said'
import type { FilterTerm } from '@mainstay/contract/core/lists/filters'
import { type Problem, problemOf } from '@mainstay/contract/core/problems'
import { isoTimeOrUtc } from '@mainstay/contract/core/times'
import { sql, type RawBuilder } from 'kysely'
import { cut, naturalKey, naturalStart, searchable, SEARCH, type Column, type KindColumns } from '../columns'
import { wellFormed } from '../well-formed'

/*
 * SQL for each filter operator.
 */

export type Condition = RawBuilder<boolean>

export interface Where {
  /** Condition that an index can evaluate. */
  where: Condition
  /** Condition to check on each row that `where` finds; omitted if `where` is exact. */
  exactly?: Condition
}

export const refuse = (name: string, message: RuleText): Problem => problemOf(message, { field: name.slice(0, 64) })

/** Case-insensitive substring match on a folded column. */
export const containing = (column: string, text: string): Condition =>
  sql`${sql.id(column)} like ${likePart(wellFormed(searchable(text)))}`

/** A LIKE pattern that matches the text literally. */
const likePart = (part: string): string => `%${literally(part)}%`
const literally = (text: string): string => text.replace(/[\\%_]/g, (found) => `\\${found}`)

/** Sorts after every text that continues a prefix. */
export const LAST_CHARACTER = '\u{10FFFF}'

export function textCondition(name: string, column: Column, columns: KindColumns, term: FilterTerm): Where {
  const [first] = term.values
  const texts = term.values.filter((value) => value !== null).map(cut)
  const missing = term.values.includes(null)
  switch (term.operator) {
    case 'contains': {
      const inColumn = containing(foldedOf(column, columns).name, texts[0] ?? '')
      if (!columns.kind.search.includes(column.path)) return { where: inColumn }
      // the search column also contains this text, and it has an index
      return { where: containing(SEARCH, texts[0] ?? ''), exactly: inColumn }
    }
    case 'starts': {
      const text = texts[0] ?? ''
      const folded = foldedOf(column, columns).name
      const exactly = sql<boolean>`${sql.id(folded)} like ${`${literally(wellFormed(searchable(text)))}%`}`
      const natural = naturalOf(column, columns)
      if (!natural) return { where: exactly }
      const [from, at] = [naturalStart(text), sql.id(natural.name)]
      return { where: sql`(${at} >= ${from} and ${at} < ${from + LAST_CHARACTER})`, exactly }
    }
    case 'exact':
    case 'in':
    case 'any': {
      const exact = amongTexts(column, texts, missing)
      // equal values have equal natural keys, and those are indexed
      const natural = naturalOf(column, columns)
      if (!natural) return { where: exact }
      return { where: amongTexts(natural, texts.map(naturalKey), missing), exactly: exact }
    }
    case 'not':
      return { where: first === null ? sql`${sql.id(column.name)} is not null` : otherThan(column, texts[0]) }
    case 'gte':
    case 'lte':
      throw refuse(name, says('core.compare_by_size'))
  }
}

/** The natural (sort) column for a path, if any. It is the indexed one. */
export const naturalOf = ({ path }: Pick<Column, 'path'>, { columns }: KindColumns): Column | undefined =>
  columns.find((other) => other.type === 'natural' && other.path === path)

/** The folded column for a path, which exists for every text filter. */
const foldedOf = ({ path }: Column, { columns }: KindColumns): Column =>
  columns.find((other) => other.type === 'folded' && other.path === path)!

function amongTexts({ name }: Column, texts: string[], missing: boolean): Condition {
  const some = sql<boolean>`${sql.id(name)} = any(${texts}::text[])`
  if (!missing) return some
  return texts.length > 0 ? sql`(${some} or ${sql.id(name)} is null)` : sql`${sql.id(name)} is null`
}

/** Written as two ranges, so that an index helps if almost all rows have the value. */
const otherThan = ({ name }: Column, value: unknown): Condition =>
  sql`(${sql.id(name)} < ${value} or ${sql.id(name)} > ${value} or ${sql.id(name)} is null)`

export function tagsCondition(name: string, column: Column, term: FilterTerm): Condition {
  const at = sql.id(column.name)
  const tags = term.values.filter((value) => value !== null).map(cut)
  const none = sql<boolean>`${at} <@ '{}'::text[]`
  const some = sql<boolean>`${at} && ${tags}::text[]`
  switch (term.operator) {
    case 'contains':
      return sql`lower(array_to_string(${at}, ' ')) like ${likePart(wellFormed(searchable(tags[0] ?? '')))}`
    case 'exact':
    case 'in':
    case 'any':
      if (!term.values.includes(null)) return some
      return tags.length > 0 ? sql`(${some} or ${none})` : none
    case 'not':
      return tags.length > 0 ? sql`not ${some}` : sql`not ${none}`
    case 'starts':
      throw refuse(name, says('core.compare_by_start'))
    case 'gte':
    case 'lte':
      throw refuse(name, says('core.compare_by_size'))
  }
}

export function plainCondition(
  name: string,
  type: 'number' | 'time' | 'boolean',
  column: Column,
  term: FilterTerm,
): Condition {
  const at = sql.id(column.name)
  const values = term.values.filter((value) => value !== null).map((value) => readPlain(name, type, value))
  const [value] = values
  switch (term.operator) {
    case 'exact':
    case 'in':
    case 'any': {
      const cast = sql.raw(type === 'boolean' ? 'boolean[]' : 'double precision[]')
      const some = sql<boolean>`${at} = any(${values}::${cast})`
      if (!term.values.includes(null)) return some
      return values.length > 0 ? sql`(${some} or ${at} is null)` : sql`${at} is null`
    }
    case 'not':
      return value === undefined ? sql`${at} is not null` : otherThan(column, value)
    case 'gte':
    case 'lte':
      if (type === 'boolean' || value === undefined) throw refuse(name, says('core.compare_by_size'))
      return term.operator === 'gte' ? sql`${at} >= ${value}` : sql`${at} <= ${value}`
    case 'contains':
    case 'starts':
      throw refuse(name, says('core.compare_in_part'))
  }
}

/** Parses a filter value. Throws `invalid_filter`. */
export function readPlain(name: string, type: 'number' | 'time' | 'boolean', text: string): number | boolean {
  if (type === 'boolean') {
    if (/^(true|1)$/i.test(text)) return true
    if (/^(false|0)$/i.test(text)) return false
    throw refuse(name, says('core.true_or_false'))
  }
  if (type === 'number') {
    const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text.trim()) ? Number(text) : Number.NaN
    if (!Number.isFinite(number)) throw refuse(name, says('core.use_a_number'))
    return number
  }
  const time = isoTimeOrUtc(text)
  if (!Number.isFinite(time)) throw refuse(name, says('core.time_form'))
  return time
}
