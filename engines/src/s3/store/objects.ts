import { randomUUID } from 'node:crypto'
import type { Sql } from '../../ports/engines'
import { S3Error, noSuchKey, preconditionFailed } from '../errors'
import { isThere, type DeleteCondition } from './delete-conditions'
import { CHECK_EVERY } from './files'
import { KEEP_READ, type Bucket, type ObjectHead, type Part, type StoredObject, type WriteCondition } from './types'
import {
  dropped,
  heldBucket,
  isVersioned,
  lockKeys,
  putMarkers,
  removeVersion,
  makeNoncurrent,
  type Marker,
} from './versions'

/** Stores objects as database rows, so that each change is atomic. */
export interface Objects {
  /** Returns the live or the named version, or null if it does not exist. */
  find(bucket: Bucket, key: string, version?: string | null): Promise<StoredObject | null>
  /** Returns the delete marker that hides the versions of a key, or null if there is none. */
  markerOf(bucket: Bucket, key: string): Promise<{ version: string | null } | null>
  /** Returns the parts of an object in order; empty for an object in a single file. */
  partsOf(object: StoredObject): Promise<Part[]>
  /**
   * Creates or replaces an object. Throws `PreconditionFailed` if the condition fails, or `NoSuchKey` if the object to
   * replace does not exist.
   */
  put(bucket: Bucket, key: string, object: NewObject, condition?: WriteCondition): Promise<StoredVersion>
  /** Throws the same error as `put` if the condition currently fails. `put` checks it again. */
  checkCondition(bucket: Bucket, key: string, condition: WriteCondition): Promise<void>
  /** Deletes objects. In a versioned bucket, adds delete markers instead and returns them. */
  remove(bucket: Bucket, keys: readonly string[]): Promise<Marker[]>
  /** Deletes an object if it meets the condition. Throws `PreconditionFailed`. */
  removeIf(bucket: Bucket, key: string, condition: DeleteCondition): Promise<Marker[]>
  /** See `removeVersion`. */
  removeVersion(
    bucket: Bucket,
    named: { key: string; version: string | null },
    mayBypass: boolean,
    condition?: DeleteCondition,
  ): Promise<{ marker: boolean } | null>
  /** Replaces the metadata of a version with the result of `change`; null if the version does not exist. */
  changeHead(
    bucket: Bucket,
    named: { key: string; version: string | null | undefined },
    change: (head: ObjectHead) => ObjectHead,
  ): Promise<{ version: string | null } | null>
}

export interface NewObject {
  size: number
  etag: string
  head: ObjectHead
  /**
   * `announced`: whether the parts' files are new. If so, they are claimed when the object is stored, like a single
   * `file`; unclaimed files are removed as garbage.
   */
  content: { inline: Buffer } | { file: string } | { blob: string; parts: readonly Part[]; announced: boolean }
}

/** Result of a write. */
export interface StoredVersion {
  mtime: Date
  version: string | null
}

const columns = 'key, version, size, mtime, etag, blob, parts, inline, head'

