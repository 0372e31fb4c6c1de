import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { flavors } from '@mainstay/contract/compute/flavors'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeStandingLease } from '../store/lease'
import { openStore } from '../store/store'
import type { Personas } from '../testing/personas'
import { testDatabase, type TestDatabase } from '../testing/postgres/postgres'
import { silentLogger } from '../testing/silent-logger'
import { startServer, type StartOptions, type TestServer } from '../testing/start-server'

let database: TestDatabase
let folders: string[]
let server: TestServer
let cast: Personas
beforeAll(async () => {
  database = await testDatabase()
  folders = await Promise.all([1, 2].map(() => mkdtemp(path.join(tmpdir(), 'mainstay-lease-'))))
  server = await start()
  cast = server.cast
})
afterAll(async () => {
  await server.close()
  await database.drop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

const start = (folder = folders[0]!, more: StartOptions = {}, databaseUrl = database.url) =>
  startServer({ keep: { folder, databaseUrl }, ...(cast && { cast }), ...more })
const as = 'project-member'
const view = (id: string): Promise<Instance> => server.call(instances.view, { as, params: { id } })

async function machine(name: string): Promise<Instance> {
  const flavor = (await server.call(flavors.list, { as })).data[0]!.id
  const made = await server.call(instances.create, {
    as,
    body: { name, flavor, networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
  })
  await expect.poll(async () => (await view(made.id)).status).toBe('ACTIVE')
  return view(made.id)
}

test(
  'refuses a second engine on the same database, names the holder, and leaves instances running',
  { tags: 'all' },
  async () => {
    const { id } = await machine('web')
    const holder = new RegExp(
      `Another server is the engine of this database: process ${process.pid} on .*, with the data folder ${folders[0]}\\. `,
    )
    await expect(start(folders[1])).rejects.toThrow(holder)
    await expect(start(folders[0])).rejects.toThrow(/Another server \(process \d+\) is using the folder/)
    expect(await view(id)).toMatchObject({ status: 'ACTIVE', task_state: null, fault: null })
    const more = await Promise.all([machine('one'), machine('two')])
    expect(more.map(({ status }) => status)).toEqual(['ACTIVE', 'ACTIVE'])
  },
)

test(
  'refuses a data folder with another database, and a database with another data folder',
  { tags: 'all' },
  async () => {
    await server.close()
    await expect(start(folders[1])).rejects.toThrow(/the database belongs to another data folder than /)
    const other = await testDatabase()
    await expect(start(folders[0], {}, other.url)).rejects.toThrow(/contains the disks of another database/)
    await other.drop()
    server = await start()
  },
)

test('a killed server’s lease can be taken within seconds, even if the clock was set back by an hour', async () => {
  const leave = async (until: string) => {
    await server.close()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(
      `insert into lease (name, owner, until, holder) values ('engine:embedded', 'dead', now() + interval '${until}', 'one that is dead')`,
    )
    await client.end()
    server = await start()
  }
  await leave('2 seconds')
  await leave('1 hour')
  expect((await machine('later')).status).toBe('ACTIVE')
})

test(
  'a lease is not held while the database is unavailable, and is held again afterwards',
  { tags: 'all' },
  async () => {
    const store = await openStore({ databaseUrl: database.url, dataFolder: tmpdir(), log: silentLogger })
    const lease = await takeStandingLease(store.db, silentLogger, {
      name: 'spec',
      holder: 'a spec',
      place: 'here',
      seconds: 1,
    })
    if ('heldBy' in lease) throw new Error(lease.heldBy)
    const name = new URL(database.url).pathname.slice(1)
    const beside = Object.assign(new URL(database.url), { pathname: '/postgres' })
    const administrator = new pg.Client({ connectionString: beside.href })
    await administrator.connect()
    try {
      await administrator.query(`alter database "${name}" with allow_connections false`)
      await administrator.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [
        name,
      ])
      await expect.poll(() => lease.isHeld()).toBe(false)
      expect(lease.lost.aborted).toBe(false)
    } finally {
      await administrator.query(`alter database "${name}" with allow_connections true`)
      await administrator.end()
    }
    await expect.poll(() => lease.isHeld()).toBe(true)
    await lease.release()
    await store.close()
  },
)

test('a server that has lost its lease refuses writes and reports the loss', { tags: 'all' }, async () => {
  let isLost = false
  await server.close()
  server = await start(folders[0], { onEngineLost: () => void (isLost = true) })
  const { id } = await machine('left')
  await server.sql.query(
    "update lease set owner = 'thief', place = null, until = now() + interval '4 seconds' where name = 'engine:embedded'",
  )
  await expect.poll(() => isLost).toBe(true)
  const refused = server.call(instances.update, { as, params: { id }, body: { name: 'changed' } })
  await expect(refused).rejects.toMatchObject({ code: 'database_unavailable', data: { retry_after: 2 } })
  expect(await view(id)).toMatchObject({ name: 'left', status: 'ACTIVE' })
})
