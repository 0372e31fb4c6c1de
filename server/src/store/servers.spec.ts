import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openInventoryFixture, type InventoryFixture } from '../testing/inventory-fixture'
import { silentLogger } from '../testing/silent-logger'
import { joinServers, type HeartbeatTimes, type ThisServer } from './servers'

let fixture: InventoryFixture
const joined: ThisServer[] = []
beforeAll(async () => {
  fixture = await openInventoryFixture()
})
afterEach(async () => {
  for (const server of joined.splice(0)) await server.leave()
})
afterAll(() => fixture.close())

async function join(replica: string, times: Partial<HeartbeatTimes> = {}): Promise<ThisServer> {
  const { connection } = fixture.store
  const server = await joinServers({ connection, log: silentLogger, replica, version: '1.2.3', times })
  joined.push(server)
  return server
}
const replicas = (servers: { replica: string }[]) => servers.map(({ replica }) => replica)
const sql = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await fixture.store.pool.query(text, values)).rows as Row[]
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('this did not come about')
    await sleep(10)
  }
}

test('every live server, with its jobs and side tables, is known to the other servers until it leaves', async () => {
  const one = await join('one')
  const two = await join('two')
  await one.declare({ jobNames: ['work'], signatures: ['index_of_server_1'] })
  await one.declare({ jobNames: ['more'] })
  expect(replicas(await two.living())).toEqual(['one', 'two'])
  expect((await two.living())[0]).toMatchObject({
    epoch: one.epoch,
    version: '1.2.3',
    job_names: ['work', 'more'],
    signatures: ['index_of_server_1'],
  })
  expect(replicas(await two.knowingJob('more'))).toEqual(['one'])
  expect(await two.knowingJob('nothing')).toEqual([])
  expect(replicas(await two.usingSignature('index_of_server_1'))).toEqual(['one'])
  await one.leave()
  expect(replicas(await two.living())).toEqual(['two'])
})

test('a silent server counts as dead but becomes live again with its next heartbeat', async () => {
  const silent = await join('silent', { every: 600_000 })
  const other = await join('other')
  await silent.declare({ jobNames: ['work'] })
  await sql("update server set seen_at = now() - interval '10 s' where epoch = $1", [silent.epoch])
  expect(replicas(await other.living())).toEqual(['other'])
  expect(await other.knowingJob('work')).toEqual([])
  await silent.declare({})
  expect(replicas(await other.knowingJob('work'))).toEqual(['silent'])
})

test("a heartbeat restores the server's row if it is missing", async () => {
  const server = await join('one', { every: 20 })
  await sql('delete from server')
  await until(async () => (await server.living()).length === 1)
})

test('a server detects a hanging heartbeat with the monotonic clock and recovers automatically', async () => {
  const server = await join('one', { every: 20, answer: 1_000, again: 20, lost: 1_500 })
  const events: string[] = []
  server.listen({ onLost: () => events.push('lost'), onBeat: () => events.push('beat') })
  const holder = await fixture.store.pool.connect()
  await holder.query('begin')
  // blocks all heartbeats without causing an error
  await holder.query('lock table server in exclusive mode')
  await until(() => events.includes('lost'))
  expect(server.maySeeDead()).toBe(false)
  await holder.query('rollback')
  holder.release()
  events.length = 0
  await until(() => events.includes('beat'))
  // other servers may also have been cut off and are given time to return
  expect(server.maySeeDead()).toBe(false)
  expect(events).not.toContain('lost')
})

test('a lost connection does not interrupt the heartbeat', async () => {
  const server = await join('one', { every: 20, again: 20 })
  let [lost, beats] = [0, 0]
  server.listen({ onLost: () => lost++, onBeat: () => beats++ })
  await sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'mainstay heartbeat' and datname = current_database()",
  )
  beats = 0
  await until(() => beats > 2)
  expect(lost).toBe(0)
  expect(server.maySeeDead()).toBe(true)
})
