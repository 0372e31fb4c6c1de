import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '../testing/postgres/postgres'
import { silentLogger } from '../testing/silent-logger'
import { asDatabaseProblem } from './database-errors'
import { openListener } from './listener'
import { openStore, type Store } from './store'

let database: TestDatabase
let store: Store
let administrator: pg.Client
let name: string
beforeAll(async () => {
  database = await testDatabase()
  store = await openStore({ databaseUrl: database.url, dataFolder: tmpdir(), log: silentLogger })
  name = new URL(database.url).pathname.slice(1)
  // connect to another database, because a client cannot block connections to the database that it is using
  administrator = new pg.Client({
    connectionString: Object.assign(new URL(database.url), { pathname: '/postgres' }).href,
  })
  await administrator.connect()
})
afterAll(async () => {
  await store.close()
  await administrator.end()
  await database.drop()
})

const unavailable = { code: 'database_unavailable', status: 503, data: { retry_after: 2 } }
const one = async () => (await sql<{ one: number }>`select 1 as one`.execute(store.db)).rows
const backend = async (db: Store['db']) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]!.pid

async function endBackends(condition: string): Promise<number> {
  const { rowCount } = await administrator.query(
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where datname = $1 and ${condition}`,
    [name],
  )
  return rowCount ?? 0
}

test('losing an idle connection has no effect', async () => {
  await Promise.all([one(), one(), one()])
  expect(await endBackends("state = 'idle' and query not like 'listen%'")).toBeGreaterThan(0)
  await expect.poll(() => one().catch(() => null)).toEqual([{ one: 1 }])
})

test('losing a connection during a query returns 503, and the next query succeeds', async () => {
  const asked = sql`select pg_sleep(60)`.execute(store.db)
  asked.catch(() => undefined)
  await expect.poll(() => endBackends("query like 'select pg_sleep%'")).toBe(1)
  await expect(asked).rejects.toMatchObject(unavailable)
  expect(await one()).toEqual([{ one: 1 }])
})

test('losing a connection during a transaction rolls it back and reports the failure', async () => {
  await sql`create table noted (word text)`.execute(store.db)
  const transaction = store.db.transaction().execute(async (inside) => {
    await sql`insert into noted values ('lost')`.execute(inside)
    const pid = await backend(inside)
    expect(await endBackends(`state = 'idle in transaction' and pid = ${pid}`)).toBe(1)
    // wait until the client has noticed the loss
    await pause(50)
  })
  await expect(transaction).rejects.toMatchObject(unavailable)
  expect((await sql`select * from noted`.execute(store.db)).rows).toEqual([])
})

test('the database ends a transaction that is idle for too long, and the server keeps running', async () => {
  const transaction = store.db.transaction().execute(async (inside) => {
    await sql`set local idle_in_transaction_session_timeout = 50`.execute(inside)
    await pause(400)
    await sql`insert into noted values ('late')`.execute(inside)
  })
  await expect(transaction).rejects.toMatchObject(unavailable)
  expect((await sql`select * from noted`.execute(store.db)).rows).toEqual([])
})

test('a timeout while waiting for a connection returns `database_unavailable`', async () => {
  const held = await Promise.all(Array.from({ length: 12 }, () => store.pool.connect()))
  const { connectionTimeoutMillis } = store.pool.options
  store.pool.options.connectionTimeoutMillis = 50
  await expect(one()).rejects.toMatchObject(unavailable)
  store.pool.options.connectionTimeoutMillis = connectionTimeoutMillis
  for (const client of held) client.release()
  expect(await one()).toEqual([{ one: 1 }])
})

test('returns `database_unavailable` only for connection failures', () => {
  const told = (error: unknown) => (asDatabaseProblem(error) as { code?: string }).code
  const refused = Object.assign(new Error('connect ENOENT /somewhere/.s.PGSQL.5432'), {
    code: 'ENOENT',
    syscall: 'connect',
  })
  for (const code of [
    '57P01',
    '57P02',
    '57P03',
    '57P05',
    '25P03',
    '08000',
    '08006',
    '53300',
    'ECONNREFUSED',
    'ECONNRESET',
  ])
    expect(told(Object.assign(new Error('said by the database'), { code })), code).toBe('database_unavailable')
  expect(told(refused)).toBe('database_unavailable')
  for (const message of ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'])
    expect(told(new Error(message)), message).toBe('database_unavailable')
  expect(told(Object.assign(new Error('no space left on device'), { code: '53100' }))).toBe('disk_full')
  for (const code of ['23505', '40001', '57014', '42P01'])
    expect(told(Object.assign(new Error('x'), { code }))).toBe(code)
  expect(told(Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }))).toBe('ENOENT')
})

test('reports when and why the database became unreachable, until it is available again', async () => {
  expect(await store.down()).toBeNull()
  const heard: string[] = []
  const stop = await store.listen('later', (payload) => void heard.push(payload))
  await administrator.query(`alter database "${name}" with allow_connections false`)
  await endBackends('true')
  await expect.poll(() => store.down()).not.toBeNull()
  await expect(one()).rejects.toMatchObject(unavailable)
  const { since } = (await store.down())!
  await expect.poll(async () => (await store.down())?.reason).toMatch(/not currently accepting/)
  expect(await store.down()).toMatchObject({ since })
  await administrator.query(`alter database "${name}" with allow_connections true`)
  await expect.poll(() => store.down()).toBeNull()
  expect(heard).toEqual([''])
  expect(await one()).toEqual([{ one: 1 }])
  stop()
})

/** A proxy that forwards everything until it is told to drop all data silently. */
async function silentWay(to: { host: string; port: number }): Promise<{ server: Server; lose(): void }> {
  let lost = false
  const server = createServer((socket: Socket) => {
    if (lost) return
    const target = connect(`${to.host}/.s.PGSQL.${to.port}`)
    for (const [from, into] of [
      [socket, target],
      [target, socket],
    ] as const) {
      from.on('data', (chunk) => lost || into.write(chunk))
      from.on('error', () => undefined)
      from.on('close', () => lost || into.destroy())
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { server, lose: () => void (lost = true) }
}

test('closes and replaces a listening connection that was lost silently', { tags: 'all' }, async () => {
  const url = new URL(database.url)
  const way = await silentWay({ host: url.searchParams.get('host')!, port: Number(url.port) })
  const config = {
    user: url.username,
    database: url.pathname.slice(1),
    host: '127.0.0.1',
    port: (way.server.address() as AddressInfo).port,
  }
  const listener = await openListener(config, silentLogger, 100)
  expect(await listener.down()).toBeNull()
  way.lose()
  expect((await listener.down())?.reason).toBe('No answer within 2 s')
  await expect.poll(async () => (await listener.down())?.reason, { interval: 500 }).toBe('No answer within 5 s')
  await listener.close()
  way.server.close()
})

test('every server receives notifications, and a lost connection is reported as a gap', async () => {
  const own = await testDatabase()
  const store = await openStore({ databaseUrl: own.url, dataFolder: tmpdir(), log: silentLogger })
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
  await own.drop()
})