export function openObjects(sql: Sql): Objects {
  return {
    async find({ id }, key, version) {
      const live = `select ${columns}, false as marker from s3_object where bucket_id = $1 and key = $2`
      const named = 'and version is not distinct from $3::uuid'
      const [row] =
        version === undefined
          ? await sql.query<StoredObject>(live, [id, key])
          : await sql.query<StoredObject>(
              `${live} ${named} union all
               select ${columns}, marker from s3_noncurrent where bucket_id = $1 and key = $2 ${named}`,
              [id, key, version],
            )
      return row ?? null
    },
    async markerOf({ id }, key) {
      const [row] = await sql.query<{ version: string | null; marker: boolean }>(
        'select version, marker from s3_noncurrent where bucket_id = $1 and key = $2 order by seq desc limit 1',
        [id, key],
      )
      return row?.marker ? { version: row.version } : null
    },
    partsOf: ({ blob, parts }) =>
      parts === 0
        ? Promise.resolve([])
        : sql.query<Part>('select n, file, size, etag, checksum from s3_part where blob = $1 order by n', [blob]),
    put: (bucket, key, object, condition = {}) =>
      sql.transaction((tx) => putObject(tx, bucket, key, object, condition)),
    checkCondition: (bucket, key, condition) => checkCondition(sql, bucket, key, condition),
    remove: (bucket, keys) =>
      sql.transaction(async (tx) => {
        const held = await heldBucket(tx, bucket)
        if (isVersioned(held)) await lockKeys(tx, held, keys)
        return removeObjects(tx, held, keys)
      }),
    removeIf: (bucket, key, condition) =>
      sql.transaction(async (tx) => {
        const held = await heldBucket(tx, bucket)
        if (isVersioned(held)) await lockKeys(tx, held, [key])
        const named = { key, version: undefined }
        return (await isThere(tx, held, named, condition)) ? removeObjects(tx, held, [key]) : []
      }),
    removeVersion: (bucket, named, mayBypass, condition) =>
      sql.transaction(async (tx) => {
        if (condition) {
          await lockKeys(tx, bucket, [named.key])
          if (!(await isThere(tx, bucket, named, condition))) return null
        }
        return removeVersion(tx, bucket, named, mayBypass)
      }),
    changeHead: (bucket, { key, version }, change) =>
      sql.transaction(async (tx) => {
        const { id } = bucket
        // without the lock, a version that is just becoming noncurrent could be missed in both tables
        if (isVersioned(await heldBucket(tx, bucket))) await lockKeys(tx, bucket, [key])
        for (const table of version === undefined ? ['s3_object'] : ['s3_object', 's3_noncurrent']) {
          const named = `bucket_id = $1 and key = $2 and (not $4 or version is not distinct from $3::uuid)
            ${table === 's3_noncurrent' ? 'and not marker' : ''}`
          const values = [id, key, version ?? null, version !== undefined]
          const [row] = await tx.query<{ head: ObjectHead; version: string | null }>(
            `select head, version from ${table} where ${named} for update`,
            values,
          )
          if (!row) continue
          await tx.query(`update ${table} set head = $5 where ${named}`, [...values, JSON.stringify(change(row.head))])
          return { version: row.version }
        }
        return null
      }),
  }
}

/** Deletes objects, or hides them with delete markers. The transaction must have locked the bucket and the keys. */
export async function removeObjects(sql: Sql, held: Bucket, keys: readonly string[]): Promise<Marker[]> {
  if (isVersioned(held)) await makeNoncurrent(sql, held, keys)
  await removeLive(sql, held, keys)
  return isVersioned(held) ? putMarkers(sql, held, keys) : []
}

const removeLive = (sql: Sql, { id }: Bucket, keys: readonly string[]) =>
  sql.query(
    `with gone as (delete from s3_object where bucket_id = $1 and key = any($2::text[]) returning size, blob, parts),
       ${dropped('gone')}
     select 1`,
    [id, keys],
  )

/** Throws if the condition for a write fails. The result is reliable only in a transaction that has locked the key. */
async function checkCondition(
  sql: Sql,
  { id }: Bucket,
  key: string,
  { ifMatch, ifNoneMatch }: WriteCondition,
): Promise<void> {
  if (ifMatch === undefined && !ifNoneMatch) return
  const [live] = await sql.query<{ etag: string }>('select etag from s3_object where bucket_id = $1 and key = $2', [
    id,
    key,
  ])
  if (!live && ifMatch !== undefined) throw noSuchKey()
  if (live && (ifNoneMatch || (ifMatch !== '*' && ifMatch !== live.etag))) throw preconditionFailed()
}

