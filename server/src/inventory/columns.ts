import { createHash } from 'node:crypto'
import type { FieldAt } from '@mainstay/contract/core/fields'
import { valueAt, type Kind } from '@mainstay/contract/core/kind'
import { readersOf } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import { wellFormed } from './well-formed'

/*
 * Each kind has a narrow side table next to `resource`, with one typed column for every path that the kind filters or
 * sorts by. PostgreSQL keeps statistics on these columns and scans 100 000 rows in at most about 20 ms. The same
 * expressions over `body` take ten times as long, and the planner has to guess their selectivity.
 */

/** Maximum length of a text column. Both stored values and the values they are compared with are truncated to it. */
export const MAX_COLUMN_TEXT = 256

/**
 * `natural`: sort key. `folded`: normalized for substring search. Both are computed here rather than in SQL, so that
 * they do not depend on the PostgreSQL version.
 */
type ColumnType = 'text' | 'natural' | 'folded' | 'number' | 'boolean' | 'tags'

export interface Column {
  /** Unquoted name. The prefix encodes the type, because one path can have columns of several types. */
  name: string
  path: string
  type: ColumnType
  /** Whether lists can be sorted by it. If so, the ID is the last column of its index. */
  sorted: boolean
  indexed: boolean
}

export interface KindColumns {
  kind: Kind
  table: string
  columns: Column[]
  /** Columns for filters and sort keys, by their name in the query. */
  filters: Map<string, Column>
  sortKeys: Map<string, Column>
  /**
   * Hash of the declaration. It changes whenever existing rows have to be rebuilt, and each version has its own table.
   */
  signature: string
}

const typeOfFilter: Record<FieldAt['type'], ColumnType> = {
  text: 'text',
  id: 'text',
  number: 'number',
  time: 'number',
  boolean: 'boolean',
  tags: 'tags',
}
const mark: Record<ColumnType, string> = { text: '', natural: '~', folded: '^', number: '#', boolean: '?', tags: '*' }

/** Column that lists the readers of a row. Only kinds whose rows can be shared have it. */
export const READERS = '!readers'
export const SEARCH = '!search'
/** Owner columns in every side table, named after the fields. */
export const ownerColumns = ['project_id', 'domain_id', 'user_id'] as const

/**
 * The owner column that has the same value in all rows of the kind that a scope can see, or null if there is none. Sort
 * indexes begin with it.
 */
export function ownerColumn(kind: Kind): (typeof ownerColumns)[number] | null {
  const { visibility } = kind
  if (isShareable(kind) || visibility === 'global' || visibility === 'system') return null
  return ({ project: 'project_id', domain: 'domain_id', administered: 'domain_id', owner: 'user_id' } as const)[
    visibility
  ]
}

/** Columns for the paths that a kind declares. Throws if the declaration is invalid. */
export function columnsOf(kind: Kind): KindColumns {
  const columns = new Map<string, Column>()
  const hold = (path: string, type: ColumnType, sorted: boolean): Column => {
    const name = `${mark[type]}${path}`
    if (Buffer.byteLength(name) > 60) throw new Error(`the path ${path} of ${kind.name} is too long for a column`)
    const column = columns.get(name) ?? { name, path, type, sorted: false, indexed: true }
    column.sorted ||= sorted
    columns.set(name, column)
    return column
  }
  const sortKeys = new Map(
    Object.entries(kind.sortKeys).map(([key, { path, type }]) => [
      key,
      hold(path, type === 'text' ? 'natural' : typeOfFilter[type], true),
    ]),
  )
  const filters = new Map(
    Object.entries(kind.filters).map(([key, { path, type }]) => [key, hold(path, typeOfFilter[type], false)]),
  )
  for (const { path, type } of Object.values(kind.filters)) if (type === 'text') hold(path, 'folded', false)
  for (const path of ownerColumns) hold(path, 'text', false)
  for (const path of kind.sums) if (!columns.has(`${mark.number}${path}`)) hold(path, 'number', false).indexed = false
  for (const column of columns.values()) {
    // the index on the natural column also covers the plain one; substring filters use the search index
    if (column.type === 'text' && columns.has(`~${column.path}`)) column.indexed = false
    if (column.type === 'folded' || column.name === 'id') column.indexed = false
    if (column.name === ownerColumn(kind) && !column.sorted) column.indexed = false
    if (column.name === 'user_id' && kind.visibility !== 'owner' && !filters.has('user_id')) column.indexed = false
  }
  const hidden = kind.search.find((path) => kind.systemOnly.includes(path))
  if (hidden) throw new Error(`${kind.name} would reveal ${hidden} to everyone through its search`)
  const shape = {
    kind: kind.name,
    columns: [...columns.values()],
    search: kind.search,
    shared: kind.shared,
    policies: kind.policies,
    home: ownerColumn(kind),
    derive: kind.derive?.version,
  }
  const signature = createHash('sha256')
    .update(`11 ${JSON.stringify(shape)}`)
    .digest('hex')
    .slice(0, 8)
  const table = `index_of_${kind.name}_${signature}`
  return { kind, table, columns: [...columns.values()], filters, sortKeys, signature }
}

