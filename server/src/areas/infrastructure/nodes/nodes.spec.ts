import { computeNodes } from '@mainstay/contract/compute/nodes'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { DEFAULT_LIMIT } from '@mainstay/contract/core/lists/paging'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../testing/start-server'

let server: TestServer
const as = 'superuser'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

it('lists hosts of instances by ID and name and marks this host as the primary node', async () => {
  const [host] = (await server.call(computeNodes.list, { as })).data
  const { id, host: name } = host!
  const node = { id, host: name, is_primary: true, is_online: true, is_assigned: true, is_in_ha: false }
  expect(await server.call(nodes.list, { as })).toMatchObject({ data: [node], pages: [] })
  for (const asked of [id, name]) expect(await server.call(nodes.view, { as, params: { id: asked } })).toEqual(node)
  await expect(server.call(nodes.view, { as, params: { id: 'no-node' } })).rejects.toMatchObject({ code: 'not_found' })
})

it('marks an unresponsive node offline and lists all nodes on one page unless a limit is given', async () => {
  const [host] = (await server.call(computeNodes.list, { as })).data
  const more = Array.from({ length: DEFAULT_LIMIT + 1 }, (_, at) => `away-${at}`)
  const change = (work: (id: string) => Parameters<typeof server.tools.inventory.transaction>[0]) =>
    Promise.all(more.map((id) => server.tools.inventory.transaction(work(id))))
  await change((id) => (tx) => tx.put('compute_node', { ...host!, id, host: id, state: 'down' }))
  const all = await server.call(nodes.list, { as })
  expect(all.data).toHaveLength(more.length + 1)
  expect(all.data.filter(({ is_online }) => is_online).map(({ id }) => id)).toEqual([host!.id])
  expect((await server.call(nodes.list, { as, query: { limit: 3 } })).data).toHaveLength(3)
  await change((id) => (tx) => tx.remove('compute_node', id))
})

it('shows nodes to operators only', async () => {
  expect((await server.fetch(nodes.list, { as: 'viewer' })).status).toBe(200)
  const [{ id } = { id: '' }] = (await server.call(nodes.list, { as })).data
  for (const who of ['project-member', 'domain-admin'] as const) {
    expect((await server.fetch(nodes.list, { as: who })).status).toBe(403)
    expect((await server.fetch(nodes.view, { as: who, params: { id } })).status).toBe(403)
  }
})
