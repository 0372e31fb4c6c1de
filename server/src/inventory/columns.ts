import { createHash } from 'node:crypto'
import type { FieldAt } from '@mainstay/contract/core/fields'
import { valueAt, type Kind } from '@mainstay/contract/core/kind'
import { readersOf } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import { wellFormed } from './well-formed'

/*
 * Each kind has a narrow table beside `resource` with one typed column for every path that it filters or sorts by.
 * PostgreSQL keeps real statistics of such columns and reads all of 100 000 rows in some 20 ms at worst, where the
 * same expressions over `body` cost ten times as much and are guessed at by the planner.
 */

/** Longest text in a column; what is longer is cut off, here and in what it is compared with. */
export const MAX_COLUMN_TEXT = 256

/** `natural`: sorted by. `folded`: looked into. Both are made here, so that they are alike on every PostgreSQL. */
type ColumnType = 'text' | 'natural' | 'folded' | 'number' | 'boolean' | 'tags'

export interface Column {
  /** Unquoted name; a first letter says the type, so that one path may be held in two ways. */
  name: string
  path: string
  type: ColumnType
  /** Sorted by: its index ends with the id. */
  sorted: boolean
  indexed: boolean
}

export interface KindColumns {
  kind: Kind
  table: string
  columns: Column[]
  /** Column of each filter and sort key by its name in the query. */
  filters: Map<string, Column>
  sortKeys: Map<string, Column>
  /** Of the declaration: another one has a table of its own. Changes whenever rows would have to be made anew. */
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

/** With whom a row is shared; a column of kinds that can be. */
export const READERS = '!readers'
export const SEARCH = '!search'
/** Whose row it is: columns of every side table, named like the field. */
export const ownerColumns = ['project_id', 'domain_id', 'user_id'] as const

/**
 * The column whose value every row has in common that a scope sees of a kind; null where there is none. Sort indexes
 * begin with it.
 */
export function ownerColumn(kind: Kind): (typeof ownerColumns)[number] | null {
  const { visibility } = kind
  if (isShareable(kind) || visibility === 'global' || visibility === 'system') return null
  return ({ project: 'project_id', domain: 'domain_id', administered: 'domain_id', owner: 'user_id' } as const)[
    visibility
  ]
}

/** How a kind's declared paths are held. Throws when a declaration cannot be served. */
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
    // the index of the natural form serves the plain one as well; texts that are looked into by parts have the search
    if (column.type === 'text' && columns.has(`~${column.path}`)) column.indexed = false
    if (column.type === 'folded' || column.name === 'id') column.indexed = false
    if (column.name === ownerColumn(kind) && !column.sorted) column.indexed = false
    if (column.name === 'user_id' && kind.visibility !== 'owner' && !filters.has('user_id')) column.indexed = false
  }
  const hidden = kind.search.find((path) => kind.systemOnly.includes(path))
  if (hidden) throw new Error(`${kind.name} would tell everybody about ${hidden} through its search`)
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

/** What a row holds for each column, `!readers` and `!search` included. */
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

/** Whether rows of a kind can be seen by others than those whom its visibility names. */
export const isShareable = ({ shared, policies }: Kind): boolean => shared !== undefined || policies !== undefined

/** Texts as they are looked into: without case, in one normal form. Lines separate fields, so none reaches across. */
export const searchable = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('\n', ' ')

/** A value in the form of a column; null where it has none. Times are milliseconds since 1970. */
export function columnValue(type: ColumnType, value: unknown): string | number | boolean | string[] | null {
  // no tags and none known is the same to who filters, and an index finds empty lists
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
 * A text whose order by bytes is the order in which people expect names: without case and accents first, and numbers
 * by their value: each run of digits is led by its length. Independent of the database's collations and versions.
 */
export const naturalKey = (text: string): string =>
  cut(
    plainOf(text).replace(/[0-9]+/g, (digits) => {
      const number = digits.replace(/^0+(?=.)/, '')
      return number.length < 9 ? `${number.length}${number}` : `9${String(number.length).padStart(3, '0')}${number}`
    }),
  )

/** What the natural keys of all texts begin with that begin with this one: 1 at its end may become 12. */
export const naturalStart = (text: string): string => naturalKey(plainOf(text).replace(/[0-9]+$/, ''))

const plainOf = (text: string): string =>
  wellFormed(text.slice(0, MAX_COLUMN_TEXT)).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
