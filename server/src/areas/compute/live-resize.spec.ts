import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import type { InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import type { ProblemBody } from '@mainstay/contract/core/problems'
import { tasks } from '@mainstay/contract/core/tasks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
const liveResize = (data: boolean) => ({
  ...({
    as: 'superuser',
    params: { domain_id: server.cast.domains['alpha']!.id, key: 'allow_live_resize' },
  } as const),
  body: { data, access: 'auth' as const },
})
beforeAll(async () => {
  server = await startServer()
  await server.call(domainProperties.create, liveResize(true))
})
afterAll(() => server.close())

/** Waits until no task is running, then returns the instance. */
const settled = (id: string, status: InstanceStatus): Promise<Instance> =>
  vi.waitFor(async () => {
    const instance = await server.call(instances.view, { as, params: { id } })
    expect([instance.status, instance.task_state]).toEqual([status, null])
    return instance
  })

async function running(name: string, allow_live_resize: boolean): Promise<Instance> {
  const boot = { source: 'blank', size: GiB, boot_index: 0 } as const
  const body = { name, flavor: 's1.tiny', networks: [], volumes: [boot], allow_live_resize }
  const { id } = await server.call(instances.create, { as, body })
  return settled(id, 'ACTIVE')
}

const resize = (who: PersonaName, id: string, body: { flavor: string; restart?: boolean }) =>
  server.fetch(instances.resize, { as: who, params: { id }, body })
const problem = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as ProblemBody).error,
})

it('reports live resize as a capability and the headroom of each instance', { tags: 'all' }, async () => {
  const { capabilities } = await server.call(computeCluster.view, { as })
  expect(capabilities).toMatchObject({
    live_resize: true,
    instance_actions: expect.arrayContaining(['resizeWithRestart']),
  })
  expect(await running('fixed', false)).toMatchObject({ allow_live_resize: false, max_vcpu: null, max_mem: null })
  expect(await running('roomy', true)).toMatchObject({ allow_live_resize: true, max_mem: 2048 })
})

it('resizes a running instance in a separate task', async () => {
  const { id } = await running('grows', true)
  const response = await resize(as, id, { flavor: 's1.small' })
  expect(response.status).toBe(202)
  expect(await response.json()).toMatchObject({ status: 'LIVE_RESIZE', flavor: { id: 's1.small' } })
  expect(await settled(id, 'ACTIVE')).toMatchObject({ flavor: { id: 's1.small', ram: 2048 }, fault: null })
  await vi.waitFor(async () => {
    const { data } = await server.call(tasks.list, { as, query: { subject_id: id } })
    expect(data.map(({ name, state }) => [name, state])).toContainEqual(['compute.server.live_resize', 'success'])
  })
})

it('refuses a flavor outside the limits and reports them, unless a restart is allowed', async () => {
  const { id, max_vcpu } = await running('limited', true)
  expect(await problem(await resize(as, id, { flavor: 's1.nano' }))).toMatchObject({
    status: 409,
    err_code: 'live_resize_limit',
    data: { min_vcpu: 1, max_vcpu, min_mem: 512, max_mem: 2048 },
    fields: { flavor: [expect.stringContaining('512 to 2048 MiB')] },
  })
  expect((await resize(as, id, { flavor: 's1.nano', restart: true })).status).toBe(202)
  expect((await settled(id, 'ACTIVE')).flavor.id).toBe('s1.nano')
})

it('refuses an instance without live resize until it is enabled and the instance is restarted', async () => {
  const { id } = await running('forbids', false)
  expect(await problem(await resize(as, id, { flavor: 's1.small' }))).toMatchObject({
    err_code: 'invalid_state',
    data: { status: 'ACTIVE' },
  })
  const allow = { as, params: { id }, body: { allow_live_resize: true } } as const
  expect(await server.call(instances.update, allow)).toMatchObject({ allow_live_resize: true, max_mem: null })
  expect(await problem(await resize(as, id, { flavor: 's1.small' }))).toMatchObject({ err_code: 'live_resize_limit' })
  await server.call(instances.stop, { as, params: { id }, body: { hard: true } })
  await settled(id, 'SHUTOFF')
  await server.call(instances.start, { as, params: { id } })
  await settled(id, 'ACTIVE')
  expect((await resize(as, id, { flavor: 's1.small' })).status).toBe(202)
  await settled(id, 'ACTIVE')
})

