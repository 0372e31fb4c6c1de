import { sql, type Kysely } from 'kysely'

// servers that do not know object storage serve none; one alone has the files
export const needs = '0105-recycle-bin'

const statements = [
  // null: the version that S3 calls "null", as of every object of a bucket that keeps none
  `alter table s3_object add column version uuid, add column seq bigint not null default 0`,
  `create sequence s3_version_seq`,
  // versions that a newer one has taken the place of, and delete markers: lists of objects never meet them
  `create table s3_noncurrent (
     bucket_id bigint not null,
     key text collate "C" not null,
     seq bigint not null,
     version uuid,
     marker boolean not null default false,
     size bigint not null default 0,
     mtime timestamptz not null default clock_timestamp(),
     etag text not null default '',
     blob uuid,
     parts int not null default 0,
     inline bytea,
     head jsonb not null default '{"headers": {}, "metadata": {}}'
   ) with (autovacuum_vacuum_scale_factor = 0.02)`,
  `alter table s3_noncurrent alter column inline set storage external`,
  `create unique index s3_noncurrent_of_key on s3_noncurrent (bucket_id, key, seq desc)`,
  `create unique index s3_noncurrent_null on s3_noncurrent (bucket_id, key) where version is null`,
]

/** Versions of objects: the live one of each key stays in `s3_object`, all others stand in a table of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
