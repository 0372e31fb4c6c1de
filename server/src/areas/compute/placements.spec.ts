import { flavors } from '@mainstay/contract/compute/flavors'
import { instances } from '@mainstay/contract/compute/instances'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placements } from '@mainstay/contract/compute/placements'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => void (server = await startServer()))
afterAll(() => server.close())

const as = 'compute-operator'
const nodeId = async () => (await server.call(computeNodes.list, { as })).data[0]!.id
const make = (name: string, more: object = {}) => server.call(placements.create, { as, body: { name, ...more } })
const assign = (id: string, carrier: string, ids: string[]) =>
  server.call(placements.assign, { as, params: { id, carrier }, body: { ids } })

it('lets operators create, update, assign and delete placements', async () => {
  const made = await make('gold', { description: 'Fast' })
  expect(made).toEqual({
    ...{ id: made.id, name: 'gold', description: 'Fast', isolated: false, nodes: [], images: [], flavors: [] },
  })
  const [node] = (await server.call(computeNodes.list, { as })).data
  expect(node).toMatchObject({ state: 'up', hypervisor: { status: 'enabled' }, traits: [] })
  expect(await server.call(computeNodes.view, { as, params: { id: node!.id } })).toEqual(node)

  const params = { id: made.id }
  await assign(made.id, 'nodes', [node!.id])
  expect(await server.call(placements.view, { as, params })).toMatchObject({ nodes: [node!.id] })
  const carrying = await server.call(computeNodes.list, { as, query: { traits: `any:${made.id}` } as never })
  expect(carrying.data.map(({ id }) => id)).toEqual([node!.id])
  await expect(server.call(placements.delete, { as, params })).rejects.toMatchObject({ status: 409, code: 'in_use' })
  const changed = await server.call(placements.update, { as, params, body: { name: 'silver' } })
  expect(changed).toMatchObject({ name: 'silver', description: 'Fast' })
  await server.call(placements.withdraw, { as, params: { id: made.id, carrier: 'nodes', carrier_id: node!.id } })
  expect((await server.fetch(placements.delete, { as, params })).status).toBe(204)
  expect((await server.fetch(placements.view, { as, params })).status).toBe(404)
})

it('reports invalid input on its field and refuses unknown carrier types', async () => {
  const { id } = await make('strict')
  await expect(make('x')).rejects.toMatchObject({ status: 400, fields: { name: [expect.any(String)] } })
  await expect(make('strict')).rejects.toMatchObject({ status: 409, fields: { name: [expect.any(String)] } })
  await expect(assign(id, 'nodes', [])).rejects.toMatchObject({ status: 400, fields: { ids: [expect.any(String)] } })
  await expect(assign(id, 'nodes', ['none'])).rejects.toMatchObject({ status: 400, fields: { ids: expect.anything() } })
  await expect(assign(id, 'volumes', ['any'])).rejects.toMatchObject({ status: 404 })
})

it('shows tenants the placements they can choose, without nodes and other carriers', async () => {
  const open = await make('for all')
  const isolated = await make('for few', { isolated: true })
  const { id: flavor } = await server.call(flavors.create, { as, body: { name: 'few', vcpus: 1, ram: 128 } })
  await assign(open.id, 'flavors', [flavor])
  for (const who of [
    'project-member',
    'project-admin',
    'service-account',
    'domain-admin@alpha-one',
  ] satisfies PersonaName[]) {
    const { data } = await server.call(placements.list, { as: who })
    const shown = data.find(({ id }) => id === open.id)
    expect(shown).toEqual({ id: open.id, name: 'for all', description: '', isolated: false })
    expect(data.map(({ id }) => id)).not.toContain(isolated.id)
    expect((await server.fetch(placements.view, { as: who, params: { id: isolated.id } })).status).toBe(404)
    const probing = { as: who, query: { flavors: `any:${flavor}` } as never }
    expect((await server.fetch(placements.list, probing)).status).toBe(400)
    for (const call of [computeNodes.list, computeNodes.view] as const)
      expect((await server.fetch(call, { as: who, params: { id: await nodeId() } })).status).toBe(403)
    expect((await server.fetch(placements.create, { as: who, body: { name: 'mine' } })).status).toBe(403)
    expect((await server.fetch(placements.delete, { as: who, params: { id: open.id } })).status).toBe(403)
    const giving = { as: who, params: { id: open.id, carrier: 'nodes' }, body: { ids: [await nodeId()] } }
    expect((await server.fetch(placements.assign, giving)).status).toBe(403)
    const taking = { as: who, params: { id: open.id, carrier: 'flavors', carrier_id: flavor } }
    expect((await server.fetch(placements.withdraw, taking)).status).toBe(403)
  }
  expect((await server.fetch(computeNodes.list, { as: 'viewer' })).status).toBe(200)
  expect((await server.fetch(placements.create, { as: 'viewer', body: { name: 'viewed' } })).status).toBe(403)
})

it('places an instance, finds it by its placement and refuses a placement that is not on any node', async () => {
  const member = 'project-member'
  const placement = await make('near the disks')
  const draft = (name: string) => ({
    ...{ name, flavor: 's1.nano', networks: [], traits: [placement.id] },
    volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }],
  })
  await expect(server.call(instances.create, { as: member, body: draft('nowhere') })).rejects.toMatchObject({
    ...{ status: 409, code: 'no_valid_host', message: 'No node has the placement “near the disks”' },
    fields: { traits: [expect.any(String)] },
  })
  await assign(placement.id, 'nodes', [await nodeId()])
  const { id } = await server.call(instances.create, { as: member, body: draft('placed') })
  const found = await server.call(instances.list, { as: member, query: { traits: `any:${placement.id}` } as never })
  expect(found.data.map(({ name }) => name)).toEqual(['placed'])
  expect((await server.call(instances.view, { as: member, params: { id } })).traits).toEqual([placement.id])
})
