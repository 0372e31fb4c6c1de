import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { clusterSettings } from '@mainstay/contract/infrastructure/cluster-settings'
import { nodeJoining } from '@mainstay/contract/infrastructure/node-joining'
import { allEndpoints } from '@mainstay/contract/resources'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostDisk } from '../../../testing/fake-hosts'
import { startServer, type TestServer } from '../../../testing/start-server'
import { newNode, noLink } from './node-rows'
import { diskId, diskRow } from './watcher/observed-rows'

let server: TestServer
const as = 'superuser'
const cluster = 'cluster'
const id = 'free'
const flash = hostDisk('nvme0', { type: 'nvme' })
const disks = [hostDisk('sda', { is_system: true }), hostDisk('sdb'), hostDisk('sdc', { holders: ['/srv'] }), flash]
const of = (key: string) => diskId(id, key)

beforeAll(async () => {
  server = await startServer()
  await server.tools.inventory.transaction(async (tx) => {
    await tx.put('node', newNode({ id, host: 'node-2', link: { ...noLink, by: 'ssh' }, is_online: true }))
    for (const disk of disks) await tx.put('disk', diskRow(id, disk, undefined))
    await tx.put('node', newNode({ id: 'away', host: 'node-3', link: { ...noLink, by: 'ssh' } }))
  })
})
afterAll(() => server.close())

const roles = (config: { disks: readonly { device: string; role: string }[] }) =>
  Object.fromEntries(config.disks.map(({ device, role }) => [device, role]))

it('proposes a use for each disk of a node [CA-197, CA-199]', async () => {
  const config = await server.call(nodeJoining.viewJoinConfig, { as, params: { cluster, id: 'node-2' } })
  expect(config).toMatchObject({ node_id: id, host: 'node-2', issues: [] })
  expect(roles(config)).toEqual({ sda: 'system', sdb: 'cs', sdc: 'none', nvme0: 'mds-journal' })
  expect(config.disks.find(({ device }) => device === 'sdc')).toMatchObject({ left_out: 'in_use', holders: ['/srv'] })
  const cluster_config = await server.call(nodeJoining.viewClusterConfig, { as, query: { node_id: id } })
  expect(cluster_config).toEqual({ nodes: [config], encryption: expect.objectContaining({ tier0: false }) as object })
  const all = await server.call(nodeJoining.viewClusterConfig, { as })
  expect(all.nodes.map(({ node_id }) => node_id).toSorted()).toEqual([id, thisNodeId].toSorted())
})

it('completes and validates the chosen disks [CA-198, CA-200]', async () => {
  const make = (body: object) => server.call(nodeJoining.makeJoinConfig, { as, params: { cluster, id }, body })
  const chosen = await make({ disks: [{ id: of('nvme0'), role: 'cs', service_params: { tier: 1 } }] })
  expect(chosen.disks.find(({ device }) => device === 'nvme0')).toMatchObject({
    role: 'cs',
    service_params: { tier: 1, journal_type: 'no_cache' },
  })
  const fields = (name: string) => ({ fields: { [name]: expect.any(Array) as string[] } })
  await expect(make({ disks: [{ id: 'none', role: 'cs' }] })).rejects.toMatchObject(fields('disks.0.id'))
  await expect(make({ disks: [{ id: of('sdc'), role: 'cs' }] })).rejects.toMatchObject(fields('disks.0.role'))
  const uncached = { id: of('sdb'), role: 'cs', service_params: { journal_disk_id: of('sda') } }
  const where = 'disks.0.service_params.journal_disk_id'
  await expect(make({ disks: [uncached] })).rejects.toMatchObject(fields(where))
  const body = { node_id: id, disks: [{ id: of('sdb'), role: 'none' as const }] }
  const made = await server.call(nodeJoining.makeClusterConfig, { as, body })
  expect(made.nodes[0]!.issues).toEqual(['no_cs'])
  const unnamed = server.call(nodeJoining.makeClusterConfig, { as, body: { disks: body.disks } })
  await expect(unnamed).rejects.toMatchObject(fields('node_id'))
})

it('refuses to add nodes that this engine does not support, with advice', async () => {
  const join = (node_id: string, name = cluster) =>
    server.call(nodeJoining.join, { as, params: { cluster: name }, body: { node_id } })
  const advice = expect.stringContaining('attach a cloud or a Ceph cluster') as string
  await expect(join(id)).rejects.toMatchObject({ code: 'engine_one_node', message: advice })
  await expect(join('away')).rejects.toMatchObject({ code: 'node_offline' })
  await expect(join(thisNodeId)).rejects.toMatchObject({ code: 'conflict' })
  await expect(join('gone')).rejects.toMatchObject({
    fields: { node_id: ['The node with the ID gone does not exist'] },
  })
  await expect(join(id, 'other')).rejects.toMatchObject({ code: 'not_found' })
  const body = { node_id: id, cluster_name: 'second' }
  await expect(server.call(nodeJoining.createCluster, { as, body })).rejects.toMatchObject({ code: 'engine_one_node' })
})

it('refuses a number beyond the largest node ID [CO-061]', async () => {
  const join = (node_id: string) => server.call(nodeJoining.join, { as, params: { cluster }, body: { node_id } })
  const tooLarge = { fields: { node_id: ['Enter a number up to 2147483647'] } }
  await expect(join('2147483648')).rejects.toMatchObject(tooLarge)
  await expect(join('2147483647')).rejects.toMatchObject({
    fields: { node_id: ['The node with the ID 2147483647 does not exist'] },
  })
})

/** All calls whose path names a cluster. */
const clusterCalls = Object.values(allEndpoints as Record<string, Record<string, Endpoint>>)
  .flatMap((table) => Object.values(table))
  .filter(({ path }) => /\/:cluster\//.test(path) || path === clusterSettings.view.path)

describe('without a storage cluster', () => {
  it('refuses cluster-scoped calls [VA-020]', async () => {
    const areas = { ...server.tools.areas }
    const none = { engine: null, advice: 'none' } as const
    Object.assign(server.tools.areas, { storage: none, 'object-storage': none })
    try {
      const join = server.call(nodeJoining.join, { as, params: { cluster }, body: { node_id: id } })
      const message = expect.stringMatching(/^No cluster available\. /) as string
      await expect(join).rejects.toMatchObject({ code: 'no_cluster', message })
      for (const call of clusterCalls) {
        const body = call.body && filledIn(examplesOf(call.body)[0] ?? {}, () => id)
        const params = { cluster, scope: cluster, id }
        await expect(server.call(call, { as, params, body } as never), call.path).rejects.toMatchObject({
          code: 'no_cluster',
        })
      }
    } finally {
      Object.assign(server.tools.areas, areas)
    }
  })
})
