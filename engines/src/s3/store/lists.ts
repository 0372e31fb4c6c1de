import type { Sql } from '../../ports/engines'
import type { Bucket } from './types'

/* Lists in the order of the bytes of keys, with what lies beneath a delimiter as one item. */

export interface ListedObject {
  key: string
  size: number
  mtime: Date
  etag: string
  /** Null: the bucket's. */
  owner: string | null
}
export type ListedItem = { object: ListedObject } | { prefix: string }

export interface ListQuestion {
  prefix: string
  delimiter: string
  /** The last item of the page before, a key or a common prefix; empty: from the beginning. */
  after: string
  most: number
}

export interface Listed {
  items: ListedItem[]
  truncated: boolean
}

/** The first text after all that begin with this one; null where there is none. */
export function afterPrefix(prefix: string): string | null {
  const points = [...prefix]
  while (points.length > 0) {
    const point = points.pop()!.codePointAt(0)!
    // what has no place in UTF-8 is stepped over
    const next = point === 0xd7ff ? 0xe000 : point + 1
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next)
  }
  return null
}

const isCommon = (after: string, { prefix, delimiter }: ListQuestion) =>
  delimiter !== '' && after.startsWith(prefix) && after.indexOf(delimiter, prefix.length) >= 0

/** The common prefix that a text after `prefix` belongs to; null where it is by itself. */
export function commonPrefix(
  key: string,
  { prefix, delimiter }: Pick<ListQuestion, 'prefix' | 'delimiter'>,
): string | null {
  if (delimiter === '') return null
  const at = key.indexOf(delimiter, prefix.length)
  return at < 0 ? null : key.slice(0, at + delimiter.length)
}

/**
 * A page of a bucket: one probe of the index for each item with a delimiter, whatever lies beneath it, and one range without.
 */
export async function listObjects(sql: Sql, { id }: Bucket, question: ListQuestion): Promise<Listed> {
  const { prefix, delimiter, after, most } = question
  if (most === 0) return { items: [], truncated: false }
  const end = prefix === '' ? null : afterPrefix(prefix)
  // where the page before ended with a common prefix, or in one, all of that is over
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

/** In the order of bytes: that of code points, and not of UTF-16. */
export const isAfter = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other)) > 0

// each step finds the first key from `next` on, tells its common prefix, and goes on behind all of that
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
