import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newDataFolder, setUpDatabaseIn } from '../testing/data-folder'
import { silentLogger } from '../testing/silent-logger'
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
  const store = await openStore({ databaseUrl: null, dataFolder, log: silentLogger })
  stores.push(store)
  return store
}
async function close(store: Store): Promise<void> {
  stores = stores.filter((it) => it !== store)
  await store.close()
}
const postmaster = async (dataFolder: string): Promise<number> =>
  Number((await readFile(path.join(dataFolder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** Stops the PostgreSQL of a killed server, unless the spec has reopened its folder. */
async function stopPostgresOf(dataFolder: string): Promise<void> {
  const pid = await postmaster(dataFolder).catch(() => null)
  if (pid === null) return
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // the database has already stopped
  }
}

/** Starts a server in another process, which holds the folder. */
async function otherServer(): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('../testing/postgres/holder.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await once(child.stdout, 'data')
  return child
}

test("creates the embedded database on the first start, keeps its data, does not listen on any port, and compares text independently of the host's locale", async () => {
  await rm(path.join(folder, 'postgres'), { recursive: true })
  const first = await open()
  await first.pool.query("create table kept as select 'here' as word")
  const { rows } = await first.pool.query<{ ports: string; fsync: string; jit: string }>(
    "select current_setting('listen_addresses') as ports, current_setting('fsync') as fsync, current_setting('jit') as jit",
  )
  expect(rows[0]).toEqual({ ports: '', fsync: 'on', jit: 'off' })
  const { rows: texts } = await first.pool.query(
    "select lower('ÄÉ') as lower, getdatabaseencoding() as encoding, 'a' < 'B' as by_language from (select 1) one",
  )
  expect(texts[0]).toEqual({ lower: 'äé', encoding: 'UTF8', by_language: false })
  await close(first)
  const started = performance.now()
  const second = await open()
  expect(performance.now() - started).toBeLessThan(20_000)
  expect((await second.pool.query('select word from kept')).rows).toEqual([{ word: 'here' }])
})

test('the next server after a kill adopts the running PostgreSQL', async () => {
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

test('no committed data is lost if all processes are killed', async () => {
  const holder = await otherServer()
  const ended = once(holder, 'exit')
  holder.kill('SIGKILL')
  process.kill(await postmaster(folder), 'SIGKILL')
  await ended
  const store = await open()
  expect((await store.pool.query('select count(*)::int as count from held')).rows).toEqual([{ count: 1 }])
})

test('supports a folder whose path is too long for a socket', { tags: 'all' }, async () => {
  const deep = path.join(folder, 'long-'.repeat(30))
  await mkdir(deep, { recursive: true })
  await setUpDatabaseIn(deep)
  const store = await open(deep)
  expect((await store.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})
