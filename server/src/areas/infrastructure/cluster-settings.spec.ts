import { clusterSettings, tiers } from '@mainstay/contract/infrastructure/cluster-settings'
import { CLUSTER_ID } from '@mainstay/contract/infrastructure/clusters'
import { tasks, taskIsOver } from '@mainstay/contract/core/tasks'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const as = 'superuser'
const params = { scope: CLUSTER_ID }
const none = { tier0: false, tier1: false, tier2: false, tier3: false }
const view = (of = server) => of.call(clusterSettings.view, { as, params })
const save = (encryption: object, of = server) => of.call(clusterSettings.save, { as, params, body: { encryption } })
const finished = (id: string, of = server) =>
  vi.waitFor(async () => {
    const task = await of.call(tasks.view, { as, params: { id } })
    expect(taskIsOver(task.state)).toBe(true)
    return task
  }, 20_000)

it('returns one encryption flag per tier [EN-071, CA-263]', async () => {
  const { encryption, encryption_limits } = await view()
  expect(encryption).toEqual(none)
  expect(Object.keys(encryption)).toEqual([...tiers])
  expect(encryption_limits).toEqual({ tier0: null, tier1: null, tier2: null, tier3: null })
})

it('changes the given tiers in a task, and shows the flags that are in effect [CA-264]', async () => {
  const { task_id, encryption } = await save({ tier1: true, tier2: false })
  expect(await finished(task_id!)).toMatchObject({ name: 'cluster.encryption.update', state: 'success' })
  expect([none, { ...none, tier1: true }]).toContainEqual(encryption)
  expect((await view()).encryption).toEqual({ ...none, tier1: true })
  expect(await save({ tier1: true })).toMatchObject({ task_id: null })
  await finished((await save({ tier1: false, tier3: true })).task_id!)
  expect((await view()).encryption).toEqual({ ...none, tier3: true })
})

it('keeps the flags if the task fails', { tags: 'all' }, async () => {
  const full = await startServer({ world: 'degraded' })
  const { task_id } = await save({ tier0: true }, full)
  expect(await finished(task_id!, full)).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/disk storage is full/),
  })
  expect((await view(full)).encryption).toEqual(none)
  await full.close()
})

it('says why a tier cannot be changed, and then changes no tier', async () => {
  const { encryption } = server.tools.ports.storage
  const change = vi
    .spyOn(encryption, 'change')
    .mockRejectedValue(fieldProblem('encryption.tier0', 'storage.tier_is_folder'))
  const refusal = { code: 'unsupported', message: expect.stringMatching(/folder on this host.*set up LUKS/) }
  expect((await view()).encryption_limits).toMatchObject({ tier0: refusal })
  await expect(save({ tier0: true, tier1: true })).rejects.toMatchObject({
    ...{ ...refusal, status: 422, fields: { 'encryption.tier0': [refusal.message] } },
  })
  change.mockRestore()
})

it('refuses unknown tiers, values and clusters, and callers who may not change the cluster', async () => {
  const invalid = (field: string) => ({ code: 'validation', fields: { [field]: [expect.any(String)] } })
  await expect(save({ tier4: true })).rejects.toMatchObject(invalid('encryption.tier4'))
  await expect(save({ tier0: 'on' })).rejects.toMatchObject(invalid('encryption.tier0'))
  const other = { as, params: { scope: 'other' } } as const
  await expect(server.call(clusterSettings.view, other)).rejects.toMatchObject({ code: 'not_found' })
  const body = { encryption: { tier0: true } }
  await expect(server.call(clusterSettings.save, { ...other, body })).rejects.toMatchObject({ code: 'not_found' })
  for (const who of ['viewer', 'domain-admin', 'project-member'] as const)
    await expect(server.call(clusterSettings.save, { as: who, params, body })).rejects.toMatchObject({
      code: 'forbidden',
    })
  expect((await server.call(clusterSettings.view, { as: 'viewer', params })).encryption.tier0).toBe(false)
})
