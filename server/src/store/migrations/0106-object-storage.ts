import { sql, type Kysely } from 'kysely'

// servers that do not know object storage serve none
export const needs = '0105-recycle-bin'

const statements = [
  `create table s3_state (one boolean primary key default true check (one), available boolean not null)`,
  `create table s3_domain (domain_id text primary key, enabled boolean not null)`,
  `create table s3_account (
     user_id text collate "C" primary key,
     domain_id text collate "C" not null,
     enabled boolean not null default true,
     -- bytes; null: as much as there is
     quota bigint,
     created_at timestamptz not null default now()
   )`,
  `create index s3_account_of_domain on s3_account (domain_id, user_id)`,
  `create table s3_key (
     access_key text primary key,
     user_id text collate "C" not null references s3_account on delete cascade,
     secret bytea not null,
     name text,
     enabled boolean not null default true,
     -- the server's own for the person's console
     hidden boolean not null default false,
     created_at timestamptz not null default now(),
     last_used_at timestamptz
   )`,
  `create index s3_key_of_account on s3_key (user_id)`,
  `create table s3_bucket (
     id bigint generated always as identity primary key,
     name text collate "C" not null unique,
     owner text collate "C" not null references s3_account,
     policy text,
     created_at timestamptz not null default now()
   )`,
  `create index s3_bucket_of_owner on s3_bucket (owner, name)`,
  // overwriting changes no column of an index: rows stay on their page. "before": what the last overwriting found
  `create table s3_object (
     bucket_id bigint not null,
     key text collate "C" not null,
     size bigint not null,
     mtime timestamptz not null default clock_timestamp(),
     etag text not null,
     blob uuid,
     parts int not null default 0,
     inline bytea,
     head jsonb not null,
     before_size bigint,
     before_blob uuid,
     before_parts int,
     primary key (bucket_id, key)
   ) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02)`,
  `alter table s3_object alter column inline set storage external`,
  `create table s3_part (
     blob uuid not null, n int not null, file uuid not null, size bigint not null, etag text not null, checksum text,
     primary key (blob, n)
   )`,
  `create table s3_upload (
     id uuid primary key,
     bucket_id bigint not null,
     key text collate "C" not null,
     head jsonb not null,
     -- what its completion answered, for whoever asks again
     done jsonb,
     started_at timestamptz not null default now(),
     ended_at timestamptz
   )`,
  `create index s3_upload_of_key on s3_upload (bucket_id, key, id)`,
  `create index s3_upload_ended on s3_upload (ended_at) where ended_at is not null`,
  `create table s3_upload_part (
     upload uuid not null, n int not null, file uuid not null, size bigint not null, etag text not null, checksum text,
     mtime timestamptz not null default now(),
     primary key (upload, n)
   )`,
  // files to be removed; one that is being written is in it until its row is there
  `create table s3_garbage (file uuid primary key, due timestamptz not null)`,
  `create index s3_garbage_due on s3_garbage (due)`,
  `create table s3_usage (bucket_id bigint primary key, bytes bigint not null, objects bigint not null)`,
  `create table s3_usage_delta (
     id bigint generated always as identity primary key, bucket_id bigint not null, bytes bigint not null, objects int not null
   )`,
  `create index s3_usage_delta_of_bucket on s3_usage_delta (bucket_id)`,
  // the first text after all that begin with this one, in the order of bytes; U+D800 to U+DFFF are no characters
  `create function s3_after(prefix text) returns text language sql immutable strict as $$
     select left(kept, -1) || case when ascii(right(kept, 1)) = 55295 then chr(57344) else chr(ascii(right(kept, 1)) + 1) end
       collate "C"
     from (select nullif(rtrim(prefix, chr(1114111)), '') as kept) rest
   $$`,
]

/** Object storage of this installation: who has it, what is in it, and where the bytes are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
