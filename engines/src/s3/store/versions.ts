import type { Sql } from '../../ports/engines'
import { noSuchBucket, S3Error } from '../errors'
import { KEEP_READ, type Bucket, type ObjectHead } from './types'

/* Object versions. The live version of a key is in s3_object, all others are in s3_noncurrent. */

/** Columns that a version has in both tables. */
export const VERSION_COLUMNS = 'bucket_id, key, seq, version, size, mtime, etag, blob, parts, inline, head'

/** Returns the version ID for S3 clients: 32 hexadecimal digits or `null`. */
export const versionName = (version: string | null): string => version?.replaceAll('-', '') ?? 'null'

/** Parses a version ID; returns null for the ID `null`. Throws `InvalidArgument`. */
export function readVersion(text: string): string | null {
  if (text === 'null') return null
  if (!/^[0-9a-f]{32}$/.test(text)) throw new S3Error('InvalidArgument', 'Invalid version id specified')
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Whether versioning was ever enabled for a bucket. */
export const isVersioned = ({ settings }: Bucket): boolean => settings.versioning !== undefined

/**
 * Returns the current state of the bucket, locked against deletion and changes to its settings until the transaction
 * ends. It is read again because it may have changed during a long upload. Throws `NoSuchBucket`.
 */
export async function heldBucket(sql: Sql, bucket: Bucket): Promise<Bucket> {
  const [row] = await sql.query<Pick<Bucket, 'settings'>>('select settings from s3_bucket where id = $1 for share', [
    bucket.id,
  ])
  if (!row) throw noSuchBucket()
  return { ...bucket, ...row }
}

/**
 * Locks keys until the transaction ends, so that only one transaction at a time changes which version is live. Keys are
 * locked in a fixed order to avoid deadlocks.
 */
export async function lockKeys(sql: Sql, { id }: Pick<Bucket, 'id'>, keys: readonly string[]): Promise<void> {
  await sql.query(
    `select pg_advisory_xact_lock(hash) from
       (select distinct hashtextextended(key, $1) as hash from unnest($2::text[]) key order by hash) locks`,
    [id, keys],
  )
}

/**
 * Returns SQL that marks the files of the versions in `table` as garbage and subtracts the versions from the usage of
 * bucket $1.
 */
export const dropped = (table: string): string => `
  ${table}_files as (
    delete from s3_part where blob in (select blob from ${table} where parts > 0) returning file
  ), ${table}_garbage as (
    insert into s3_garbage (file, due)
    select blob, now() + ${KEEP_READ} from ${table} where blob is not null and parts = 0
    union all select file, now() + ${KEEP_READ} from ${table}_files
  ), ${table}_delta as (
    insert into s3_usage_delta (bucket_id, bytes, objects)
    select $1, -sum(size), -count(*) from ${table} having count(*) > 0
  )`

/**
 * Makes the live versions noncurrent before new versions or delete markers are added. If versioning is suspended,
 * deletes the noncurrent version `null`, because the new version gets that ID; the caller must handle a live version
 * `null`.
 */
export async function makeNoncurrent(sql: Sql, { id, settings }: Bucket, keys: readonly string[]): Promise<void> {
  const isSuspended = settings.versioning === 'Suspended'
  await sql.query(
    `with back as (
       delete from s3_object where bucket_id = $1 and key = any($2::text[]) and (not $3 or version is not null)
       returning ${VERSION_COLUMNS}
     )
     insert into s3_noncurrent (${VERSION_COLUMNS}) select ${VERSION_COLUMNS} from back`,
    [id, keys, isSuspended],
  )
  if (isSuspended)
    await sql.query(
      `with gone as (
         delete from s3_noncurrent where bucket_id = $1 and key = any($2::text[]) and version is null
         returning size, blob, parts, marker
       ), kept as (select * from gone where not marker), ${dropped('kept')}
       select 1`,
      [id, keys],
    )
}

export interface Marker {
  key: string
  version: string | null
}

/** Adds a delete marker for each key. The transaction must have locked the keys and called `makeNoncurrent`. */
export const putMarkers = (sql: Sql, { id, settings }: Bucket, keys: readonly string[]): Promise<Marker[]> =>
  sql.query<Marker>(
    `insert into s3_noncurrent (bucket_id, key, seq, version, marker)
     select $1, key, nextval('s3_version_seq'), case when $3 then null else gen_random_uuid() end, true
     from unnest($2::text[]) key
     returning key, version`,
    [id, keys, settings.versioning === 'Suspended'],
  )

/** Whether a version can be deleted: it has no legal hold, and no active retention that the caller may not bypass. */
export function isRemovable({ lock }: Pick<ObjectHead, 'lock'>, mayBypass: boolean): boolean {
  const isKept = lock?.until !== undefined && Date.parse(lock.until) > Date.now()
  return !(lock?.hold || (isKept && !(lock.mode === 'GOVERNANCE' && mayBypass)))
}

/** Throws `AccessDenied` for a locked version. */
function checkNotHeld(head: Pick<ObjectHead, 'lock'>, mayBypass: boolean): void {
  if (!isRemovable(head, mayBypass))
    throw new S3Error('AccessDenied', 'Access Denied because object protected by object lock.')
}

/**
 * Permanently deletes a version; null if it does not exist. If it was the latest version, the previous one becomes live
 * unless it is a delete marker. `mayBypass`: the caller may bypass governance retention. Throws `AccessDenied` if the
 * version is locked.
 */
export async function removeVersion(
  sql: Sql,
  bucket: Bucket,
  { key, version }: { key: string; version: string | null },
  mayBypass: boolean,
): Promise<{ marker: boolean } | null> {
  const { id } = bucket
  await lockKeys(sql, bucket, [key])
  const named = `bucket_id = $1 and key = $2 and version is not distinct from $3::uuid`
  const values = [id, key, version]
  const [found] = await sql.query<{ head: ObjectHead; marker: boolean; live: boolean }>(
    `select head, false as marker, true as live from s3_object where ${named}
     union all select head, marker, false from s3_noncurrent where ${named}`,
    values,
  )
  if (!found) return null
  checkNotHeld(found.head, mayBypass)
  await sql.query(
    `with gone as (delete from ${found.live ? 's3_object' : 's3_noncurrent'} where ${named} returning size, blob, parts),
       kept as (select * from gone where not $4), ${dropped('kept')}
     select 1`,
    [...values, found.marker],
  )
  await sql.query(
    `with last as (
       select * from s3_noncurrent where bucket_id = $1 and key = $2 order by seq desc limit 1
     ), promoted as (
       delete from s3_noncurrent n using last
       where n.bucket_id = $1 and n.key = $2 and n.seq = last.seq and not last.marker
         and not exists (select 1 from s3_object where bucket_id = $1 and key = $2)
       returning n.*
     )
     insert into s3_object (${VERSION_COLUMNS}) select ${VERSION_COLUMNS} from promoted`,
    [id, key],
  )
  return { marker: found.marker }
}
