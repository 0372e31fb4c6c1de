import { expect, onTestFinished, test } from 'vitest'
import { testDatabase, testPool } from '../testing/postgres/postgres'
import { migrate } from './migrate'
import { migrations, type Migration } from './migrations/all'

/** A database, and what migrates it with more steps than this release has. */
async function newerReleases() {
  const database = await testDatabase()
  const pool = testPool(database)
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  return { pool, migrateWith: (steps: readonly Migration[]) => migrate(pool, [...migrations, ...steps]) }
}
const nothing = async () => undefined

test('servers that start at the same time migrate once, and an older server refuses a schema that it cannot work with', async () => {
  const { pool, migrateWith } = await newerReleases()
  let runs = 0
  const step = { name: '9999-spec', up: async () => void runs++ }
  await Promise.all([1, 2, 3].map(() => migrateWith([step])))
  expect(runs).toBe(1)
  await expect(migrate(pool)).rejects.toThrow(/newer version of the server.+ \(9999-spec\); start that version/)
})

test('an older server starts while newer migrations need no more than it knows, and refuses by name those that do', async () => {
  const { pool, migrateWith } = await newerReleases()
  const adding = { name: '9991-adds', needs: migrations.at(-1)!.name, up: nothing }
  const next = { name: '9992-adds-more', needs: adding.name, up: nothing }
  await migrateWith([adding])
  await migrate(pool)
  await migrateWith([adding, next])
  await migrateWith([adding])
  await expect(migrate(pool)).rejects.toThrow(/cannot work with it \(9992-adds-more\)/)
  // what refuses has changed nothing
  await migrateWith([adding, next])
})

test('a server that knows the recycle bin starts beside this one: all that was changed since in the database is added', async () => {
  const { pool, migrateWith } = await newerReleases()
  await migrateWith([])
  const newest = migrations.findIndex(({ name }) => name === '0105-recycle-bin')
  await migrate(pool, migrations.slice(0, newest + 1))
})

test('a migration needs one that stands before it', () => {
  for (const [at, { needs }] of migrations.entries())
    if (needs !== undefined) expect(migrations.slice(0, at).map(({ name }) => name)).toContain(needs)
})
