import { GiB } from './bytes'
import type { Endpoint } from './endpoint'
import { MAX_LIMIT } from './lists/paging'
import { fieldProblem } from './problems'
import { inMicroseconds } from './times'

/*
 * Rewrites convert alternative spellings of a request to the preferred form before it is parsed. A rewrite does not
 * validate: it keeps unknown input as is, so that the schema can refuse it and name the field.
 */

export type Fields = Record<string, unknown>
export type Rewrite = (sent: Fields) => Fields

/** Alternative request forms that a call accepts, and additional fields in its response. */
export interface Tolerance {
  query?: readonly Rewrite[]
  body?: readonly Rewrite[]
  headers?: readonly Rewrite[]
  /** Applied to each row of a page, or to a single response; may depend on the query as sent. */
  answer?: readonly Rewrite[] | ((query: Fields) => readonly Rewrite[])
}

/** Tolerances of the calls of an area. */
export type CallTolerances = readonly (readonly [call: Endpoint, tolerance: Tolerance])[]

/** Whether a value is one of the spellings of false used by clients. */
export const isFalse = (value: unknown): boolean => value === false || value === 'false' || value === 'False'

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Applies rewrites in order; values other than objects are returned as is. */
export const rewritten = (sent: unknown, rewrites: readonly Rewrite[] = []): unknown =>
  isFields(sent) ? rewrites.reduce((fields, rewrite) => rewrite(fields), sent) : sent

/** Applies rewrites to a response, or to the rows of a page. */
export function answered(answer: unknown, given: Tolerance['answer'] = [], query: unknown = {}): unknown {
  const rewrites = typeof given === 'function' ? given(isFields(query) ? query : {}) : given
  if (rewrites.length === 0 || !isFields(answer)) return answer
  const { data } = answer
  return Array.isArray(data)
    ? { ...answer, data: data.map((row: unknown) => rewritten(row, rewrites)) }
    : rewritten(answer, rewrites)
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...others } = fields
  return others
}

/** Renames fields: `{ from: to }`. A field given under both names is kept, so that the schema refuses it as unknown. */
export const renamed =
  (names: Readonly<Record<string, string>>): Rewrite =>
  (sent) =>
    Object.entries(names).reduce(
      (fields, [from, to]) =>
        Object.hasOwn(fields, from) && !Object.hasOwn(fields, to)
          ? { ...without(fields, from), [to]: fields[from] }
          : fields,
      sent,
    )

/** Duplicates fields under another name: `{ ours: theirs }`. */
export const alsoNamed =
  (names: Readonly<Record<string, string>>): Rewrite =>
  (fields) =>
    Object.entries(names).reduce<Fields>(
      (all, [ours, theirs]) => (Object.hasOwn(fields, ours) ? { ...all, [theirs]: fields[ours] } : all),
      fields,
    )

/** Drops fields that have no effect here, either always or only if their value matches the default behavior. */
export const ignored =
  (names: readonly string[], isNothing: (value: unknown) => boolean = () => true): Rewrite =>
  (sent) =>
    names.reduce(
      (fields, name) => (Object.hasOwn(fields, name) && isNothing(fields[name]) ? without(fields, name) : fields),
      sent,
    )

/** Drops fields that are null. */
export const nullsIgnored = (...names: string[]): Rewrite => ignored(names, (value) => value === null)

/** Adds fields that clients expect in a response, unless they are already present. */
export const completed =
  (defaults: Fields): Rewrite =>
  (fields) => ({ ...defaults, ...fields })

/** Returns the maximum number of rows, for clients that request a list only once and do not follow markers. */
export const unpaged: Rewrite = (query) => ({ limit: MAX_LIMIT, ...query })

/** Converts the values of existing fields. */
export const values =
  (names: readonly string[], change: (value: unknown, name: string) => unknown): Rewrite =>
  (sent) =>
    names.reduce(
      (fields, name) => (Object.hasOwn(fields, name) ? { ...fields, [name]: change(fields[name], name) } : fields),
      sent,
    )

/** Accepts `"2"` for 2. */
export const numbers = (...names: string[]): Rewrite =>
  values(names, (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value))

const truths: Readonly<Record<string, boolean>> = { true: true, True: true, false: false, False: false }

/** Accepts `"true"` for true. */
export const booleans = (...names: string[]): Rewrite =>
  values(names, (value) => (typeof value === 'string' && Object.hasOwn(truths, value) ? truths[value] : value))

/** Formats times with microseconds and an offset. */
export const microseconds = (...names: string[]): Rewrite =>
  values(names, (value) =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? inMicroseconds(new Date(value)) : value,
  )

export const lowerCase = (...names: string[]): Rewrite =>
  values(names, (value) => (typeof value === 'string' ? value.toLowerCase() : value))

/** Replaces alternative names for a value: `{ shared: 'private' }`. */
export const words = (name: string, same: Readonly<Record<string, string>>): Rewrite =>
  values([name], (value) => (typeof value === 'string' && Object.hasOwn(same, value) ? same[value] : value))

/** Longer values are passed on unchanged, so that the schema refuses them for their length. */
const MAX_BASE64_LENGTH = 128 * 1024

