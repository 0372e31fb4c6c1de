import { Kysely, PostgresDialect, sql, type Generated } from 'kysely'
import type pg from 'pg'
import { migrations, type Migration } from './migrations/all'

/** Arbitrary key of the advisory lock that is held while the schema is changed. */
const SCHEMA_LOCK = 7_206_501

interface Done {
  name: string
  /** The latest migration that a server must have to work with the changed schema; null for this migration itself. */
  needs: string | null
}

interface Schema {
  migration: Done & { at: Generated<Date> }
}

/**
 * Migrates the schema to the version of this server. Servers that start at the same time wait for each other. If a step
 * fails, it is rolled back, but earlier steps are kept. If newer servers have migrated the database further, this
 * server works alongside them, unless one of their migrations requires one that it lacks (`Migration.needs`); in that
 * case, throws an error that names those migrations.
 */
export async function migrate(pool: pg.Pool, steps: readonly Migration[] = migrations): Promise<void> {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  await db.connection().execute(async (connection) => {
    // no timeout: waiting for another server that is changing large tables can take a long time
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`select pg_advisory_lock(${SCHEMA_LOCK})`.execute(connection)
    try {
      await sql`create table if not exists migration (name text primary key, at timestamptz not null default now())`.execute(
        connection,
      )
      await sql`alter table migration add column if not exists needs text`.execute(connection)
      for (const baseline of steps)
        if (baseline.replaces) await adoptBaseline(connection, baseline.name, baseline.replaces)
      const done = await connection.selectFrom('migration').select(['name', 'needs']).execute()
      refuseNewer(done, new Set(steps.map(({ name }) => name)))
      for (const step of steps) {
        if (done.some(({ name }) => name === step.name)) continue
        await connection.transaction().execute(async (inside) => {
          await step.up(inside as unknown as Kysely<unknown>)
          await sql`insert into migration (name, needs) values (${step.name}, ${step.needs ?? null})`.execute(inside)
        })
      }
    } finally {
      await sql`select pg_advisory_unlock(${SCHEMA_LOCK})`.execute(connection)
      await sql`reset statement_timeout`.execute(connection)
    }
  })
}

/**
 * Records the baseline for a database that ran the whole chain that the baseline replaces. Changes nothing else. Throws
 * if the database ran only part of the chain.
 */
async function adoptBaseline(db: Kysely<Schema>, name: string, replaces: string): Promise<void> {
  const done = await db.selectFrom('migration').select('name').execute()
  const chain = done.map((step) => step.name).filter((step) => step < name)
  if (chain.length === 0) return
  if (!chain.includes(replaces))
    throw new Error(
      `The database is too old for this version of the server (${replaces} is missing): ` +
        'start the version of 29 November 2026 with it once, or start with an empty data folder',
    )
  await db.transaction().execute(async (inside) => {
    await inside.deleteFrom('migration').where('name', 'in', chain).execute()
    await inside.insertInto('migration').values({ name, needs: null }).execute()
  })
}

/** Throws if a newer server has changed the database in a way that this server cannot work with. */
function refuseNewer(done: readonly Done[], known: ReadonlySet<string>): void {
  const unusable = done.filter(({ name, needs }) => !known.has(name) && !known.has(needs ?? name))
  if (unusable.length === 0) return
  throw new Error(
    `The database was changed by a newer version of the server, and this one cannot work with it ` +
      `(${unusable.map(({ name }) => name).join(', ')}); start that version`,
  )
}
