import type { Sql } from '../../ports/engines'
import { afterPrefix, commonPrefix, type ListQuestion } from './lists'
import type { Bucket } from './types'

export interface ListedVersion {
  key: string
  version: string | null
  marker: boolean
  isLatest: boolean
  size: number
  mtime: Date
  etag: string
  /** Null if it is the bucket owner. */
  owner: string | null
}
export type ListedVersionItem = { version: ListedVersion } | { prefix: string }

export interface VersionQuestion extends Omit<ListQuestion, 'after'> {
  /** Last key or common prefix of the previous page; empty for the first page. */
  afterKey: string
  /** Last version of that key; undefined to continue after the key. */
  afterVersion: string | null | undefined
}

/** Lists versions and delete markers by key, newest first. Each item takes a few index lookups. */
export async function listVersions(
  sql: Sql,
  bucket: Bucket,
  { prefix, delimiter, afterKey, afterVersion, most }: VersionQuestion,
): Promise<{ items: ListedVersionItem[]; truncated: boolean }> {
  if (most === 0) return { items: [], truncated: false }
  const end = prefix === '' ? null : afterPrefix(prefix)
  const inside = commonPrefix(afterKey, { prefix, delimiter })
  const isInside = inside !== null && afterKey.startsWith(prefix)
  // if the previous page ended at or inside a common prefix, skip the rest of that prefix
  const begin = isInside ? afterPrefix(inside) : afterKey === '' ? '' : `${afterKey}\u0001`
  if (begin === null) return { items: [], truncated: false }
  const seq = isInside || afterVersion === undefined ? null : await seqOf(sql, bucket, afterKey, afterVersion)
  const from = Buffer.compare(Buffer.from(prefix), Buffer.from(begin)) > 0 ? prefix : begin
  const rows = await sql.query<Omit<ListedVersion, 'isLatest'> & { common: string | null }>(walk, [
    ...[bucket.id, from, end, most + 1, delimiter, [...prefix].length],
    ...[seq === null ? null : afterKey, seq],
  ])
  const items = rows.slice(0, most).map(({ common, ...version }, at): ListedVersionItem => {
    if (common !== null) return { prefix: common }
    const before = at === 0 ? (seq === null ? null : afterKey) : rows[at - 1]!.key
    return { version: { ...version, isLatest: version.key !== before } }
  })
  return { items, truncated: rows.length > most }
}

/** Returns the sequence number of a version, or null if it has been deleted. */
async function seqOf(sql: Sql, { id }: Bucket, key: string, version: string | null): Promise<number | null> {
  const named = 'bucket_id = $1 and key = $2 and version is not distinct from $3::uuid'
  const [row] = await sql.query<{ seq: number }>(
    `select seq from s3_object where ${named} union all select seq from s3_noncurrent where ${named}`,
    [id, key, version],
  )
  return row?.seq ?? null
}

const told = 'key, seq, version, marker, size, mtime, etag, owner'
const noncurrentTold = told.replace('owner', "head->>'owner' as owner")
const liveTold = noncurrentTold.replace('marker', 'false as marker')
/**
 * Returns the SQL for the next version: the newest version of `key` that is older than `seq`, or else the newest
 * version of the first key starting at `from`.
 */
const probe = (from: string, key: string, seq: string) => `
  select found.*,
    case when $5 = '' or strpos(substr(key, $6::int + 1), $5) = 0 then null
      else substr(key, 1, $6::int + strpos(substr(key, $6::int + 1), $5) + length($5) - 1) end as common
  from (
    (select ${noncurrentTold} from s3_noncurrent where bucket_id = $1 and key = ${key} and seq < ${seq} order by seq desc limit 1)
    union all
    (select ${liveTold} from s3_object
     where bucket_id = $1 and key >= ${from} and ($3::text is null or key < $3) order by key limit 1)
    union all
    (select ${noncurrentTold} from s3_noncurrent
     where bucket_id = $1 and key >= ${from} and ($3::text is null or key < $3) order by key, seq desc limit 1)
  ) found order by key, seq desc limit 1`
const walk = `
  with recursive walk as (
    (select first.*, 1 as n from (${probe('$2', '$7::text', '$8::bigint')}) first)
    union all
    select step.*, walk.n + 1 from walk cross join lateral (
      ${probe(
        'case when walk.common is null then walk.key || chr(1) else s3_after(walk.common) end',
        'walk.key',
        'case when walk.common is null then walk.seq end',
      )}
    ) step where walk.n < $4
  )
  select ${told}, common from walk order by n`
