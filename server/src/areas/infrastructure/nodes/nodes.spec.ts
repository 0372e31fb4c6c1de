import { computeNodes } from '@mainstay/contract/compute/nodes'
import { clusters } from '@mainstay/contract/infrastructure/clusters'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/lists/paging'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeHosts } from '../../../testing/fake-hosts'
import { startServer, type TestServer } from '../../../testing/start-server'
import { newNode, noLink } from './node-rows'
import { changeRecord } from './node-record'

let server: TestServer
const as = 'superuser'
beforeAll(async () => {
  server = await startServer({ hosts: fakeHosts() })
  await server.tools.nodeWatch.close()
})
afterAll(() => server.close())

const follow = () => server.tools.nodeWatch.round({ signal: AbortSignal.abort() })
const hostOf = async () => (await server.call(computeNodes.list, { as })).data[0]!
const put = (node: Parameters<typeof newNode>[0]) =>
  server.tools.inventory.transaction(async (tx) => {
    await tx.put('node', newNode(node))
    await changeRecord(tx, node.id, {
      ...{ machine_id: 'a'.repeat(32), ssh: { address: '192.0.2.9', port: 22, user: 'root', host_key: 'x y' } },
    })
  })
const ssh = { ...noLink, by: 'ssh' as const }

it('lists hosts of instances by ID and name, with all fields of a node [EN-058]', async () => {
  const { id, host: name } = await hostOf()
  const [node] = (await server.call(nodes.list, { as })).data
  expect(node).toMatchObject({ id, host: name, is_primary: true, is_online: true, is_assigned: true, is_in_ha: false })
  expect(node).toMatchObject({ orig_hostname: name, status: 'healthy', tasks: [], recovery: null, maintenance: null })
  const read = ['services', 'ip_addrs', 'ram', 'cpu', 'rackId', 'rowId', 'roomId', 'spaces']
  expect(Object.keys(node!)).toEqual(expect.arrayContaining(read))
  for (const asked of [id, name]) expect(await server.call(nodes.view, { as, params: { id: asked } })).toEqual(node)
  await expect(server.call(nodes.view, { as, params: { id: 'no-node' } })).rejects.toMatchObject({ code: 'not_found' })
})

it(
  'follows the compute nodes of an engine, and lists all nodes on one page unless a limit is given',
  { tags: 'all' },
  async () => {
    const host = await hostOf()
    const more = Array.from({ length: DEFAULT_LIMIT + 1 }, (_, at) => `away-${at}`)
    const change = (work: (id: string) => Parameters<typeof server.tools.inventory.transaction>[0]) =>
      Promise.all(more.map((id) => server.tools.inventory.transaction(work(id))))
    await change((id) => (tx) => tx.put('compute_node', { ...host, id, host: id, state: 'down' }))
    await follow()
    const all = await server.call(nodes.list, { as })
    expect(all.data).toHaveLength(more.length + 1)
    expect(all.data.filter(({ is_online }) => is_online).map(({ id }) => id)).toEqual([host.id])
    expect(all.data.find(({ id }) => id === 'away-0')).toMatchObject({ status: 'offline', link: { by: 'engine' } })
    expect((await server.call(nodes.list, { as, query: { limit: 3 } })).data).toHaveLength(3)
    await server.tools.inventory.transaction((tx) =>
      tx.put('compute_node', { ...host, id: 'away-0', host: 'away-0', state: 'up' }),
    )
    await follow()
    expect(await server.call(nodes.view, { as, params: { id: 'away-0' } })).toMatchObject({ status: 'healthy' })
    await change((id) => (tx) => tx.remove('compute_node', id))
    await follow()
    expect((await server.call(nodes.list, { as })).data).toHaveLength(1)
  },
)

