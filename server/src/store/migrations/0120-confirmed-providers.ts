import { sql, type Kysely } from 'kysely'

// servers that do not know it give users all groups that the rules name, as before
export const needs = '0105-recycle-bin'

/**
 * Whether a system administrator was the last one to change an identity provider. Only then does it give groups with system permissions.
 * False for the providers before: nobody knows who changed them last, and a system administrator can save them again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table identity_provider add column is_confirmed boolean not null default false`.execute(db)
}