/** Stores an object in the caller's transaction. */
export async function putObject(
  sql: Sql,
  named: Bucket,
  key: string,
  { size, etag, head, content }: NewObject,
  condition: WriteCondition,
): Promise<StoredVersion> {
  const bucket = await heldBucket(sql, named)
  const { id } = bucket
  const keepsVersions = isVersioned(bucket)
  if (keepsVersions) {
    await lockKeys(sql, bucket, [key])
    await checkCondition(sql, bucket, key, condition)
    await makeNoncurrent(sql, bucket, [key])
  }
  const { ifMatch, ifNoneMatch = false } = keepsVersions ? {} : condition
  const version = bucket.settings.versioning === 'Enabled' ? randomUUID() : null
  const parts = 'parts' in content ? content.parts : []
  const blob = 'file' in content ? content.file : 'blob' in content ? content.blob : null
  const inline = 'inline' in content ? content.inline : null
  const values = [id, key, size, etag, blob, parts.length, inline, JSON.stringify(head), version, keepsVersions]
  const seq = `case when $10::boolean then nextval('s3_version_seq') else 0 end`
  const replaced = `size = $3, mtime = clock_timestamp(), etag = $4, blob = $5, parts = $6, inline = $7, head = $8, version = $9::uuid,
    seq = ${seq},
    before_size = s3_object.size, before_blob = s3_object.blob, before_parts = s3_object.parts`
  const returning = 'returning mtime, before_size, before_blob, before_parts'
  const insert = `insert into s3_object (bucket_id, key, size, etag, blob, parts, inline, head, version, seq)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, ${seq})
    on conflict (bucket_id, key) do`
  const statement =
    ifMatch !== undefined
      ? `update s3_object set ${replaced} where bucket_id = $1 and key = $2 and ($11 = '*' or etag = $11) ${returning}`
      : ifNoneMatch
        ? `${insert} nothing ${returning}`
        : `${insert} update set ${replaced} ${returning}`
  interface Put {
    mtime: Date
    before_size: number | null
    before_blob: string | null
    before_parts: number | null
  }
  const [put] = await sql.query<Put>(statement, ifMatch === undefined ? values : [...values, ifMatch])
  if (!put) {
    await checkCondition(sql, bucket, key, condition)
    throw preconditionFailed()
  }
  const files =
    'file' in content ? [content.file] : 'parts' in content && content.announced ? parts.map(({ file }) => file) : []
  if (files.length > 0) await claimFiles(sql, files)
  if (parts.length > 0)
    await sql.query(
      `insert into s3_part (blob, n, file, size, etag, checksum)
       select $1, * from unnest($2::int[], $3::uuid[], $4::bigint[], $5::text[], $6::text[])`,
      [
        blob,
        parts.map(({ n }) => n),
        parts.map(({ file }) => file),
        parts.map((it) => it.size),
        parts.map((it) => it.etag),
        parts.map((it) => it.checksum),
      ],
    )
  await sql.query(
    `with files as (
       delete from s3_part where blob = $1 and $2 > 0 returning file
     ), garbage as (
       insert into s3_garbage (file, due)
       select $1::uuid, now() + ${KEEP_READ} where $1::uuid is not null and $2 = 0
       union all select file, now() + ${KEEP_READ} from files
     )
     insert into s3_usage_delta (bucket_id, bytes, objects) values ($3, $4, $5)`,
    [put.before_blob, put.before_parts ?? 0, id, size - (put.before_size ?? 0), put.before_size === null ? 1 : 0],
  )
  return { mtime: put.mtime, version }
}

/** Claims files for a row. Throws if one of them has already been removed as garbage. */
export async function claimFiles(sql: Sql, files: readonly string[]): Promise<void> {
  const claimed = await sql.query(
    `with claimed as (
       delete from s3_garbage where file = any($1::uuid[]) returning file, sum
     )
     insert into s3_file (file, sum, check_at) select file, sum, now() + ${CHECK_EVERY} from claimed returning file`,
    [files],
  )
  if (claimed.length !== files.length) throw new S3Error('RequestTimeout', 'The data took too long to arrive')
}
