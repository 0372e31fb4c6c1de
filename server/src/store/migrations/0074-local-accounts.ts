import { sql, type Kysely } from 'kysely'

// servers that do not know it ask nobody for a new password, and forget failures after their time only
export const needs = '0051-image-digests'

/**
 * Passwords that are to be changed at the next sign-in; whose failures of sign-ins are; steps of sign-ins that a password alone
 * does not complete; links that were mailed to who has forgotten a password.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table identity_user add column must_change_password boolean not null default false`.execute(db)
  await sql`alter table sign_in_failure add column owner text`.execute(db)
  await sql`create index sign_in_failure_owner on sign_in_failure (owner)`.execute(db)
  await sql`
    create table sign_in_step (
      hash bytea primary key,
      user_id text not null references identity_user (id) on delete cascade,
      step text not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`
    create table identity_reset_link (
      user_id text primary key references identity_user (id) on delete cascade,
      hash bytea not null unique,
      made_at timestamptz not null,
      expires_at timestamptz not null
    )`.execute(db)
}
