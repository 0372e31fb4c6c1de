import { sql, type Kysely } from 'kysely'

// servers that do not know encryption serve no object storage beside this one
export const needs = '0105-recycle-bin'

const statements = [
  // keys that seal the data keys of encrypted objects, themselves sealed with the key of the installation
  `create table s3_encryption_key (
     id text collate "C" primary key,
     sealed bytea not null,
     created_at timestamptz not null default now()
   )`,
  // a file that a row of an object or a part has. Without a checksum: it was written before there were any
  `create table s3_file (
     file uuid primary key,
     sum text,
     -- when its bytes are read and compared next
     check_at timestamptz not null,
     -- null: whole, as far as is known
     damage text check (damage in ('missing', 'changed'))
   )`,
  `create index s3_file_check on s3_file (check_at)`,
  `create index s3_file_damaged on s3_file (file) where damage is not null`,
  // of a file that no row has yet
  `alter table s3_garbage add column sum text`,
]

/** With which keys objects are encrypted, and what is known of the files that have their bytes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
