import { sql, type Kysely } from 'kysely'

// servers that do not know the gateway ask none
export const needs = '0105-recycle-bin'

const statements = [
  `create table rgw_account (
     user_id text collate "C" primary key,
     domain_id text collate "C" not null,
     enabled boolean not null default true,
     -- the gateway has yet to be told
     pending boolean not null default true,
     created_at timestamptz not null default now()
   )`,
  `create index rgw_account_of_domain on rgw_account (domain_id, user_id)`,
  `create index rgw_account_pending on rgw_account (user_id) where pending`,
  // names of keys; the keys themselves are the gateway's
  `create table rgw_key (
     access_key text primary key,
     user_id text collate "C" not null references rgw_account on delete cascade,
     name text,
     -- the server's own for the person's console
     hidden boolean not null default false,
     created_at timestamptz not null default now()
   )`,
  `create index rgw_key_of_account on rgw_key (user_id)`,
]

/** Who has buckets at a Ceph Object Gateway. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
