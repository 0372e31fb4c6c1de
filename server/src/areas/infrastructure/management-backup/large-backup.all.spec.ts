import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { GiB } from '@mainstay/contract/core/bytes'
import { managementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { testDatabase, testPool } from '../../../testing/postgres/postgres'
import { silentLogger } from '../../../testing/silent-logger'
import { startServer, type TestServer } from '../../../testing/start-server'
import { restoreBackup } from './restore'

const MiB = 1024 * 1024
const ROWS = 2048
/** Growth of the server's memory that is allowed during a backup, in bytes. */
const MOST_MEMORY = 400 * MiB

let server: TestServer
let folder: string
const as = 'superuser'
beforeAll(async () => {
  server = await startServer()
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-large-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Adds rows of 1 MiB each that gzip cannot reduce by more than a quarter. */
async function fill(): Promise<void> {
  const block = randomBytes((MiB * 3) / 4).toString('base64')
  for (let first = 1; first <= ROWS; first += 64)
    await server.sql.query(
      `insert into private_record (kind, id, data)
        select 'large', n::text, to_jsonb(substr(b, n) || substr(b, 1, n - 1))
        from (select $1::text as b) as one, generate_series($2::int, $3::int) as n`,
      [block, first, first + 63],
    )
}

/** Writes two rows in one transaction, again and again, until it is stopped. */
function writePairs() {
  let isStopped = false
  let written = 0
  const ended = (async () => {
    while (!isStopped) {
      const id = String(written)
      await server.tools.inventory.transaction(async (records) => {
        await records.putPrivate('left', id, { at: written })
        await records.putPrivate('right', id, { at: written })
      })
      written += 1
    }
  })()
  return { stop: () => ((isStopped = true), ended), written: () => written }
}

/** Calls the API until it is stopped. Returns how long each call took, in ms. */
function callOften() {
  const took: number[] = []
  let isStopped = false
  const member = 'project-member'
  const ended = (async () => {
    const { id } = await server.call(volumes.create, { as: member, body: { name: 'changed', size: GiB } })
    while (!isStopped) {
      const begun = performance.now()
      const description = `change ${took.length}`
      await server.call(volumes.update, { as: member, params: { id }, body: { description } })
      expect(await server.call(volumes.view, { as: member, params: { id } })).toMatchObject({ description })
      took.push(performance.now() - begun)
      await new Promise((done) => setTimeout(done, 200))
    }
  })()
  return {
    stop: async () => {
      isStopped = true
      await ended
      return took.toSorted((one, other) => one - other)
    },
  }
}

it(
  'backs up 2 GiB in one state while rows are written and calls are answered, and restores them',
  { timeout: 1_200_000 },
  async () => {
    const { bavail, bsize } = await statfs(folder)
    expect(bavail * bsize, 'free space for the test').toBeGreaterThan(8 * GiB)
    await fill()
    await server.call(managementBackup.update, { as, body: { place: { kind: 'folder', path: folder } } as never })
    const { recipient, identity } = await server.call(managementBackup.createKey, { as, body: {} })
    await server.call(managementBackup.confirmKey, { as, body: { recipient, ending: identity.slice(-4) } })

    const [pairs, calls] = [writePairs(), callOften()]
    const memory = process.memoryUsage().rss
    let grown = 0
    const looking = setInterval(() => (grown = Math.max(grown, process.memoryUsage().rss - memory)), 100)
    await vi.waitFor(() => expect(pairs.written()).toBeGreaterThan(10))
    const before = pairs.written()
    await server.call(managementBackup.create, { as, body: {} })
    const done = await vi.waitFor(
      async () => {
        const now = await server.call(managementBackup.view, { as })
        expect([now.runs.length, now.tasks]).toEqual([1, []])
        return now
      },
      { timeout: 900_000, interval: 1000 },
    )
    clearInterval(looking)
    await pairs.stop()
    const took = await calls.stop()
    expect(done.runs[0]!.error).toBeNull()
    const [backup] = done.backups
    expect(backup!.size).toBeGreaterThan(1.4 * GiB)
    expect(grown, 'growth of the memory in bytes').toBeLessThan(MOST_MEMORY)
    expect(took.length).toBeGreaterThan(10)
    expect(took[Math.floor(took.length * 0.95)], 'ms for two calls, 95th percentile').toBeLessThan(5000)

    const database = await testDatabase()
    const data = await mkdtemp(path.join(tmpdir(), 'mainstay-restored-'))
    try {
      const config = { databaseUrl: database.url, dataFolder: data, sealingKey: null }
      await restoreBackup({ config, file: backup!.location, identity, log: silentLogger })
      const pool = testPool(database)
      const { rows } = await pool.query<{ kind: string; count: number; last: number }>(
        `select kind, count(*)::int as count, max((data->>'at')::int) as last from private_record
          where kind in ('left', 'right') group by kind order by kind`,
      )
      const { rows: large } = await pool.query<{ count: number; differing: number }>(
        `select count(*)::int as count, count(distinct md5(data::text))::int as differing from private_record
          where kind = 'large' and length(data #>> '{}') = $1`,
        [MiB],
      )
      await pool.end()
      // both rows of each pair, every pair up to the moment of the backup, and none that was written afterwards
      const [left, right] = rows
      expect(right).toEqual({ ...left, kind: 'right' })
      expect(left!.count).toBe(left!.last + 1)
      expect(left!.count).toBeGreaterThanOrEqual(before)
      expect(left!.count).toBeLessThan(pairs.written())
      expect(large).toEqual([{ count: ROWS, differing: ROWS }])
    } finally {
      await database.drop()
      await rm(data, { recursive: true, force: true })
    }
  },
)
