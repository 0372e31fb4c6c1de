import { Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { migrations, type Migration } from './migrations/all'

/** Any fixed number; whoever holds it as an advisory lock changes the schema. */
const SCHEMA_LOCK = 7_206_501

/**
 * Brings the schema up to date. Servers that start at the same time wait for one another. A failed step leaves the
 * steps before it done and itself undone. Throws when the database was made by a newer server.
 */
export async function migrate(pool: pg.Pool, steps: readonly Migration[] = migrations): Promise<void> {
  const db = new Kysely<{ migration: { name: string; at: Date } }>({ dialect: new PostgresDialect({ pool }) })
  await db.connection().execute(async (connection) => {
    // waiting for another server that changes large tables takes as long as it takes
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`select pg_advisory_lock(${SCHEMA_LOCK})`.execute(connection)
    try {
      await sql`create table if not exists migration (name text primary key, at timestamptz not null default now())`.execute(
        connection,
      )
      const done = new Set((await connection.selectFrom('migration').select('name').execute()).map(({ name }) => name))
      const unknown = [...done].filter((name) => !steps.some((step) => step.name === name))
      if (unknown.length > 0) {
        throw new Error(
          `The database was changed by a newer version of the server (${unknown.join(', ')}); start that one`,
        )
      }
      for (const step of steps) {
        if (done.has(step.name)) continue
        await connection.transaction().execute(async (inside) => {
          await step.up(inside as unknown as Kysely<unknown>)
          await sql`insert into migration (name) values (${step.name})`.execute(inside)
        })
      }
    } finally {
      await sql`select pg_advisory_unlock(${SCHEMA_LOCK})`.execute(connection)
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}