it('requires live resize to be enabled and the status to be ACTIVE [ST-071]', async () => {
  const [allowed, forbidden] = [await running('allowed', true), await running('not allowed', false)]
  const larger = { flavor: 's1.small' }
  const refused = (status: string) => ({ status: 409, err_code: 'invalid_state', data: { status } })
  expect(await problem(await resize(as, forbidden.id, larger))).toMatchObject(refused('ACTIVE'))
  for (const [act, undo, status] of [
    [instances.pause, instances.unpause, 'PAUSED'],
    [instances.suspend, instances.resume, 'SUSPENDED'],
  ] as const) {
    await server.call(act, { as, params: { id: allowed.id } })
    await settled(allowed.id, status)
    expect(await problem(await resize(as, allowed.id, larger))).toMatchObject(refused(status))
    await server.call(undo, { as, params: { id: allowed.id } })
    await settled(allowed.id, 'ACTIVE')
  }
  expect(await (await resize(as, allowed.id, larger)).json()).toMatchObject({ status: 'LIVE_RESIZE' })
  await settled(allowed.id, 'ACTIVE')
  // a stopped instance gets an ordinary resize
  await server.call(instances.stop, { as, params: { id: allowed.id }, body: { hard: true } })
  await settled(allowed.id, 'SHUTOFF')
  expect(await (await resize(as, allowed.id, { flavor: 's1.tiny' })).json()).toMatchObject({ status: 'RESIZE' })
})

it('refuses callers who may not change the instance', async () => {
  const { id } = await running('private', true)
  for (const [who, status] of [
    ['other-member', 404],
    ['viewer', 403],
  ] as const) {
    expect((await resize(who, id, { flavor: 's1.small', restart: true })).status).toBe(status)
    const body = { allow_live_resize: false }
    expect((await server.fetch(instances.update, { as: who, params: { id }, body })).status).toBe(status)
  }
  expect(await server.call(instances.view, { as, params: { id } })).toMatchObject({ allow_live_resize: true })
})

it('requires a domain to allow live resize, but keeps it on instances that already have it [CO-008]', async () => {
  const { id } = await running('had it before', true)
  await server.call(domainProperties.update, liveResize(false))
  expect((await server.call(computeCluster.view, { as })).capabilities.live_resize).toBe(false)
  expect(await server.call(instances.view, { as, params: { id } })).toMatchObject({ allow_live_resize: true })
  expect((await resize(as, id, { flavor: 's1.small' })).status).toBe(202)

  const refused = { status: 422, err_code: 'unsupported', fields: { allow_live_resize: expect.anything() } }
  const boot = { source: 'blank', size: GiB, boot_index: 0 } as const
  const draft = { name: 'wants it', flavor: 's1.tiny', networks: [], volumes: [boot], allow_live_resize: true }
  expect(await problem(await server.fetch(instances.create, { as, body: draft }))).toMatchObject(refused)
  const other = await running('fixed, too', false)
  // the instance's domain decides, not the caller's
  for (const who of [as, 'superuser'] as const) {
    const allow = { as: who, params: { id: other.id }, body: { allow_live_resize: true } } as const
    expect(await problem(await server.fetch(instances.update, allow))).toMatchObject(refused)
  }

  // default when the property is not set
  const { params } = liveResize(false)
  await server.call(domainProperties.delete, { as: 'superuser', params })
  expect((await server.call(computeCluster.view, { as })).capabilities.live_resize).toBe(false)
  const told = (key: string) => server.call(domainProperties.view, { as, params: { ...params, key } })
  expect(await told('allow_live_resize')).toBe(false)
  expect(await told('allow_live_resize_migration')).toBe(false)
  expect(await told('HciComputeBackupEnabled')).toBe(true)
  await server.call(domainProperties.create, liveResize(true))
  expect(await told('allow_live_resize')).toBe(true)
  expect((await server.call(computeCluster.view, { as })).capabilities.live_resize).toBe(true)
})
