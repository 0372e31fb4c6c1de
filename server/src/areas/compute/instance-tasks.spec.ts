import { setTimeout as sleep } from 'node:timers/promises'
import { flavors } from '@mainstay/contract/compute/flavors'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let flavor: string
beforeAll(async () => {
  server = await startServer()
  flavor = (await server.call(flavors.list, { as: 'superuser' })).data[0]!.id
})
afterAll(() => server.close())

/** Creates instances and waits until they are ACTIVE. Their simulated guests behave according to the name. */
async function running(token: string, name: string, count: number): Promise<string[]> {
  const body = { name, flavor, networks: [], count, volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }] }
  const { created_ids } = await server.call(instances.create, { as: { token }, body })
  for (const id of created_ids) await settled(token, id, 'ACTIVE')
  return created_ids
}
async function settled(token: string, id: string, status: Instance['status']): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(20)) {
    const row = await server.call(instances.view, { as: { token }, params: { id } })
    if (row.task_state === null && row.status === status) return
  }
  throw new Error(`the instance did not become ${status}`)
}
const rowsOf = async (sql: string) => (await server.sql.query<{ count: number }>(sql))[0]!.count

test('does not block other tenants while 68 guests ignore the power button', { tags: 'all' }, async () => {
  const admin = server.cast.people['domain-admin']
  const guests: { id: string; token: string }[] = []
  for (let project = 0; project < 4; project++) {
    const made = await server.tools.identity.createProject({ name: `many${project}`, domain_id: admin.domain.id })
    const { token } = await server.call(session.enterProject, {
      as: { token: await server.login('domain-admin') },
      params: { id: made.id },
    })
    for (const id of await running(token, 'fault-acpi', 17)) guests.push({ id, token })
  }
  expect(guests).toHaveLength(68)
  for (const { id, token } of guests)
    await server.call(instances.stop, { as: { token }, params: { id }, body: { timeout: -1 } })

  const mine = await server.call(volumes.create, { as: 'other-member', body: { name: 'mine', size: GiB } })
  const asked = performance.now()
  while ((await server.call(volumes.view, { as: 'other-member', params: { id: mine.id } })).status !== 'available') {
    if (performance.now() - asked > 30_000) throw new Error('the volume of another tenant waits for the guests')
    await sleep(20)
  }
  // all 68 stops are still pending, but none occupies a worker slot
  expect(await rowsOf("select count(*) from job where name = 'compute.server.stop'")).toBe(68)
  const looked = performance.now()
  while (server.tools.tasks.running() > 0 && performance.now() - looked < 30_000) await sleep(5)
  expect(server.tools.tasks.running()).toBe(0)

  // after a pending stop is cancelled, the instance is available again immediately
  const { id, token } = guests[0]!
  await server.call(instances.cancelStop, { as: { token }, params: { id } })
  await server.call(instances.reboot, { as: { token }, params: { id }, body: { hard: true } })
  await settled(token, id, 'ACTIVE')
})

test('shows the outcome of each call in the history of an instance despite clock skew', async () => {
  const token = await server.signIn('project-member')
  const [id] = await running(token, 'web', 1)
  const of = { as: { token }, params: { id: id! } }
  await server.call(instances.stop, { ...of, body: {}, headers: { 'x-request-id': 'stop-it-now' } })
  await settled(token, id!, 'SHUTOFF')
  await server.call(instances.start, { ...of, headers: { 'x-request-id': 'start-it-now' } })
  await settled(token, id!, 'ACTIVE')
  // simulates a task on a server whose clock is far behind
  await server.sql.query(
    `update resource set body = body || '{"created_at": "2020-01-01T00:00:00.000Z", "error": "by its request"}'
      where kind = 'task' and body ->> 'request_id' = 'stop-it-now'`,
  )
  const { data } = await server.call(instances.events, of)
  expect(data.map(({ request_id, message }) => [request_id, message]).slice(0, 2)).toEqual([
    ['start-it-now', null],
    ['stop-it-now', 'by its request'],
  ])
})
