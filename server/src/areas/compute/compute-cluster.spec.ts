import { computeFeatures } from '@mainstay/contract/compute/cluster-settings'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { GiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'compute-operator'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const view = (who: 'compute-operator' | 'project-member' = as) => server.call(computeCluster.view, { as: who })
const update = (body: object) => server.call(computeCluster.update, { as, body })
const settled = (status: string) =>
  vi.waitFor(async () => expect((await view()).status).toBe(status), { timeout: 15_000 })
const taskOf = async (id: string) => (await server.call(tasks.find, { as, body: { task_ids: [id] } })).data[0]

it('returns the status and the options of the cluster, and the processor of its nodes [CA-039]', async () => {
  expect(await view()).toMatchObject({
    ...{ status: 'active', configured: true, cpu_model: 'Simulated processor', engine: 'embedded' },
    options: { backup: expect.anything(), notification_forwarding: { transport_url: null } },
    capabilities: { many_nodes: true },
  })
  expect((await server.fetch(computeCluster.update, { as: 'project-member', body: {} })).status).toBe(403)
})

it('returns the default features of domains that have no setting of their own [CO-054, CO-055, CO-056]', async () => {
  expect(computeFeatures).toEqual(['allow_live_resize', 'allow_live_resize_migration', 'HciComputeBackupEnabled'])
  expect((await view()).features).toEqual({
    ...{ allow_live_resize: false, allow_live_resize_migration: false, HciComputeBackupEnabled: true },
  })
})

it('updates features that have an effect, and refuses every other setting with the reason on its field [CA-041]', async () => {
  expect((await view('project-member')).capabilities.live_resize).toBe(false)
  const { task_id } = await update({ enable_features: ['allow_live_resize'], force: true })
  await vi.waitFor(async () => expect(await taskOf(task_id)).toMatchObject({ state: 'success' }))
  expect((await view('project-member')).capabilities.live_resize).toBe(true)
  await update({ disable_features: ['allow_live_resize'] })
  expect((await view('project-member')).capabilities.live_resize).toBe(false)

  for (const field of [
    ...['cpu_model', 'cpu_features', 'external_address', 'external_network', 'notification_forwarding', 'scheduler'],
    ...['custom_params', 'default_storage_policy'],
  ])
    await expect(update({ [field]: 'anything' }), field).rejects.toMatchObject({
      ...{ status: 400, fields: { [field]: [expect.stringMatching(/.{20}/)] } },
    })
  for (const [field, feature] of [
    ['enable_features', 'allow_live_resize_migration'],
    ['disable_features', 'HciComputeBackupEnabled'],
  ] as const)
    await expect(update({ [field]: [feature] })).rejects.toMatchObject({ fields: { [field]: [expect.any(String)] } })
})

it('returns usage and capacity [CA-043]', async () => {
  expect(await server.call(computeCluster.stat, { as })).toMatchObject({
    ...{ servers: { total: 0 }, vcpus: { used: 0, total: expect.any(Number) }, ram: { used: 0 }, storage: {} },
  })
})

it('removes the cluster unless it has virtual machines or volumes, and installs it from this host [CA-040, CA-042]', async () => {
  const install = (body: object = {}) => server.call(computeCluster.create, { as, body })
  await expect(install()).rejects.toMatchObject({ status: 409, code: 'conflict' })
  const { id } = await server.call(volumes.create, { as: 'project-member', body: { name: 'kept', size: GiB } })
  await vi.waitFor(async () =>
    expect((await server.call(volumes.view, { as: 'project-member', params: { id } })).status).toBe('available'),
  )
  const remove = () => server.call(computeCluster.delete, { as })
  await expect(remove()).rejects.toMatchObject({
    ...{ status: 409, code: 'in_use', message: expect.stringContaining('0 virtual machines and 1 volume') },
  })
  await server.call(volumes.delete, { as: 'project-member', params: { id }, query: { permanent: 'true' } as never })
  await vi.waitFor(async () =>
    expect((await server.fetch(volumes.view, { as: 'project-member', params: { id } })).status).toBe(404),
  )
  expect((await server.fetch(computeCluster.delete, { as: 'project-member' })).status).toBe(403)

  const { task_id } = await remove()
  await settled('absent')
  expect(await taskOf(task_id)).toMatchObject({ name: 'compute.cluster.delete', state: 'success' })
  const [node] = (await server.call(computeNodes.list, { as })).data
  expect(node?.state).toBe('released')
  await expect(install({ cpu_model: 'EPYC' })).rejects.toMatchObject({ fields: { cpu_model: [expect.any(String)] } })
  // these changes are refused before a task begins
  const always = install({ disable_features: ['HciComputeBackupEnabled'] })
  await expect(always).rejects.toMatchObject({ fields: { disable_features: [expect.any(String)] } })
  expect((await server.call(computeNodes.list, { as })).data[0]!.state).toBe('released')
  await install({ nodes: [node!.id], enable_features: ['allow_live_resize'] })
  await settled('active')
  expect((await view()).features.allow_live_resize).toBe(true)
})
