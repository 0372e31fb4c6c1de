/**
 * Object storage of this installation: accounts, objects and the files that hold their content. Also accounts of a Ceph
 * Object Gateway.
 */
export const objectStorage = `
create table s3_state (one boolean primary key default true check (one), available boolean not null);
create table s3_domain (domain_id text primary key, enabled boolean not null);
-- The canonical id that grants name cannot be turned back into its user, so it stands beside the user (canonicalIdOf). convert_to
-- depends on no setting if both encodings are named.
create function s3_canonical_id(user_id text) returns text language sql immutable strict as $$
  select encode(sha256(convert_to('s3:' || user_id, 'UTF8')), 'hex')
$$;
create table s3_account (
  user_id text collate "C" primary key,
  domain_id text collate "C" not null,
  enabled boolean not null default true,
  -- bytes; null: no limit
  quota bigint,
  created_at timestamptz not null default now(),
  canonical_id text collate "C" generated always as (s3_canonical_id(user_id)) stored,
  -- objects; null: no limit
  quota_objects bigint
);
create index s3_account_of_domain on s3_account (domain_id, user_id);
create unique index s3_account_canonical on s3_account (canonical_id);
create table s3_key (
  access_key text primary key,
  user_id text collate "C" not null references s3_account on delete cascade,
  secret bytea not null,
  name text,
  enabled boolean not null default true,
  -- the server's own for the user's console
  hidden boolean not null default false,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index s3_key_of_account on s3_key (user_id);
create table s3_bucket (
  id bigint generated always as identity primary key,
  name text collate "C" not null unique,
  owner text collate "C" not null references s3_account,
  policy text,
  created_at timestamptz not null default now(),
  -- by name (BucketSettings)
  settings jsonb not null default '{}'
);
create index s3_bucket_of_owner on s3_bucket (owner, name);
create index s3_bucket_with_lifecycle on s3_bucket (id) where settings ? 'lifecycle';

-- Overwriting changes no column of an index: rows stay on their page. "before": what the last overwriting found.
create table s3_object (
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
  -- null: the version that S3 calls "null", as of every object of a bucket that keeps none
  version uuid,
  seq bigint not null default 0,
  primary key (bucket_id, key)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
alter table s3_object alter column inline set storage external;
create sequence s3_version_seq;
-- Versions that a newer one has replaced, and delete markers: lists of objects never meet them.
create table s3_noncurrent (
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
) with (autovacuum_vacuum_scale_factor = 0.02);
alter table s3_noncurrent alter column inline set storage external;
create unique index s3_noncurrent_of_key on s3_noncurrent (bucket_id, key, seq desc);
create unique index s3_noncurrent_null on s3_noncurrent (bucket_id, key) where version is null;
create table s3_part (
  blob uuid not null, n int not null, file uuid not null, size bigint not null, etag text not null, checksum text,
  primary key (blob, n)
);
create table s3_upload (
  id uuid primary key,
  bucket_id bigint not null,
  key text collate "C" not null,
  head jsonb not null,
  -- the answer to its completion, for clients that ask again
  done jsonb,
  started_at timestamptz not null default now(),
  ended_at timestamptz
);
create index s3_upload_of_key on s3_upload (bucket_id, key, id);
create index s3_upload_ended on s3_upload (ended_at) where ended_at is not null;
create table s3_upload_part (
  upload uuid not null, n int not null, file uuid not null, size bigint not null, etag text not null, checksum text,
  mtime timestamptz not null default now(),
  primary key (upload, n)
);
create table s3_usage (bucket_id bigint primary key, bytes bigint not null, objects bigint not null);
create table s3_usage_delta (
  id bigint generated always as identity primary key, bucket_id bigint not null, bytes bigint not null, objects int not null
);
create index s3_usage_delta_of_bucket on s3_usage_delta (bucket_id);
-- The first text after all that begin with this one, in the order of bytes; U+D800 to U+DFFF are no characters.
create function s3_after(prefix text) returns text language sql immutable strict as $$
  select left(kept, -1) || case when ascii(right(kept, 1)) = 55295 then chr(57344) else chr(ascii(right(kept, 1)) + 1) end
    collate "C"
  from (select nullif(rtrim(prefix, chr(1114111)), '') as kept) rest
$$;

-- Files to be removed; a file that is being written is in it until its row exists.
create table s3_garbage (
  file uuid primary key,
  due timestamptz not null,
  -- of a file that no row has yet
  sum text
);
create index s3_garbage_due on s3_garbage (due);
-- Keys that seal the data keys of encrypted objects, themselves sealed with the key of the installation.
create table s3_encryption_key (
  id text collate "C" primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
-- Files that a row of an object or a part has. Without a checksum: written before there were any.
create table s3_file (
  file uuid primary key,
  sum text,
  -- when its bytes are read and compared next
  check_at timestamptz not null,
  -- null: whole, as far as is known
  damage text check (damage in ('missing', 'changed'))
);
create index s3_file_check on s3_file (check_at);
create index s3_file_damaged on s3_file (file) where damage is not null;

-- How far the day's run over a bucket has come. "rules": the rules it follows; with other rules it starts again.
create table s3_lifecycle_run (
  bucket_id bigint primary key,
  rules text not null,
  after_key text collate "C" not null default '',
  next_at timestamptz not null default now()
);
-- Copies, moves and deletions of folders: how far each is, and in whose name it goes on.
create table s3_run (
  id text collate "C" primary key,
  task_id text not null,
  session_id text not null,
  user_id text collate "C" not null,
  project_id text,
  credential_key bytea,
  action text not null,
  bucket text not null,
  keys jsonb not null,
  target jsonb,
  overwrite boolean not null,
  state text not null default 'running',
  -- the file or folder that is next, and the last key of it that is done or in the batch
  at integer not null default 0,
  cursor text not null default '',
  -- objects that are being worked on, or were when a server died
  batch jsonb,
  done bigint not null default 0,
  failed bigint not null default 0,
  faults jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- the address of the caller, which policies of buckets may ask for
  source text,
  panel text not null default 'admin'
);
create index s3_run_of_user on s3_run (user_id) where state = 'running';

create table rgw_account (
  user_id text collate "C" primary key,
  domain_id text collate "C" not null,
  enabled boolean not null default true,
  -- the gateway has yet to be told
  pending boolean not null default true,
  created_at timestamptz not null default now()
);
create index rgw_account_of_domain on rgw_account (domain_id, user_id);
create index rgw_account_pending on rgw_account (user_id) where pending;
-- Names of keys; the gateway has the keys themselves.
create table rgw_key (
  access_key text primary key,
  user_id text collate "C" not null references rgw_account on delete cascade,
  name text,
  -- the server's own for the user's console
  hidden boolean not null default false,
  created_at timestamptz not null default now()
);
create index rgw_key_of_account on rgw_key (user_id);
`
