import type { Sql } from '../../ports/engines'
import { preconditionFailed } from '../errors'
import type { Bucket } from './types'

/* Conditional deletions, which require the object to be unchanged. */

/** The expected object: ETag without quotes (`*` matches any), size in bytes, and modification time to the second. */
export interface DeleteCondition {
  etag?: string
  size?: number
  mtime?: Date
}

/**
 * Whether the object exists. Locks its row until the transaction ends. In a versioned bucket, the caller must have
 * locked the key. `version`: undefined for the live version. Throws `PreconditionFailed` if the object does not meet
 * the condition or is a delete marker.
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
  // without a live version, the latest one is a delete marker
  const [other] = live ? [] : await sql.query<{ met: boolean }>(statement('s3_noncurrent', 'marker'), values)
  const found = live ?? other
  if (found && !found.met) throw preconditionFailed()
  return found !== undefined
}