it('a registered host keeps its record when an engine reports it and when it leaves the engine', async () => {
  await put({ id: 'own', host: 'node-9', link: ssh, rackId: 'rack-9' })
  const host = await hostOf()
  // a job that refers to the node by its current ID
  const insert = `insert into job (id, name, subject_key, subject, args, scope, owner) values
    (gen_random_uuid(), 'none', 'node/own', '{}', '{}', '{}', gen_random_uuid())`
  await server.sql.query(insert)
  await server.tools.inventory.transaction((tx) =>
    tx.put('compute_node', { ...host, id: 'cloud-9', host: 'node-9', state: 'up' }),
  )
  await follow()
  expect(await server.call(nodes.view, { as, params: { id: 'node-9' } })).toMatchObject({ id: 'own' })
  await server.sql.query(`delete from job where subject_key = 'node/own'`)
  await follow()
  expect(await server.sql.query(`select from private_record where kind = 'node' and id = 'own'`)).toHaveLength(0)
  const joined = { id: 'cloud-9', host: 'node-9', rackId: 'rack-9', is_assigned: true, link: { by: 'ssh' } }
  expect(await server.call(nodes.view, { as, params: { id: 'node-9' } })).toMatchObject(joined)
  await server.tools.inventory.transaction((tx) => tx.remove('compute_node', 'cloud-9'))
  await follow()
  const left = await server.call(nodes.view, { as, params: { id: 'node-9' } })
  expect(left).toMatchObject({ ...joined, is_assigned: false })
  await server.tools.inventory.transaction((tx) => tx.remove('node', 'cloud-9'))
})

it('shows nodes to operators only', async () => {
  expect((await server.fetch(nodes.list, { as: 'viewer' })).status).toBe(200)
  for (const who of ['project-member', 'domain-admin'] as const) {
    expect((await server.fetch(nodes.list, { as: who })).status).toBe(403)
    expect((await server.fetch(nodes.view, { as: who, params: { id: thisNodeId } })).status).toBe(403)
    expect((await server.fetch(nodes.delete, { as: who, params: { id: thisNodeId } })).status).toBe(403)
  }
  for (const call of [nodes.delete, nodes.release, nodes.reinstall] as const)
    expect((await server.fetch(call, { as: 'viewer', params: { id: thisNodeId } })).status).toBe(403)
})

it('the overview lists the storage clusters, with host names for operators only [CA-024]', async () => {
  const cluster = { id: 'cluster', name: 'cluster' }
  const [host] = (await server.call(nodes.list, { as })).data
  const ofOperators = { data: [{ ...cluster, nodes: [{ id: host!.id, host: host!.host }] }] }
  expect(await server.call(clusters.overview, { as })).toEqual(ofOperators)
  expect(await server.call(clusters.overview, { as: 'project-member' })).toEqual({ data: [{ ...cluster, nodes: [] }] })
})

it('refuses to delete or release the host of the platform, or a host that is in use', async () => {
  const here = { as, params: { id: thisNodeId } } as const
  await expect(server.call(nodes.delete, here)).rejects.toMatchObject({ code: 'unsupported' })
  await expect(server.call(nodes.reinstall, here)).rejects.toMatchObject({ code: 'unsupported' })
  await expect(server.call(nodes.release, here)).rejects.toMatchObject({
    code: 'engine_one_node',
    message: expect.stringContaining('attach a cloud or a Ceph cluster') as string,
  })
  await put({ id: 'used', host: 'used', link: ssh, is_assigned: true, is_online: true })
  const used = { as, params: { id: 'used' } } as const
  await expect(server.call(nodes.delete, used)).rejects.toMatchObject({ code: 'node_in_use' })
  await expect(server.call(nodes.reinstall, used)).rejects.toMatchObject({ code: 'node_in_use' })
  await put({ id: 'used', host: 'used', link: ssh })
  await expect(server.call(nodes.release, used)).rejects.toMatchObject({ code: 'invalid_state' })
  await server.tools.inventory.transaction((tx) => tx.remove('node', 'used'))
})

it('a node that waits for a reinstallation shows this until the reinstallation is cancelled [CA-201, CA-202]', async () => {
  await put({ id: 'again', host: 'again', link: ssh, is_online: true })
  const call = { as, params: { id: 'again' } } as const
  await expect(server.call(nodes.cancelReinstall, call)).rejects.toMatchObject({ code: 'invalid_state' })
  const { node, command } = await server.call(nodes.reinstall, call)
  expect(node).toMatchObject({ status: 'installing', activity: 'installing' })
  expect(command).toMatch(/\| sudo sh -s -- 'http:\/\/\S+' 'reg-[\w-]{32}'$/)
  const cancelled: Node = await server.call(nodes.cancelReinstall, call)
  expect(cancelled).toMatchObject({ status: 'unassigned', activity: null })
  await server.tools.inventory.transaction((tx) => tx.remove('node', 'again'))
})
