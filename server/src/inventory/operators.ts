import type { FilterTerm } from '@mainstay/contract/core/filters'
import { badField, type Problem } from '@mainstay/contract/core/problems'
import { sql, type RawBuilder } from 'kysely'
import { cut, naturalKey, searchable, SEARCH, type Column, type KindColumns } from './columns'
import { hasNoTags, spelledTags, tagMark } from './in-memory/column-copy'
import type { CopyCondition } from './in-memory/table-copy'
import { wellFormed } from './well-formed'

/*
 * What each operator of a filter means: to the database, and to a copy of the kind's table in memory.
 */

export type Condition = RawBuilder<boolean>

export interface Where {
  /** What an index can find and the planner can judge. */
  where: Condition
  /** What has to be looked at in each row found by it; left out where the first says all. */
  exactly?: Condition
  /** Both, for rows in memory. */
  holds: CopyCondition
}

export const refuse = (name: string, message: string): Problem => badField(name.slice(0, 64), message, 'invalid_filter')

/** Rows of a copy whose text in a column is right; a row without one never is. */
const textIn =
  (column: string, judge: (text: string) => boolean): CopyCondition =>
  (copy) =>
    copy.texts(column).where((text) => text !== null && judge(text))

/** Texts of a folded column that contain a text, whatever the case. */
export function containing(column: string, text: string): Where {
  const part = wellFormed(searchable(text))
  return { where: sql`${sql.id(column)} like ${likePart(part)}`, holds: (copy) => copy.texts(column).containing(part) }
}

const both =
  (one: CopyCondition, other: CopyCondition): CopyCondition =>
  (copy) => {
    const [first, second] = [one(copy), other(copy)]
    return (row) => first(row) && second(row)
  }

/** A LIKE pattern in which nothing of the text is a wildcard. */
const likePart = (part: string): string => `%${part.replace(/[\\%_]/g, (found) => `\\${found}`)}%`

export function textCondition(name: string, column: Column, columns: KindColumns, term: FilterTerm): Where {
  const at = sql.id(column.name)
  const [first] = term.values
  const texts = term.values.filter((value) => value !== null).map(cut)
  const missing = term.values.includes(null)
  switch (term.operator) {
    case 'contains': {
      const inColumn = containing(foldedOf(column, columns).name, texts[0] ?? '')
      if (!columns.kind.search.includes(column.path)) return inColumn
      // the search holds this text as well, and has an index for it
      const part = wellFormed(searchable(texts[0] ?? ''))
      const inSearch = textIn(SEARCH, (text) => text.includes(part))
      return {
        where: sql`${sql.id(SEARCH)} like ${likePart(part)}`,
        exactly: inColumn.where,
        holds: both(inColumn.holds, inSearch),
      }
    }
    case 'exact':
    case 'in':
    case 'any': {
      const exact = amongTexts(column, texts, missing)
      const some = new Set<string | null>(missing ? [...texts, null] : texts)
      const holds: CopyCondition = (copy) => copy.texts(column.name).where((text) => some.has(text))
      // the form that is sorted by is implied, and what the index holds
      const natural = naturalOf(column, columns)
      if (!natural) return { where: exact, holds }
      return { where: amongTexts(natural, texts.map(naturalKey), missing), exactly: exact, holds }
    }
    case 'not':
      if (first === null) return { where: sql`${at} is not null`, holds: textIn(column.name, () => true) }
      return {
        where: otherThan(column, texts[0]),
        holds: (copy) => copy.texts(column.name).where((text) => text !== texts[0]),
      }
    case 'gte':
    case 'lte':
      throw refuse(name, 'Only numbers and times are compared by size')
  }
}

/** The form of a column that is sorted by; where there is one it holds the index. */
export const naturalOf = ({ path }: Pick<Column, 'path'>, { columns }: KindColumns): Column | undefined =>
  columns.find((other) => other.type === 'natural' && other.path === path)

/** The form that is looked into; every text that is filtered by has one. */
const foldedOf = ({ path }: Column, { columns }: KindColumns): Column =>
  columns.find((other) => other.type === 'folded' && other.path === path)!

