import type { Sql } from '../../ports/engines'
import { S3Error, noSuchBucket, noSuchKey } from '../errors'
import type { Bucket, ObjectHead, Part, StoredObject, WriteCondition } from './types'

/** Readers have an overwritten file open for a while. */
export const KEEP_READ = "interval '1 hour'"
/** A file that is being written is left-over after so long. */
const KEEP_WRITTEN = "interval '7 days'"

/** Objects in rows of the database: a row is there, or it is not. */
export interface Objects {
  find(bucket: Bucket, key: string): Promise<StoredObject | null>
  /** Its parts, in order; those of an object in one file are none. */
  partsOf(object: StoredObject): Promise<Part[]>
  /**
   * Makes or replaces an object. `content`: its bytes, or the file or the parts that have them. Throws `PreconditionFailed`, and
   * `NoSuchKey` where what is to be replaced is not there.
   */
  put(bucket: Bucket, key: string, object: NewObject, condition?: WriteCondition): Promise<{ mtime: Date }>
  /** Answers how many were there. */
  remove(bucket: Bucket, keys: readonly string[]): Promise<number>
  /** Says that a file is about to be written: if nothing comes of it, it is removed. */
  intend(file: string): Promise<void>
}

export interface NewObject {
  size: number
  etag: string
  head: ObjectHead
  content: { inline: Buffer } | { file: string } | { blob: string; parts: readonly Part[] }
}

const columns = 'key, size, mtime, etag, blob, parts, inline, head'

export function openObjects(sql: Sql): Objects {
  return {
    async find({ id }, key) {
      const [row] = await sql.query<StoredObject>(
        `select ${columns} from s3_object where bucket_id = $1 and key = $2`,
        [id, key],
      )
      return row ?? null
    },
    partsOf: ({ blob, parts }) =>
      parts === 0
        ? Promise.resolve([])
        : sql.query<Part>('select n, file, size, etag, checksum from s3_part where blob = $1 order by n', [blob]),
    put: (bucket, key, object, condition = {}) =>
      sql.transaction((tx) => putObject(tx, bucket, key, object, condition)),
    async remove({ id }, keys) {
      const [row] = await sql.query<{ count: number }>(
        `with gone as (
           delete from s3_object where bucket_id = $1 and key = any($2::text[]) returning size, blob, parts
         ), files as (
           delete from s3_part where blob in (select blob from gone where parts > 0) returning file
         ), garbage as (
           insert into s3_garbage (file, due)
           select blob, now() + ${KEEP_READ} from gone where blob is not null and parts = 0
           union all select file, now() + ${KEEP_READ} from files
         ), delta as (
           insert into s3_usage_delta (bucket_id, bytes, objects)
           select $1, -sum(size), -count(*) from gone having count(*) > 0
         )
         select count(*)::int as count from gone`,
        [id, keys],
      )
      return row!.count
    },
    async intend(file) {
      await sql.query(`insert into s3_garbage (file, due) values ($1, now() + ${KEEP_WRITTEN})`, [file])
    },
  }
}

/** Within the transaction of the caller, who may have more to write. */
export async function putObject(
  sql: Sql,
  { id }: Bucket,
  key: string,
  { size, etag, head, content }: NewObject,
  { ifMatch, ifNoneMatch = false }: WriteCondition,
): Promise<{ mtime: Date }> {
  const parts = 'parts' in content ? content.parts : []
  const blob = 'file' in content ? content.file : 'blob' in content ? content.blob : null
  const inline = 'inline' in content ? content.inline : null
  const values = [id, key, size, etag, blob, parts.length, inline, JSON.stringify(head)]
  const replaced = `size = $3, mtime = clock_timestamp(), etag = $4, blob = $5, parts = $6, inline = $7, head = $8,
    before_size = s3_object.size, before_blob = s3_object.blob, before_parts = s3_object.parts`
  const returning = 'returning mtime, before_size, before_blob, before_parts'
  // a bucket is not removed while something is put into it
  const insert = `insert into s3_object (bucket_id, key, size, etag, blob, parts, inline, head)
    select id, $2::text, $3::bigint, $4::text, $5::uuid, $6::int, $7::bytea, $8::jsonb
    from (select id from s3_bucket where id = $1 for key share) bucket
    on conflict (bucket_id, key) do`
  const statement =
    ifMatch !== undefined
      ? `update s3_object set ${replaced} where bucket_id = $1 and key = $2 and ($9 = '*' or etag = $9) ${returning}`
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
    const there = await sql.query('select 1 from s3_object where bucket_id = $1 and key = $2', [id, key])
    if (there.length === 0) throw ifMatch === undefined ? noSuchBucket() : noSuchKey()
    throw new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold')
  }
  const files = 'file' in content ? [content.file] : []
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
  return { mtime: put.mtime }
}

/** Files that have a row from now on. Throws where one was taken for left-over meanwhile. */
export async function claimFiles(sql: Sql, files: readonly string[]): Promise<void> {
  const claimed = await sql.query('delete from s3_garbage where file = any($1::uuid[]) returning file', [files])
  if (claimed.length !== files.length) throw new S3Error('RequestTimeout', 'The bytes took too long to come')
}
