import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase, testPool } from '../testing/postgres/postgres'
import { migrate } from './migrate'
import { replaces } from './migrations/0149-baseline/baseline'
import { migrations, type Migration } from './migrations/all'

/** A database, and a function that migrates it with additional steps from later releases. */
async function newerReleases() {
  const database = await testDatabase()
  const pool = testPool(database)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  return { pool, migrateWith: (steps: readonly Migration[]) => migrate(pool, [...migrations, ...steps]) }
}
/** Resets the database to the state in which only these steps of the chain before the baseline have run. */
async function beforeTheBaseline(pool: pg.Pool, ...chain: string[]): Promise<void> {
  await pool.query('drop schema public cascade; create schema public')
  await migrate(pool, migrations.slice(0, 1))
  await pool.query('delete from migration')
  for (const name of chain) await pool.query('insert into migration (name) values ($1)', [name])
}
const nothing = async () => undefined

test('servers that start at the same time migrate only once, and an older server refuses a newer schema', async () => {
  const { pool, migrateWith } = await newerReleases()
  let runs = 0
  const step = { name: '9999-spec', up: async () => void runs++ }
  await Promise.all([1, 2, 3].map(() => migrateWith([step])))
  expect(runs).toBe(1)
  await expect(migrate(pool)).rejects.toThrow(/newer version of the server.+ \(9999-spec\); start that version/)
})

test('an older server refuses to start only if a newer migration requires one that it lacks', async () => {
  const { pool, migrateWith } = await newerReleases()
  const adding = { name: '9991-adds', needs: migrations.at(-1)!.name, up: nothing }
  const next = { name: '9992-adds-more', needs: adding.name, up: nothing }
  await migrateWith([adding])
  await migrate(pool)
  await migrateWith([adding, next])
  await migrateWith([adding])
  await expect(migrate(pool)).rejects.toThrow(/cannot work with it \(9992-adds-more\)/)
  // the refused start has not changed anything
  await migrateWith([adding, next])
})

test('a database that ran the whole chain continues with the baseline and keeps its rows', async () => {
  const { pool, migrateWith } = await newerReleases()
  await beforeTheBaseline(pool, '0001-inventory', replaces)
  await pool.query("insert into setting (name, value) values ('kept', '1')")
  const later = { name: '9999-spec', up: () => Promise.resolve() }
  await migrateWith([later])
  await migrateWith([later])
  const { rows } = await pool.query<{ name: string }>('select name from migration order by name')
  expect(rows.map(({ name }) => name)).toEqual([...migrations.map(({ name }) => name), later.name])
  expect((await pool.query("select value from setting where name = 'kept'")).rows).toEqual([{ value: 1 }])
})

test('refuses a database older than the baseline without changing it, and explains what to do', async () => {
  const { pool } = await newerReleases()
  await beforeTheBaseline(pool, '0001-inventory', '0134-addresses-in-one-form')
  await expect(migrate(pool)).rejects.toThrow(
    `The database is too old for this version of the server (${replaces} is missing): ` +
      'start the version of 29 November 2026 with it once, or start with an empty data folder',
  )
  const { rows } = await pool.query<{ name: string }>('select name from migration order by name')
  expect(rows.map(({ name }) => name)).toEqual(['0001-inventory', '0134-addresses-in-one-form'])
})

test('a migration can only require an earlier one', () => {
  for (const [at, { needs }] of migrations.entries())
    if (needs !== undefined) expect(migrations.slice(0, at).map(({ name }) => name)).toContain(needs)
})
