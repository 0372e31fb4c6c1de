import type { Sql } from '../../ports/engines'
import { S3Error } from '../errors'
import type { Bucket } from './types'

const columns = 'id, name, owner, policy, created_at'

export interface Buckets {
  find(name: string): Promise<Bucket | null>
  /** Throws where the name is taken, by whomever. */
  create(name: string, owner: string): Promise<void>
  /** Throws `BucketNotEmpty` where there is an object, or an upload that goes on. */
  remove(bucket: Bucket): Promise<void>
  /** Of an owner, by name, after `after`; `most` of them. */
  list(owner: string, prefix: string, after: string, most: number): Promise<Bucket[]>
  setPolicy(bucket: Bucket, policy: string | null): Promise<void>
  /** Bytes of all buckets of an owner, with the parts of uploads that go on. */
  bytesOf(owner: string): Promise<number>
}

export function openBuckets(sql: Sql): Buckets {
  return {
    async find(name) {
      const [row] = await sql.query<Bucket>(`select ${columns} from s3_bucket where name = $1`, [name])
      return row ?? null
    },
    async create(name, owner) {
      const made = await sql.query(
        'insert into s3_bucket (name, owner) values ($1, $2) on conflict (name) do nothing returning id',
        [name, owner],
      )
      if (made.length > 0) return
      const [there] = await sql.query<Bucket>(`select ${columns} from s3_bucket where name = $1`, [name])
      throw there?.owner === owner
        ? new S3Error('BucketAlreadyOwnedByYou', 'You have a bucket of this name already')
        : new S3Error('BucketAlreadyExists', 'The name is taken. Names are shared by everybody: choose another one')
    },
    remove: ({ id }) =>
      sql.transaction(async (tx) => {
        // whoever puts an object in holds the bucket's row
        await tx.query('select 1 from s3_bucket where id = $1 for update', [id])
        const [found] = await tx.query<{ full: boolean }>(
          `select exists (select 1 from s3_object where bucket_id = $1)
             or exists (select 1 from s3_upload where bucket_id = $1 and ended_at is null) as full`,
          [id],
        )
        if (found!.full) throw new S3Error('BucketNotEmpty', 'The bucket you tried to delete is not empty')
        for (const table of ['s3_usage', 's3_usage_delta', 's3_upload'])
          await tx.query(`delete from ${table} where bucket_id = $1`, [id])
        await tx.query('delete from s3_bucket where id = $1', [id])
      }),
    list: (owner, prefix, after, most) =>
      sql.query<Bucket>(
        `select ${columns} from s3_bucket
         where owner = $1 and name > $2 and starts_with(name, $3) order by name limit $4`,
        [owner, after, prefix, most],
      ),
    async setPolicy({ id }, policy) {
      await sql.query('update s3_bucket set policy = $2 where id = $1', [id, policy])
    },
    async bytesOf(owner) {
      const [row] = await sql.query<{ bytes: number }>(
        `select coalesce(sum(bytes), 0)::bigint as bytes from (
           select u.bytes from s3_usage u join s3_bucket b on b.id = u.bucket_id where b.owner = $1
           union all select d.bytes from s3_usage_delta d join s3_bucket b on b.id = d.bucket_id where b.owner = $1
           union all select p.size from s3_bucket b join s3_upload u on u.bucket_id = b.id
             join s3_upload_part p on p.upload = u.id where b.owner = $1
         ) of_owner`,
        [owner],
      )
      return row!.bytes
    },
  }
}
