import { GiB } from './bytes'
import type { Endpoint } from './endpoint'
import { MAX_LIMIT } from './lists/paging'
import { fieldProblem } from './problems'
import { inMicroseconds } from './times'

/*
 * Other spellings of what is sent, turned into the preferred one before it is parsed. A rewrite makes an input more
 * like its schema and judges nothing: what it does not know it leaves as it is, for the schema to refuse by name.
 */

export type Fields = Record<string, unknown>
export type Rewrite = (sent: Fields) => Fields

/** What a call understands besides its schemas, and what its answer says besides. */
export interface Tolerance {
  query?: readonly Rewrite[]
  body?: readonly Rewrite[]
  headers?: readonly Rewrite[]
  /** Applied to each row of a page, or to the answer itself; may depend on the query as it was sent. */
  answer?: readonly Rewrite[] | ((query: Fields) => readonly Rewrite[])
}

/** What the calls of an area tolerate. */
export type CallTolerances = readonly (readonly [call: Endpoint, tolerance: Tolerance])[]

/** A truth that is none, as programs spell it. */
export const isFalse = (value: unknown): boolean => value === false || value === 'false' || value === 'False'

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Applies rewrites in order; what is no object is left. */
export const rewritten = (sent: unknown, rewrites: readonly Rewrite[] = []): unknown =>
  isFields(sent) ? rewrites.reduce((fields, rewrite) => rewrite(fields), sent) : sent

/** The same for an answer, be it a page of rows. */
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

/** `{ from: to }`. A field that is there under both names is left, and refused as an unknown one. */
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

/** `{ ours: theirs }`: the same value under another name beside it. */
export const alsoNamed =
  (names: Readonly<Record<string, string>>): Rewrite =>
  (fields) =>
    Object.entries(names).reduce<Fields>(
      (all, [ours, theirs]) => (Object.hasOwn(fields, ours) ? { ...all, [theirs]: fields[ours] } : all),
      fields,
    )

/** Takes fields that mean nothing here, whatever they say, or only where they say what is so anyway. */
export const ignored =
  (names: readonly string[], isNothing: (value: unknown) => boolean = () => true): Rewrite =>
  (sent) =>
    names.reduce(
      (fields, name) => (Object.hasOwn(fields, name) && isNothing(fields[name]) ? without(fields, name) : fields),
      sent,
    )

/** Takes null for a field that is left out. */
export const nullsIgnored = (...names: string[]): Rewrite => ignored(names, (value) => value === null)

/** Fields of an answer that clients look for, where it does not have them. */
export const completed =
  (defaults: Fields): Rewrite =>
  (fields) => ({ ...defaults, ...fields })

/** Clients that ask for a list once, and for no next page, want all of it. */
export const unpaged: Rewrite = (query) => ({ limit: MAX_LIMIT, ...query })

/** Changes the values of fields that are there. */
export const values =
  (names: readonly string[], change: (value: unknown, name: string) => unknown): Rewrite =>
  (sent) =>
    names.reduce(
      (fields, name) => (Object.hasOwn(fields, name) ? { ...fields, [name]: change(fields[name], name) } : fields),
      sent,
    )

/** `"2"` for 2. */
export const numbers = (...names: string[]): Rewrite =>
  values(names, (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value))

const truths: Readonly<Record<string, boolean>> = { true: true, True: true, false: false, False: false }

/** `"true"` for true. */
export const booleans = (...names: string[]): Rewrite =>
  values(names, (value) => (typeof value === 'string' && Object.hasOwn(truths, value) ? truths[value] : value))

/** Times with microseconds and an offset. */
export const microseconds = (...names: string[]): Rewrite =>
  values(names, (value) =>
    typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? inMicroseconds(new Date(value)) : value,
  )

export const lowerCase = (...names: string[]): Rewrite =>
  values(names, (value) => (typeof value === 'string' ? value.toLowerCase() : value))

/** Other words for the same: `{ shared: 'private' }`. */
export const words = (name: string, same: Readonly<Record<string, string>>): Rewrite =>
  values([name], (value) => (typeof value === 'string' && Object.hasOwn(same, value) ? same[value] : value))

/** Longer texts are left, and refused for their length. */
const MAX_BASE64_LENGTH = 128 * 1024

/** The base64 of a PEM file for its text. */
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

/** Rewrites the objects of a list. */
export const each = (name: string, ...rewrites: Rewrite[]): Rewrite =>
  values([name], (list) => (Array.isArray(list) ? list.map((item: unknown) => rewritten(item, rewrites)) : list))

/** Rewrites an object inside. */
export const inside = (name: string, ...rewrites: Rewrite[]): Rewrite =>
  values([name], (part) => rewritten(part, rewrites))

/** `["a"]` for `[{ key: "a" }]`. */
export const objects = (name: string, key: string): Rewrite =>
  values([name], (list) =>
    Array.isArray(list) ? list.map((item: unknown) => (typeof item === 'string' ? { [key]: item } : item)) : list,
  )

/** Up to here a number is GiB (512 TiB); from 1 GiB in bytes on it is bytes. The two never meet. */
export const MOST_GIB = 512 * 1024

const isCount = (text: string) => /^\d{1,16}$/.test(text)

/** GiB or bytes, as a number or a text, in bytes. */
function bytesOf(value: unknown): unknown {
  const size = typeof value === 'string' && isCount(value) ? Number(value) : value
  return typeof size === 'number' && size >= 1 && size <= MOST_GIB ? size * GiB : size
}

/** Sizes that are sent in GiB or in bytes. */
export const sizes = (...names: string[]): Rewrite => values(names, bytesOf)

/** The same for a filter: `2`, `in:1,2`, `gte:1073741824`. Throws `invalid_filter` for what is neither. */
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

/** A filter by tags of rows that have none: no row has one of some tags, and every row is without them. */
export const tagless: Rewrite = (query) => {
  const { tags, ...others } = query
  if (typeof tags !== 'string') return query
  return /^(not:|not_any:|None$|any:None$)/.test(tags) ? others : { ...others, id: 'no row' }
}

const MAX_PARAMS_LENGTH = 4096

/** A query parameter that is JSON; undefined for what is none. */
function jsonOf(text: string): unknown {
  try {
    return text.length <= MAX_PARAMS_LENGTH ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/**
 * Lists as grids of browsers ask for them: `filters={"contained_text": "x"}`, `sorters=[{"property": "timestamp",
 * "direction": "DESC"}]`, each alone or all within `params={...}`. A filter becomes a parameter of its own; the first of
 * the sorters counts. What is none of these is left, and refused by name.
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

/** `params={"usage": true}`: query parameters in one value of JSON. Throws `validation` for another value. */
export const jsonParams: Rewrite = (query) => {
  const text = query['params']
  if (typeof text !== 'string') return query
  const sent = jsonOf(text)
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
  if (!isFields(sent) || !Object.values(sent).every(isPlain)) throw fieldProblem('params', 'core.json_params')
  const more = Object.entries(sent).map(([name, value]) => [name, String(value)] as const)
  return { ...without(query, 'params'), ...Object.fromEntries(more) }
}
