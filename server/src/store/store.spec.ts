import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { newDataFolder, setUpDatabaseIn } from '../testing/data-folder'
import { testDatabase } from '../testing/postgres'
import { quiet } from '../testing/quiet'
import { migrate } from './migrate'
import { migrations, type Migration } from './migrations/all'
import { openStore, type Store } from './store'

let folder: string
let stores: Store[]
let children: ChildProcess[]
beforeEach(async () => {
  folder = await newDataFolder()
  stores = []
  children = []
})
afterEach(async () => {
  for (const store of stores) await store.close()
  for (const child of children) child.kill('SIGKILL')
  await stopPostgresOf(folder)
  await rm(folder, { recursive: true, force: true })
})

async function open(dataFolder = folder): Promise<Store> {
  const store = await openStore({ databaseUrl: null, dataFolder, log: quiet })
  stores.push(store)
  return store
}
async function close(store: Store): Promise<void> {
  stores = stores.filter((it) => it !== store)
  await store.close()
}
const postmaster = async (dataFolder: string): Promise<number> =>
  Number((await readFile(path.join(dataFolder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** What a killed server leaves behind, when a spec did not open it again. */
async function stopPostgresOf(dataFolder: string): Promise<void> {
  const pid = await postmaster(dataFolder).catch(() => null)
  if (pid === null) return
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // it is gone already
  }
}

/** A server in another process that has opened the folder and holds it. */
async function otherServer(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../testing/postgres-holder.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await once(child.stdout, 'data')
  return child
}

test('the embedded database is made on the first start, keeps what was written, and listens on no port', async () => {
  await rm(path.join(folder, 'postgres'), { recursive: true })
  const first = await open()
  await first.pool.query("create table kept as select 'here' as word")
  const { rows } = await first.pool.query<{ ports: string; fsync: string; jit: string }>(
    "select current_setting('listen_addresses') as ports, current_setting('fsync') as fsync, current_setting('jit') as jit",
  )
  expect(rows[0]).toEqual({ ports: '', fsync: 'on', jit: 'off' })
  await close(first)
  const started = performance.now()
  const second = await open()
  expect(performance.now() - started).toBeLessThan(20_000)
  expect((await second.pool.query('select word from kept')).rows).toEqual([{ word: 'here' }])
})

test('texts are compared without regard to the machine it runs on', async () => {
  const store = await open()
  const { rows } = await store.pool.query(
    "select lower('ÄÉ') as lower, getdatabaseencoding() as encoding, 'a' < 'B' as by_language from (select 1) one",
  )
  expect(rows[0]).toEqual({ lower: 'äé', encoding: 'UTF8', by_language: false })
})

test('a second server on the same folder is refused in words that say why', async () => {
  const holder = await otherServer()
  await expect(open()).rejects.toThrow(new RegExp(`Another server \\(process ${holder.pid}\\) is using the folder`))
})

test('after a server was killed the next one goes on with the PostgreSQL that was left', async () => {
  const holder = await otherServer()
  const left = await postmaster(folder)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const store = await open()
  expect((await store.pool.query('select count(*)::int as count from held')).rows).toEqual([{ count: 1 }])
  expect(await postmaster(folder)).toBe(left)
  await close(store)
  await expect(postmaster(folder)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('after everything was killed nothing that was committed is lost', async () => {
  const holder = await otherServer()
  const ended = once(holder, 'exit')
  holder.kill('SIGKILL')
  process.kill(await postmaster(folder), 'SIGKILL')
  await ended
  const store = await open()
  expect((await store.pool.query('select count(*)::int as count from held')).rows).toEqual([{ count: 1 }])
})

test('a folder whose path is too long for a socket works as well', async () => {
  const deep = path.join(folder, 'long-'.repeat(30))
  await mkdir(deep, { recursive: true })
  await setUpDatabaseIn(deep)
  const store = await open(deep)
  expect((await store.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('a lease has one holder, is passed on, and a lost one says so', async () => {
  const database = await testDatabase()
  const [one, two] = await Promise.all(
    [1, 2].map(() => openStore({ databaseUrl: database.url, dataFolder: folder, log: quiet })),
  )
  const lease = (await one!.lease('sync', 3))!
  expect(await two!.lease('sync', 3)).toBeNull()
  const until = async () => (await one!.pool.query<{ until: Date }>('select until from lease')).rows[0]!.until.getTime()
  const first = await until()
  // it is renewed before it ends
  await expect.poll(until).toBeGreaterThan(first)
  expect(await two!.lease('sync', 3)).toBeNull()
  await lease.release()
  const next = (await two!.lease('sync', 3))!
  expect(next).not.toBeNull()
  await two!.pool.query("update lease set owner = 'thief', until = now() + interval '1 minute'")
  await once(next.signal, 'abort')
  await one!.close()
  await two!.close()
  await database.drop()
})

test('what is announced is heard by every server, and a broken connection is told as a gap', async () => {
  const database = await testDatabase()
  const store = await openStore({ databaseUrl: database.url, dataFolder: folder, log: quiet })
  const heard: string[] = []
  await store.listen('news', (payload) => void heard.push(payload))
  await store.pool.query("select pg_notify('news', 'one')")
  await expect.poll(() => heard).toEqual(['one'])
  await store.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
  )
  await expect.poll(() => heard).toEqual(['one', ''])
  await store.pool.query("select pg_notify('news', 'two')")
  await expect.poll(() => heard).toEqual(['one', '', 'two'])
  await store.close()
  await database.drop()
})

/** A database, and what migrates it with more steps than this release has. */
async function newerReleases() {
  const database = await testDatabase()
  const pool = new pg.Pool({ connectionString: database.url })
  // the database may be dropped while its last connection is still on its way out
  pool.on('error', () => undefined)
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

test('a migration needs one that stands before it', () => {
  for (const [at, { needs }] of migrations.entries())
    if (needs !== undefined) expect(migrations.slice(0, at).map(({ name }) => name)).toContain(needs)
})
