import type { Sql } from '../../ports/engines'
import { preconditionFailed } from '../errors'
import type { Bucket } from './types'

/* Deletions that are made only where what is there is what the caller has seen. */

/** What is to be there: its ETag without quotes, or `*` for any; its size in bytes; its time, to the second. */
export interface DeleteCondition {
  etag?: string
  size?: number
  mtime?: Date
}

/**
 * Whether there is something to delete. It stays as it is until the transaction ends, which has locked the key where the bucket has
 * versions. `version`: undefined means the live one. Throws `PreconditionFailed` where something else is there, or a delete marker.
 */
export async function isThere(
  sql: Sql,
  { id }: Bucket,
  { key, version }: { key: string; version: string | null | undefined },
  { etag, size, mtime }: DeleteCondition,
): Promise<boolean> {
  const values = [id, key, version ?? null, version !== undefined, etag ?? null, size ?? null, mtime ?? null]
  const statement = (table: string, isMarker: string) =>
    `select not ${isMarker} and ($5::text is null or $5 = '*' or etag = $5) and ($6::bigint is null or size = $6)
       and ($7::timestamptz is null or date_trunc('second', mtime) = date_trunc('second', $7::timestamptz)) as met
     from ${table} where bucket_id = $1 and key = $2 and (not $4 or version is not distinct from $3::uuid)
     order by seq desc limit 1 for update`
  const [live] = await sql.query<{ met: boolean }>(statement('s3_object', 'false'), values)
  // without a live version the last one is a marker
  const [other] = live ? [] : await sql.query<{ met: boolean }>(statement('s3_noncurrent', 'marker'), values)
  const found = live ?? other
  if (found && !found.met) throw preconditionFailed()
  return found !== undefined
}
