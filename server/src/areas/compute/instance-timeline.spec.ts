import { instances, TimelinePage } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { alertKind, type Alert } from '@mainstay/contract/monitoring/alerts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const as = 'project-member'

/** Creates instances and waits until they are ACTIVE. */
async function running(name: string, count = 1): Promise<string[]> {
  const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
  const body = { name, count, flavor: 's1.nano', networks: [], volumes }
  const { created_ids } = await server.call(instances.create, { as, body })
  for (const id of created_ids) await settled(id, 'ACTIVE')
  return created_ids
}
const settled = (id: string, status: string) =>
  vi.waitFor(async () => {
    const instance = await server.call(instances.view, { as, params: { id } })
    expect([instance.status, instance.task_state]).toEqual([status, null])
  })
const rename = (id: string, name: string, by: PersonaName = as) =>
  server.call(instances.update, { as: by, params: { id }, body: { name } })
const timeline = async (id: string, query: { before?: string; limit?: number } = {}, by: PersonaName = as) => {
  const page = await server.call(instances.timeline, { as: by, params: { id }, query })
  expect(TimelinePage.parse(page)).toEqual(page)
  return page
}

/** Raises an alert for an instance with the current time. */
async function raise(id: string, name: string): Promise<void> {
  const datetime = new Date().toISOString()
  const { project, domain } = server.cast.people[as]
  const alert: Alert = {
    ...{ id: name, type: 'vm_high_cpu', group: 'compute', severity: 'warning', state: 'raised' },
    ...{ enabled: true, suspended: false, suspended_until: null, object_part: null, object_name: 'busy' },
    ...{ object_kind: 'server', object_id: id, value: 97, threshold: 90, unit: 'percent' },
    ...{ message: 'Its CPU is busy', advice: 'Resize it', details: null },
    ...{ project_id: project!.id, domain_id: domain.id, datetime, closed_at: null },
    ...{ created_at: datetime, updated_at: datetime },
  }
  await server.tools.inventory.transaction((records) => records.put(alertKind.name, alert))
}

test('lists calls, alerts and tasks that were not started by a call on the instance, newest first', async () => {
  const [first, second] = await running('pair', 2)
  await rename(second!, 'other')
  await server.call(instances.pause, { as, params: { id: second! }, body: {} })
  await settled(second!, 'PAUSED')
  await raise(second!, 'busy')
  await vi.waitFor(async () => {
    const { data } = await timeline(second!)
    expect(data.map(({ source, name, result, user_name }) => [source, name, result, user_name])).toEqual([
      ['alert', 'vm_high_cpu', 'running', null],
      ['call', 'pause', 'success', 'project_member'],
      ['call', 'update', 'success', 'project_member'],
      // the call that created both instances appears only in the timeline of the first one
      ['task', 'compute.server.create', 'success', 'project_member'],
    ])
    expect(data[2]!.changes).toEqual([{ field: 'name', from: 'pair-2', to: 'other', is_secret: false }])
    expect(data.every(({ finished_at }, at) => (finished_at === null) === (at === 0))).toBe(true)
  })
  expect((await timeline(first!)).data.map(({ source, name }) => [source, name])).toEqual([['call', 'create']])
})

test('pages without gaps or duplicates while new entries are added', async () => {
  const [, id] = (await running('paged', 2)) as [string, string]
  for (let at = 0; at < 6; at++) await rename(id, `paged-${at}`)
  await raise(id, 'busy-before')
  for (let at = 6; at < 12; at++) await rename(id, `paged-${at}`)
  const whole = (await timeline(id, { limit: 200 })).data.map((it) => it.id)
  expect(whole).toHaveLength(14)
  for (const limit of [1, 2, 3, 5, 13, 14]) {
    const read: string[] = []
    let before: string | undefined
    do {
      const page = await timeline(id, { limit, ...(before && { before }) })
      expect(page.data.length).toBeLessThanOrEqual(limit)
      read.push(...page.data.map((it) => it.id))
      before = page.pages[0]?.marker
    } while (before !== undefined)
    expect(read, `by ${limit}`).toEqual(whole)
  }

  const { pages } = await timeline(id, { limit: 4 })
  await server.call(instances.pause, { as, params: { id }, body: {} })
  await settled(id, 'PAUSED')
  await raise(id, 'busy-since')
  const rest = await timeline(id, { limit: 200, before: pages[0]!.marker })
  expect(rest.data.map((it) => it.id)).toEqual(whole.slice(4))
  expect(rest.pages).toEqual([])
})

test('hides the timeline from other projects, and IP addresses and operators’ changes from tenants', async () => {
  const [id] = (await running('owned')) as [string]
  await rename(id, 'by-its-owner')
  await rename(id, 'by-an-operator', 'superuser')
  await expect(timeline(id, {}, 'other-member')).rejects.toMatchObject({ status: 404 })
  const told = async (by: PersonaName) =>
    (await timeline(id, {}, by)).data.slice(0, 2).map(({ address, changes }) => [address, changes[0]?.to])
  expect(await told(as)).toEqual([
    [null, undefined],
    [null, 'by-its-owner'],
  ])
  expect(await told('superuser')).toEqual([
    ['127.0.0.1', 'by-an-operator'],
    ['127.0.0.1', 'by-its-owner'],
  ])
})

test('refuses an invalid marker', async () => {
  const [id] = (await running('marked')) as [string]
  const place = { at: new Date().toISOString(), call: null, task: null, alert: null }
  const written = (change: object) => Buffer.from(JSON.stringify({ ...place, ...change })).toString('base64url')
  for (const before of [
    'x',
    written({ call: '1; drop table audit' }),
    written({ task: 'gone' }),
    written({ at: 'now' }),
  ])
    await expect(timeline(id, { before }), before).rejects.toMatchObject({ status: 400, code: 'invalid_marker' })
})