/** Accepts a base64-encoded PEM file. */
export const pem = (...names: string[]): Rewrite =>
  values(names, (value) => {
    if (typeof value !== 'string' || value.length > MAX_BASE64_LENGTH || !/^[A-Za-z0-9+/=\s]+$/.test(value))
      return value
    const text = decodedBase64(value)
    return text.includes('-----BEGIN ') ? text : value
  })

function decodedBase64(text: string): string {
  try {
    return atob(text)
  } catch {
    return ''
  }
}

/** Rewrites each object in a list. */
export const each = (name: string, ...rewrites: Rewrite[]): Rewrite =>
  values([name], (list) => (Array.isArray(list) ? list.map((item: unknown) => rewritten(item, rewrites)) : list))

/** Rewrites a nested object. */
export const inside = (name: string, ...rewrites: Rewrite[]): Rewrite =>
  values([name], (part) => rewritten(part, rewrites))

/** Accepts `["a"]` for `[{ key: "a" }]`. */
export const objects = (name: string, key: string): Rewrite =>
  values([name], (list) =>
    Array.isArray(list) ? list.map((item: unknown) => (typeof item === 'string' ? { [key]: item } : item)) : list,
  )

/**
 * Largest number that is read as GiB (512 TiB). Numbers of 1073741824 (1 GiB) and above are read as bytes. The two
 * ranges do not overlap.
 */
export const MOST_GIB = 512 * 1024

const isCount = (text: string) => /^\d{1,16}$/.test(text)

/** Converts a size in GiB or bytes, as number or string, to bytes. */
function bytesOf(value: unknown): unknown {
  const size = typeof value === 'string' && isCount(value) ? Number(value) : value
  return typeof size === 'number' && size >= 1 && size <= MOST_GIB ? size * GiB : size
}

/** Accepts sizes in GiB or in bytes. */
export const sizes = (...names: string[]): Rewrite => values(names, bytesOf)

/**
 * Accepts both units in a filter: `2`, `in:1,2`, `gte:1073741824`. Throws an `invalid_filter` error for a size in
 * neither range.
 */
export const sizeFilter = (name: string): Rewrite =>
  values([name], (filter) => {
    if (typeof filter !== 'string') return filter
    const [, operator = '', list = ''] = /^([a-z]+:)?(.*)$/s.exec(filter) ?? []
    const items = list.split(',').map((item) => {
      const bytes = isCount(item) ? Number(bytesOf(item)) : null
      if (bytes !== null && bytes > 0 && bytes < GiB)
        throw fieldProblem(name, 'core.size_filter', { most: MOST_GIB, least: GiB })
      return bytes ?? item
    })
    return `${operator}${items.join(',')}`
  })

/** Emulates tag filters for rows without tags: positive filters match no row, negative ones match all. */
export const tagless: Rewrite = (query) => {
  const { tags, ...others } = query
  if (typeof tags !== 'string') return query
  return /^(not:|not_any:|None$|any:None$)/.test(tags) ? others : { ...others, id: 'no row' }
}

const MAX_PARAMS_LENGTH = 4096

/** Parses a JSON query parameter; undefined if it is invalid. */
function jsonOf(text: string): unknown {
  try {
    return text.length <= MAX_PARAMS_LENGTH ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/**
 * Accepts list parameters in the format of browser grids: `filters={"contained_text": "x"}` and `sorters=[{"property":
 * "timestamp", "direction": "DESC"}]`, separately or combined in `params={...}`. Each filter becomes a parameter; only
 * the first sorter is used. Other parameters are kept, so that the schema refuses them and names them in the error.
 */
export const listParams: Rewrite = (query) => {
  const params = typeof query['params'] === 'string' ? jsonOf(query['params']) : undefined
  const all: Fields = isFields(params) ? { ...without(query, 'params'), ...params } : query
  const parsed = (name: string) => (typeof all[name] === 'string' ? jsonOf(all[name]) : all[name])
  const filters = parsed('filters')
  const sorters: unknown = parsed('sorters')
  const first: unknown = Array.isArray(sorters) ? sorters[0] : sorters
  const flat = isFields(filters)
    ? Object.entries(filters).map(([name, value]) => [name === 'contained_text' ? `filters.${name}` : name, value])
    : []
  return {
    ...(isFields(filters) ? without(all, 'filters') : all),
    ...(Object.fromEntries(flat) as Fields),
    ...(isFields(first) && { sorters: [first['property'], first['direction'] ?? 'asc'].join(':') }),
  }
}

/**
 * Accepts `params={"usage": true}`: query parameters in one JSON object. Throws a `validation` error for any other
 * value.
 */
export const jsonParams: Rewrite = (query) => {
  const text = query['params']
  if (typeof text !== 'string') return query
  const sent = jsonOf(text)
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  if (!isFields(sent) || !Object.values(sent).every(isPlain)) throw fieldProblem('params', 'core.json_params')
  const more = Object.entries(sent).map(([name, value]) => [name, String(value)] as const)
  return { ...without(query, 'params'), ...Object.fromEntries(more) }
}