function amongTexts({ name }: Column, texts: string[], missing: boolean): Condition {
  const some = sql<boolean>`${sql.id(name)} = any(${texts}::text[])`
  if (!missing) return some
  return texts.length > 0 ? sql`(${some} or ${sql.id(name)} is null)` : sql`${sql.id(name)} is null`
}

/** Said in a way that an index can find the few where almost all have the value. */
const otherThan = ({ name }: Column, value: unknown): Condition =>
  sql`(${sql.id(name)} < ${value} or ${sql.id(name)} > ${value} or ${sql.id(name)} is null)`

export function tagsCondition(name: string, column: Column, term: FilterTerm): Where {
  const at = sql.id(column.name)
  const tags = term.values.filter((value) => value !== null).map(cut)
  const marks = tags.map(tagMark)
  const none = sql<boolean>`${at} <@ '{}'::text[]`
  const some = sql<boolean>`${at} && ${tags}::text[]`
  const hasSome = (joined: string): boolean => marks.some((mark) => joined.includes(mark))
  const given = (judge: (joined: string) => boolean): CopyCondition => textIn(column.name, judge)
  switch (term.operator) {
    case 'contains': {
      const part = wellFormed(searchable(tags[0] ?? ''))
      return {
        where: sql`lower(array_to_string(${at}, ' ')) like ${likePart(part)}`,
        holds: given((joined) => lowerAscii(spelledTags(joined)).includes(part)),
      }
    }
    case 'exact':
    case 'in':
    case 'any':
      if (!term.values.includes(null)) return { where: some, holds: given(hasSome) }
      return {
        where: tags.length > 0 ? sql`(${some} or ${none})` : none,
        holds: given((joined) => hasNoTags(joined) || hasSome(joined)),
      }
    case 'not':
      return tags.length > 0
        ? { where: sql`not ${some}`, holds: given((joined) => !hasSome(joined)) }
        : { where: sql`not ${none}`, holds: given((joined) => !hasNoTags(joined)) }
    case 'gte':
    case 'lte':
      throw refuse(name, 'Only numbers and times are compared by size')
  }
}

/** As `lower` of the database does it without a language. */
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (found) => found.toLowerCase())

export function plainCondition(
  name: string,
  type: 'number' | 'time' | 'boolean',
  column: Column,
  term: FilterTerm,
): Where {
  const at = sql.id(column.name)
  const values = term.values.filter((value) => value !== null).map((value) => readPlain(name, type, value))
  const [value] = values
  const missing = term.values.includes(null)
  const numbers = new Set(values.map(Number))
  const bound = Number(value)
  const given =
    (judge: (number: number) => boolean): CopyCondition =>
    (copy) =>
      copy.numbers(column.name).where(judge)
  switch (term.operator) {
    case 'exact':
    case 'in':
    case 'any': {
      const cast = sql.raw(type === 'boolean' ? 'boolean[]' : 'double precision[]')
      const some = sql<boolean>`${at} = any(${values}::${cast})`
      if (!missing) return { where: some, holds: given((number) => numbers.has(number)) }
      return {
        where: values.length > 0 ? sql`(${some} or ${at} is null)` : sql`${at} is null`,
        holds: given((number) => Number.isNaN(number) || numbers.has(number)),
      }
    }
    case 'not':
      return value === undefined
        ? { where: sql`${at} is not null`, holds: given((number) => !Number.isNaN(number)) }
        : { where: otherThan(column, value), holds: given((number) => number !== bound) }
    case 'gte':
    case 'lte':
      if (type === 'boolean' || value === undefined) throw refuse(name, 'Only numbers and times are compared by size')
      return term.operator === 'gte'
        ? { where: sql`${at} >= ${value}`, holds: given((number) => number >= bound) }
        : { where: sql`${at} <= ${value}`, holds: given((number) => number <= bound) }
    case 'contains':
      throw refuse(name, 'Only texts are looked into')
  }
}

/** A filter's value of one of these types; throws `invalid_filter`. */
export function readPlain(name: string, type: 'number' | 'time' | 'boolean', text: string): number | boolean {
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