export const sqlType: Record<ColumnType, string> = {
  text: 'text collate "C"',
  natural: 'text collate "C"',
  folded: 'text collate "C"',
  number: 'double precision',
  boolean: 'boolean',
  tags: 'text[] collate "C"',
}

/** The values of a row for all columns, including `!readers` and `!search`. */
export function valuesOf({ kind, columns }: KindColumns, entity: Entity, derived: unknown): Record<string, unknown> {
  const row = { ...entity, ...(kind.owns && { [kind.owns]: entity.id }), derived }
  const values: Record<string, unknown> = { id: entity.id }
  for (const { name, path, type } of columns) values[name] = columnValue(type, valueAt(row, path))
  if (isShareable(kind)) values[READERS] = readersOf(kind, entity)
  values[SEARCH] = kind.search
    .map((path) => valueAt(row, path))
    .filter((text) => typeof text === 'string' || typeof text === 'number')
    .map((text) => searchable(String(text)))
    .join('\n')
  return values
}

/** Whether rows of the kind can be shared beyond its declared visibility. */
export const isShareable = ({ shared, policies }: Kind): boolean => shared !== undefined || policies !== undefined

/**
 * Normalizes text for searching: NFC, lower case, and no newlines, which separate fields so that no match spans two.
 */
export const searchable = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('\n', ' ')

/** Converts a value to the type of a column; null if there is no valid value. Times are milliseconds since 1970. */
export function columnValue(type: ColumnType, value: unknown): string | number | boolean | string[] | null {
  // store missing tags as an empty list, because the index can find empty lists but not NULLs
  if (type === 'tags') return Array.isArray(value) ? value.map((item) => cut(String(item))) : []
  if (value === null || value === undefined) return null
  switch (type) {
    case 'number': {
      const number = typeof value === 'string' ? Date.parse(value) : Number(value)
      return Number.isFinite(number) ? number : null
    }
    case 'boolean':
      return Boolean(value)
    case 'folded':
      return searchable(cut(textOf(value)))
    case 'natural':
      return naturalKey(textOf(value))
    case 'text':
      return cut(textOf(value))
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

export const cut = (text: string): string => wellFormed(text.slice(0, MAX_COLUMN_TEXT))

/**
 * Key whose byte order is natural order: case- and accent-insensitive, with digits compared by numeric value (each run
 * of digits is prefixed with its length). Does not depend on the database's version or collations.
 */
export const naturalKey = (text: string): string =>
  cut(
    plainOf(text).replace(/[0-9]+/g, (digits) => {
      const number = digits.replace(/^0+(?=.)/, '')
      return number.length < 9 ? `${number.length}${number}` : `9${String(number.length).padStart(3, '0')}${number}`
    }),
  )

/**
 * The prefix shared by the natural keys of all texts that start with `text`. Drops trailing digits, because "1" may
 * continue as "12".
 */
export const naturalStart = (text: string): string => naturalKey(plainOf(text).replace(/[0-9]+$/, ''))

const plainOf = (text: string): string =>
  wellFormed(text.slice(0, MAX_COLUMN_TEXT)).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
