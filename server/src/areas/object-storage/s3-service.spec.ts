import { session } from '@mainstay/contract/identity/session'
import { tasks } from '@mainstay/contract/core/tasks'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { s3Users } from '@mainstay/contract/object-storage/s3-users'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.call(s3Service.create, { as: 'superuser' })
})

const view = (who: PersonaName) => server.call(s3Service.view, { as: who })
const alpha = () => ({ domain_id: server.cast.domains['alpha']!.id })
const isOver = (id: string) =>
  vi.waitFor(async () => {
    const { state } = await server.call(tasks.view, { as: 'superuser', params: { id } })
    expect(state).toBe('success')
  })
async function setDomain(enabled: boolean): Promise<void> {
  const { task_id } = await server.call(s3Service.setDomainStatus, {
    as: 'superuser',
    params: alpha(),
    body: { enabled },
  })
  await isOver(task_id)
}
const setUser = (is_enabled: boolean) =>
  server.call(s3Users.update, {
    as: 'superuser',
    params: { scope: 'cluster', id: server.cast.people[as].user.id },
    body: { is_enabled },
  })
const ownCode = (who: PersonaName = as) =>
  server.call(s3Keys.account, { as: who }).then(
    () => 'good',
    ({ code, status }: { code: string; status: number }) => `${status} ${code}`,
  )

it('reports the availability, state and endpoint of the service [CA-108]', async () => {
  const told = await view('superuser')
  expect(told).toEqual({
    capabilities: { disabling_keys: true, key_use: true, policy_validation: true },
    ...{ s3_enabled: true, state: 'healthy', detail: null, protocol: 'http', region: 'us-east-1' },
    endpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    usage: { buckets: 0, objects: 0, size: 0 },
  })
  // there is an S3 service at the endpoint
  expect((await fetch(told.endpoint!)).status).toBe(403)
  // only operators see the usage
  for (const who of [as, 'domain-admin'] as const) expect(await view(who)).toEqual({ ...told, usage: null })
})

it('lets operators create and delete the service, keeping stored objects [CA-109]', async () => {
  const { arn } = await server.call(s3Keys.account, { as })
  await server.call(s3Service.delete, { as: 'superuser' })
  expect(await view('superuser')).toMatchObject({ s3_enabled: false, state: 'absent', endpoint: null, protocol: null })
  for (const who of ['viewer', 'compute-operator', 'domain-admin', as] as const)
    for (const call of [s3Service.create, s3Service.delete])
      expect((await server.fetch(call, { as: who })).status, who).toBe(403)
  expect(await ownCode()).toBe('404 s3_not_found')
  const made = await server.fetch(s3Service.create, { as: 'superuser' })
  expect([made.status, await made.json()]).toMatchObject([201, { s3_enabled: true, state: 'healthy' }])
  expect((await server.call(s3Keys.account, { as })).arn).toBe(arn)
})

it('enables and disables object storage per domain [CA-114] [EN-013]', async () => {
  const read = (who: PersonaName, domain_id = alpha().domain_id) =>
    server.call(s3Service.domainStatus, { as: who, params: { domain_id } })
  expect(await read('superuser')).toEqual({ ...alpha(), enabled: true })
  await setDomain(false)
  expect(await read('superuser')).toEqual({ ...alpha(), enabled: false })
  expect(await read('viewer')).toEqual({ ...alpha(), enabled: false })
  expect(await read('superuser', server.cast.domains['beta']!.id)).toMatchObject({ enabled: true })
  await expect(read('superuser', 'nowhere')).rejects.toMatchObject({ code: 'not_found' })
  for (const who of [as, 'domain-admin'] as const) await expect(read(who)).rejects.toMatchObject({ code: 'forbidden' })
  await setDomain(true)
  expect(await read('superuser')).toEqual({ ...alpha(), enabled: true })
})

it('disables object storage for a domain in a task and then refuses calls from its users [CA-115]', async () => {
  await server.call(s3Keys.account, { as })
  const answer = await server.fetch(s3Service.setDomainStatus, {
    as: 'superuser',
    params: alpha(),
    body: { enabled: false },
  })
  const { task_id } = (await answer.json()) as { task_id: string }
  expect(answer.status).toBe(202)
  await isOver(task_id)
  expect(await server.call(tasks.view, { as: 'superuser', params: { id: task_id } })).toMatchObject({
    name: 'object_storage.domain.disable',
    args: [{ id: alpha().domain_id, name: 'alpha' }],
  })
  expect([await ownCode(), await ownCode('project-admin'), await ownCode('other-member')]).toEqual([
    ...['403 s3_disabled', '403 s3_disabled', 'good'],
  ])
  await setDomain(true)
  expect(await ownCode()).toBe('good')
  for (const who of ['viewer', as, 'domain-admin'] as const)
    expect(
      (await server.fetch(s3Service.setDomainStatus, { as: who, params: alpha(), body: { enabled: true } })).status,
    ).toBe(403)
  const nowhere = { as: 'superuser', params: { domain_id: 'nowhere' }, body: { enabled: true } } as const
  await expect(server.call(s3Service.setDomainStatus, nowhere)).rejects.toMatchObject({ code: 'not_found' })
})

it('is offered if the service, the domain and the S3 user are enabled [PE-021]', async () => {
  const offered = async (who: PersonaName = as) => {
    const { permissions, services } = await server.call(session.meta, { as: who })
    expect('s3_enable' in permissions).toBe(services.s3.available)
    return services.s3.available
  }
  await server.call(s3Keys.account, { as })
  expect([await offered(), await ownCode()]).toEqual([true, 'good'])
  await setUser(false)
  expect([await offered(), await ownCode()]).toEqual([false, '403 s3_user_disabled'])
  expect(await offered('project-admin')).toBe(true)
  // the reason reported is the first that applies: service, domain, user
  await setDomain(false)
  expect([await offered(), await ownCode()]).toEqual([false, '403 s3_disabled'])
  await server.call(s3Service.delete, { as: 'superuser' })
  expect([await offered(), await ownCode()]).toEqual([false, '404 s3_not_found'])
  await server.call(s3Service.create, { as: 'superuser' })
  await setDomain(true)
  expect(await offered()).toBe(false)
  await setUser(true)
  expect(await offered()).toBe(true)
})

it('reports in every call that object storage is not available if no port is configured', { tags: 'all' }, async () => {
  const without = await startServer({ environment: { MAINSTAY_S3_PORT: 'none' } })
  try {
    const advice = expect.stringContaining('MAINSTAY_S3_PORT')
    expect(await without.call(s3Service.view, { as: 'superuser' })).toMatchObject({ state: 'absent', detail: advice })
    expect(await without.call(s3Service.view, { as })).toMatchObject({
      s3_enabled: false,
      state: 'absent',
      detail: null,
    })
    await expect(without.call(s3Keys.account, { as })).rejects.toMatchObject({ code: 's3_not_found', status: 404 })
    const users = without.call(s3Users.list, { as: 'superuser', params: { scope: 'cluster' } })
    await expect(users).rejects.toMatchObject({ code: 's3_not_found' })
    const made = without.call(s3Service.create, { as: 'superuser' })
    await expect(made).rejects.toMatchObject({ code: 'not_configured', message: advice })
    expect((await without.call(session.meta, { as })).services.s3.available).toBe(false)
  } finally {
    await without.close()
  }
})
