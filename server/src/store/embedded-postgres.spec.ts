import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { commandAs, serviceUser } from '@mainstay/engines/host/service-users'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../testing/silent-logger'
import { openStore, type Store } from './store'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
const nobody = { uid: 65_534, gid: 65_534 }

// inside a folder that only the server's own user can enter, like a clone in root's home folder
let hidden: string
let folder: string
let store: Store
beforeAll(async () => {
  hidden = await mkdtemp(path.join(homedir(), '.mainstay-spec-'))
  await chmod(hidden, 0o700)
  folder = path.join(hidden, 'data')
  store = await open()
  await sql`create table kept as select 'here' as word`.execute(store.db)
})
afterAll(async () => {
  await store.close()
  await rm(hidden, { recursive: true, force: true })
})

const open = () => openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
const inside = (...names: string[]) => path.join(folder, 'postgres', ...names)
const postmaster = async () => Number((await readFile(inside('postmaster.pid'), 'utf8')).split('\n')[0])
const words = async () => (await sql<{ word: string }>`select word from kept`.execute(store.db)).rows
const backAgain = () => expect.poll(() => words().catch(() => null), { interval: 50 })
const statusOf = async (pid: number) =>
  new Map(
    (await readFile(`/proc/${pid}/status`, 'utf8'))
      .split('\n')
      .map((line) => line.split(/:\s*/, 2) as [string, string]),
  )

async function connectAs(role: string): Promise<void> {
  const client = new pg.Client({ ...store.connection, user: role, database: 'postgres' })
  client.on('error', () => undefined)
  try {
    await client.connect()
  } finally {
    await client.end().catch(() => undefined)
  }
}

test("runs without capabilities as its own user, or as the server's user if that is not root", async () => {
  const status = await statusOf(await postmaster())
  const user = await serviceUser('db')
  const uid = user?.uid ?? process.getuid!()
  expect(status.get('Uid')!.split(/\s+/)[0]).toBe(String(uid))
  expect([0, nobody.uid]).not.toContain(uid)
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(status.get(set), set).toMatch(/^0+$/)
  if (isRoot) expect([status.get('CapBnd'), status.get('NoNewPrivs')]).toEqual(['0000000000000000', '1'])
  expect([(await stat(inside())).uid, (await stat(inside())).mode & 0o077]).toEqual([uid, 0])
})

test("accepts only the server's user, and only in one role", async () => {
  await connectAs('mainstay')
  await expect(connectAs('postgres')).rejects.toThrow(/no pg_hba\.conf entry for host "\[local\]", user "postgres"/)
  expect(await readFile(inside('pg_hba.conf'), 'utf8')).toMatch(/^# [^\n]*\nlocal all mainstay peer map=server\n$/)
  expect((await readdir(inside())).filter((name) => name.startsWith('.s.PGSQL.'))).not.toEqual([])
  if (!isRoot) return
  // other users cannot even reach the socket
  const program = `const { connect } = require('node:net'); connect(${JSON.stringify(`${store.connection.host}/.s.PGSQL.5432`)})
    .on('connect', () => process.stdout.write('in')).on('error', (error) => process.stdout.write(error.code))`
  const asNobody = commandAs(nobody, process.execPath, ['-e', program])
  expect((await run(asNobody.file, asNobody.args)).stdout.trim()).toBe('EACCES')
})

test('restarts after a kill, even if a backend survives and keeps its shared memory', { tags: 'all' }, async () => {
  const killed = await postmaster()
  const backend = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)).rows[0]!.pid
  // a stopped backend does not notice the kill, and it blocks the restart unless it is also killed
  process.kill(backend, 'SIGSTOP')
  process.kill(killed, 'SIGKILL')
  await expect.poll(() => postmaster().catch(() => killed), { interval: 50 }).not.toBe(killed)
  await backAgain().toEqual([{ word: 'here' }])
  await expect.poll(() => store.down()).toBeNull()
})

test('restarts every time it is stopped from outside', { tags: 'all' }, async () => {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    const stopped = await postmaster()
    process.kill(stopped, signal)
    await expect.poll(() => postmaster().catch(() => stopped), { interval: 50 }).not.toBe(stopped)
    await backAgain().toEqual([{ word: 'here' }])
  }
})

test(
  'adopts a folder from an older server that trusted all users, and stops trusting them',
  { tags: 'all' },
  async () => {
    await store.close()
    await writeFile(inside('pg_hba.conf'), 'local all all trust\n')
    await writeFile(inside('pg_ident.conf'), '')
    if (isRoot) await run('chown', ['-R', `${nobody.uid}:${nobody.gid}`, inside()])
    store = await open()
    expect(await words()).toEqual([{ word: 'here' }])
    await expect(connectAs('postgres')).rejects.toThrow(/no pg_hba\.conf entry/)
    const owners = await run('find', [inside(), '-printf', '%U\\n'])
    const uid = (await serviceUser('db'))?.uid ?? process.getuid!()
    expect([...new Set(owners.stdout.trim().split('\n'))]).toEqual([String(uid)])
  },
)

test('does not adopt a running server that trusts all users', async () => {
  const before = await postmaster()
  await store.close()
  await writeFile(inside('pg_hba.conf'), 'local all all trust\n')
  store = await open()
  expect(await postmaster()).not.toBe(before)
  await expect(connectAs('postgres')).rejects.toThrow(/no pg_hba\.conf entry/)
})
