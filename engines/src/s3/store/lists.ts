import type { Sql } from '../../ports/engines'
import type { Bucket } from './types'

/* Lists objects in byte order of their keys, with common prefixes as single items. */

export interface ListedObject {
  key: string
  size: number
  mtime: Date
  etag: string
  /** Null if it is the bucket owner. */
  owner: string | null
}
export type ListedItem = { object: ListedObject } | { prefix: string }

export interface ListQuestion {
  prefix: string
  delimiter: string
  /** Last key or common prefix of the previous page; empty for the first page. */
  after: string
  most: number
}

export interface Listed {
  items: ListedItem[]
  truncated: boolean
}

/** Returns the first string after all strings with this prefix, or null if there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = [...prefix]
  while (points.length > 0) {
    const point = points.pop()!.codePointAt(0)!
    // skip surrogates, which cannot be encoded in UTF-8
    const next = point === 0xd7ff ? 0xe000 : point + 1
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next)
  }
  return null
}

const isCommon = (after: string, { prefix, delimiter }: ListQuestion) =>
  delimiter !== '' && after.startsWith(prefix) && after.indexOf(delimiter, prefix.length) >= 0

/** Returns the common prefix to which a key belongs, or null if there is no delimiter after `prefix`. */
export function commonPrefix(
  key: string,
  { prefix, delimiter }: Pick<ListQuestion, 'prefix' | 'delimiter'>,
): string | null {
  if (delimiter === '') return null
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? null : key.slice(0, at + delimiter.length)
}

/**
 * Lists a page of a bucket. With a delimiter, each item takes one index lookup, no matter how many keys it stands for;
 * without a delimiter, the page is a single range scan.
 */
export async function listObjects(sql: Sql, { id }: Bucket, question: ListQuestion): Promise<Listed> {
  const { prefix, delimiter, after, most } = question
  if (most === 0) return { items: [], truncated: false }
  const end = prefix === '' ? null : afterPrefix(prefix)
  // if the previous page ended at or inside a common prefix, skip the rest of that prefix
  const inside = isCommon(after, question) ? commonPrefix(after, question) : null
  const next = inside === null ? null : afterPrefix(inside)
  if (inside !== null && next === null) return { items: [], truncated: false }
  const bound = next === null ? 'key > $2' : 'key >= $2'
  const begin = next ?? after
  const [from, how] = isAfter(prefix, begin) ? [prefix, 'key >= $2'] : [begin, bound]
  const values = [id, from, end]
  const range = `bucket_id = $1 and ${how} and ($3::text is null or key < $3)`
  if (delimiter === '') {
    const rows = await sql.query<ListedObject>(
      `select key, size, mtime, etag, head->>'owner' as owner from s3_object where ${range} order by key limit $4`,
      [...values, most + 1],
    )
    return { items: rows.slice(0, most).map((object) => ({ object })), truncated: rows.length > most }
  }
  const rows = await sql.query<ListedObject & { common: string | null }>(walk(range), [
    ...values,
    most + 1,
    delimiter,
    prefix.length === 0 ? 0 : [...prefix].length,
  ])
  const items = rows.slice(0, most).map(({ common, ...object }) => (common === null ? { object } : { prefix: common }))
  return { items, truncated: rows.length > most }
}

/** Compares by UTF-8 bytes, which is the order of code points, not of UTF-16 code units. */
export const isAfter = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0

// each step finds the next key and its common prefix, and continues after that prefix
const item = (range: string) => `
  select key, size, mtime, etag, head->>'owner' as owner,
    case when strpos(substr(key, $6::int + 1), $5) = 0 then null
      else substr(key, 1, $6::int + strpos(substr(key, $6::int + 1), $5) + length($5) - 1) end as common
  from s3_object where ${range} order by key limit 1`
const walk = (range: string) => `
  with recursive walk as (
    (select first.*, 1 as n from (${item(range)}) first)
    union all
    select step.*, walk.n + 1 from walk cross join lateral (
      ${item(`bucket_id = $1 and key >= (case when walk.common is null then walk.key || chr(1) else s3_after(walk.common) end)
        and ($3::text is null or key < $3)`)}
    ) step where walk.n < $4
  )
  select key, size, mtime, etag, owner, common from walk order by n`
