import { isDeepStrictEqual } from 'node:util'
import type { S3BucketUsage } from '../../ports/object-storage'
import type { Sql } from '../../ports/engines'
import { S3Error, noSuchBucket } from '../errors'
import type { BucketSettings } from './bucket-settings'
import { KEEP_READ, type Bucket } from './types'

const columns = 'id, name, owner, policy, settings, created_at'

export interface Buckets {
  find(name: string): Promise<Bucket | null>
  /** Throws if any user, including the owner, already has a bucket with this name. */
  create(name: string, owner: string, settings?: BucketSettings): Promise<void>
  /**
   * Deletes a bucket with its unfinished uploads. Throws `BucketNotEmpty` if it contains an object, and
   * `OperationAborted` while a part is being added or an upload is being completed.
   */
  remove(bucket: Bucket): Promise<void>
  /** Returns the owner's buckets in name order, up to `most`, starting after the name `after`. */
  list(owner: string, prefix: string, after: string, most: number): Promise<Bucket[]>
  /** Sets the policy. `check`: throws if the current state of the bucket does not permit it. */
  setPolicy(bucket: Bucket, policy: string | null, check: (bucket: Bucket) => void): Promise<void>
  /** Sets or, with null, removes a setting. `check`: throws if the current state of the bucket does not permit it. */
  set<Name extends keyof BucketSettings>(
    bucket: Bucket,
    name: Name,
    value: BucketSettings[Name] | null,
    check?: (bucket: Bucket) => void,
  ): Promise<void>
  /** Returns the usage of all the owner's buckets, including unfinished uploads, each of which counts as an object. */
  usedBy(owner: string): Promise<{ bytes: number; objects: number }>
  /** Returns the usage of every owner's buckets in order of bucket ID, up to `most`, starting after the ID `after`. */
  usages(after: string | undefined, most: number): Promise<S3BucketUsage[]>
}

/** Maximum number of buckets per user. */
const MOST_BUCKETS = 1000

/** Returns the current state of a bucket, locked until the transaction ends. */
async function heldBucket(tx: Pick<Sql, 'query'>, id: Bucket['id']): Promise<Bucket> {
  const [held] = await tx.query<Bucket>(`select ${columns} from s3_bucket where id = $1 for update`, [id])
  if (!held) throw noSuchBucket()
  return held
}

export function openBuckets(sql: Sql): Buckets {
  return {
    async find(name) {
      const [row] = await sql.query<Bucket>(`select ${columns} from s3_bucket where name = $1`, [name])
      return row ?? null
    },
    create: (name, owner, settings = {}) =>
      sql.transaction(async (tx) => {
        const [owned] = await tx.query<{ count: number }>(
          'select count(*)::int as count from s3_bucket where owner = $1',
          [owner],
        )
        if (owned!.count >= MOST_BUCKETS)
          throw new S3Error('TooManyBuckets', `You have ${MOST_BUCKETS} buckets. Delete one first.`)
        const made = await tx.query(
          'insert into s3_bucket (name, owner, settings) values ($1, $2, $3) on conflict (name) do nothing returning id',
          [name, owner, JSON.stringify(settings)],
        )
        if (made.length > 0) return
        const [there] = await tx.query<Bucket>(`select ${columns} from s3_bucket where name = $1`, [name])
        // if the ACL differs, do not suggest that the existing bucket is the requested one
        const isSame = isDeepStrictEqual(there?.settings.acl, settings.acl)
        throw there?.owner === owner && isSame
          ? new S3Error('BucketAlreadyOwnedByYou', 'You already have a bucket with this name')
          : new S3Error('BucketAlreadyExists', 'The name is taken. Bucket names are global. Choose another one')
      }),
    remove: ({ id }) =>
      sql.transaction(async (tx) => {
        // this waits for transactions that write objects, because they also lock the bucket's row
        await tx.query('select 1 from s3_bucket where id = $1 for update', [id])
        const [found] = await tx.query<{ full: boolean }>(
          `select exists (select 1 from s3_object where bucket_id = $1)
             or exists (select 1 from s3_noncurrent where bucket_id = $1) as full`,
          [id],
        )
        if (found!.full) throw new S3Error('BucketNotEmpty', 'The bucket you tried to delete is not empty')
        // completing an upload locks the upload before the bucket, so waiting for its lock here would cause a deadlock
        const [uploads] = await tx.query<{ busy: boolean }>(
          `with held as (select id from s3_upload where bucket_id = $1 for update skip locked)
           select (select count(*) from held) < (select count(*) from s3_upload where bucket_id = $1) as busy`,
          [id],
        )
        if (uploads!.busy)
          throw new S3Error(
            'OperationAborted',
            'A conflicting conditional operation is currently in progress against this resource. Please try again.',
          )
        await tx.query(
          `with gone as (
             delete from s3_upload_part where upload in (select id from s3_upload where bucket_id = $1) returning file
           ) insert into s3_garbage (file, due) select file, now() + ${KEEP_READ} from gone`,
          [id],
        )
        for (const table of ['s3_usage', 's3_usage_delta', 's3_upload', 's3_lifecycle_run'])
          await tx.query(`delete from ${table} where bucket_id = $1`, [id])
        await tx.query('delete from s3_bucket where id = $1', [id])
      }),
    list: (owner, prefix, after, most) =>
      sql.query<Bucket>(
        `select ${columns} from s3_bucket
         where owner = $1 and name > $2 and starts_with(name, $3) order by name limit $4`,
        [owner, after, prefix, most],
      ),
    setPolicy: ({ id }, policy, check) =>
      sql.transaction(async (tx) => {
        check(await heldBucket(tx, id))
        await tx.query('update s3_bucket set policy = $2 where id = $1', [id, policy])
      }),
    set: ({ id }, name, value, check) =>
      sql.transaction(async (tx) => {
        const held = await heldBucket(tx, id)
        check?.(held)
        await tx.query(
          `update s3_bucket set settings = case when $3::jsonb is null then settings - $2::text
           else jsonb_set(settings, array[$2::text], $3::jsonb) end
         where id = $1`,
          [id, name, value === null ? null : JSON.stringify(value)],
        )
      }),
    async usedBy(owner) {
      const [row] = await sql.query<{ bytes: number; objects: number }>(
        `select coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(objects), 0)::bigint as objects from (
           select u.bytes, u.objects from s3_usage u join s3_bucket b on b.id = u.bucket_id where b.owner = $1
           union all
           select d.bytes, d.objects from s3_usage_delta d join s3_bucket b on b.id = d.bucket_id where b.owner = $1
           union all
           select coalesce(sum(p.size), 0), count(distinct u.id) from s3_bucket b join s3_upload u on u.bucket_id = b.id
             left join s3_upload_part p on p.upload = u.id where b.owner = $1
         ) of_owner`,
        [owner],
      )
      return row!
    },
    usages: (after = '0', most) =>
      sql.query<S3BucketUsage>(
        // usage is the consolidated totals plus all later deltas
        `with page as (select id, name, owner from s3_bucket where id > $1::bigint order by id limit $2)
         select page.id::text as id, name, owner, coalesce(sum(bytes), 0)::bigint as size,
           coalesce(sum(objects), 0)::bigint as objects
         from page left join (
           select bucket_id, bytes, objects from s3_usage
           union all select bucket_id, bytes, objects from s3_usage_delta
         ) each on each.bucket_id = page.id
         group by page.id, name, owner order by page.id`,
        [after, most],
      ),
  }
}
