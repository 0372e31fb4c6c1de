import { sql, type Kysely } from 'kysely'

/**
 * Tokens that a cloud has handed over, for the moment until the browser that brought them begins its session: sealed
 * with a code that goes to the browser, of which only a hash is kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table hand_over (
      hash bytea primary key,
      browser bytea not null,
      token bytea not null,
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index hand_over_expires on hand_over (expires_at)`.execute(db)
}
