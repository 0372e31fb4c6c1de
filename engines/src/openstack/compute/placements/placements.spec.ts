import { ComputeNode } from '@mainstay/contract/compute/nodes'
import { Placement } from '@mainstay/contract/compute/placements'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { PlacementsPort } from '../../../ports/compute'
import type { Records } from '../../../ports/records'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import { fakePlacement, type FakePlacement } from '../../testing/fake-cloud/placement'
import { serverRefusal } from '../../testing/fake-cloud/servers'
import { flavorReader } from '../flavors/shape'
import { nodeReader } from '../nodes/shape'
import { placementCommands } from './commands'
import { placementReader } from './shape'

let fixture: ComputeFixture
let wire: FakePlacement
let placements: PlacementsPort

beforeEach(async () => {
  fixture = await startComputeFixture()
  wire = fakePlacement(fixture.cloud)
  placements = placementCommands(fixture.engine)
})
afterEach(() => fixture.close())

const node = (traits: string[] = []) => ({ host: 'node-1', state: 'up', traits, generation: 3 })
const draft = (name: string) => ({ name, description: '', isolated: false })
const make = (name = 'GOLD') => placements.create(fixture.operator, draft(name))
const sent = (verb: string) =>
  fixture.cloud.received.filter((call) => call.verb === verb && call.service !== 'identity')

test("creates a placement as a trait, with the caller's token, and deletes it", async () => {
  const made = await make()
  expect(made).toEqual(Placement.parse(made))
  expect(made).toEqual({
    ...{ id: 'CUSTOM_GOLD', name: 'GOLD', description: '', isolated: false, nodes: [], images: [], flavors: [] },
  })
  expect(sent('PUT')[0]).toMatchObject({ path: '/traits/CUSTOM_GOLD', token: { user: { name: 'service' } } })
  expect(fixture.index.get('placement/CUSTOM_GOLD')).toEqual(made)
  expect(await refusal(make())).toMatchObject({ code: 'duplicate_name', fields: { name: [expect.any(String)] } })
  await placements.delete(fixture.operator, made.id)
  expect([...wire.traits]).toEqual(['HW_CPU_X86_AVX'])
  expect(fixture.index.has('placement/CUSTOM_GOLD')).toBe(false)
})

test('refuses values that a trait cannot store, with an error on the field at fault, and changes nothing', async () => {
  for (const [change, field] of [
    [{ name: 'Gold nodes' }, 'name'],
    [{ name: 'G'.repeat(249) }, 'name'],
    [{ description: 'Fast' }, 'description'],
    [{ isolated: true }, 'isolated'],
  ] as const)
    expect(await refusal(placements.create(fixture.operator, { ...draft('GOLD'), ...change }))).toMatchObject({
      fields: { [field]: [expect.any(String)] },
    })
  await make()
  expect(await refusal(placements.update(fixture.operator, 'CUSTOM_GOLD', { name: 'OTHER' }))).toMatchObject({
    code: 'unsupported',
  })
  expect([...wire.traits]).toEqual(['HW_CPU_X86_AVX', 'CUSTOM_GOLD'])
})

test('keeps the other traits of a node, and retries after a concurrent change', async () => {
  wire.nodes.set('n1', node(['HW_CPU_X86_AVX']))
  await make()
  let others = 2
  wire.beforeWrite = (id) => {
    const found = wire.nodes.get(id)!
    if (others-- > 0)
      Object.assign(found, { traits: [...found.traits, `T${others}`], generation: found.generation + 1 })
  }
  expect(await placements.assign(fixture.operator, 'CUSTOM_GOLD', 'nodes', ['n1'])).toMatchObject({ nodes: ['n1'] })
  expect(wire.nodes.get('n1')!.traits.toSorted()).toEqual(['CUSTOM_GOLD', 'HW_CPU_X86_AVX', 'T0', 'T1'])
  expect(fixture.index.get('compute_node/n1')).toMatchObject({ host: 'node-1', state: 'up', traits: ['CUSTOM_GOLD'] })
  expect(await refusal(placements.delete(fixture.operator, 'CUSTOM_GOLD'))).toMatchObject({
    ...{ code: 'in_use', message: expect.stringContaining('(nodes: 1, images: 0, flavors: 0, virtual machines: 0)') },
  })
  expect(await placements.withdraw(fixture.operator, 'CUSTOM_GOLD', 'nodes', 'n1')).toMatchObject({ nodes: [] })
  expect(wire.nodes.get('n1')!.traits.toSorted()).toEqual(['HW_CPU_X86_AVX', 'T0', 'T1'])
  others = Infinity
  expect(await refusal(placements.assign(fixture.operator, 'CUSTOM_GOLD', 'nodes', ['n1']))).toMatchObject({
    ...{ code: 'conflict', data: { status: 409 } },
  })
})

test('adds required traits to images and flavors', async () => {
  await make()
  const image = fixture.image()
  const specs: Record<string, string> = {}
  const flavor = fixture.nova.flavors[0]!
  Object.assign(flavor, { extra_specs: specs })
  fixture.cloud.on('compute', 'POST', '/flavors/:id/os-extra_specs', ({ body }) => {
    Object.assign(specs, (body as { extra_specs: object }).extra_specs)
    return { body: { extra_specs: specs } }
  })
  fixture.cloud.on('compute', 'DELETE', '/flavors/:id/os-extra_specs/:key', ({ params }) =>
    delete specs[params['key']!] ? { status: 200 } : serverRefusal(404, 'itemNotFound', 'none'),
  )
  const id = 'CUSTOM_GOLD'
  expect(await placements.assign(fixture.operator, id, 'images', [image.id])).toMatchObject({ images: [image.id] })
  expect(fixture.glance.images.get(image.id)).toMatchObject({ 'trait:CUSTOM_GOLD': 'required' })
  expect(await placements.assign(fixture.operator, id, 'flavors', [flavor.id])).toMatchObject({ flavors: [flavor.id] })
  expect(specs).toEqual({ 'trait:CUSTOM_GOLD': 'required' })
  const server = await fixture.add({
    flavor: { original_name: 'm1.nano', vcpus: 1, ram: 64, extra_specs: { ...specs } },
  })
  expect(fixture.indexed(server.id)?.traits).toEqual([id])
  expect((await refusal(placements.delete(fixture.operator, id))).message).toBe(
    'The placement is in use (nodes: 0, images: 1, flavors: 1, virtual machines: 1). Remove it from these objects first.',
  )
  expect(await placements.withdraw(fixture.operator, id, 'images', image.id)).toMatchObject({ images: [] })
  expect(await placements.withdraw(fixture.operator, id, 'flavors', flavor.id)).toMatchObject({ flavors: [] })
  expect([specs, Object.keys(fixture.glance.images.get(image.id)!)]).toEqual([
    {},
    expect.not.arrayContaining(['trait:CUSTOM_GOLD']),
  ])
  for (const carrier of ['nodes', 'images', 'flavors'] as const)
    expect(await refusal(placements.assign(fixture.operator, id, carrier, ['no-such-thing']))).toMatchObject({
      fields: { ids: [expect.any(String)] },
    })
})

test('picks up changes that other clients make to traits, nodes and aggregates', async () => {
  wire.nodes.set('n1', node(['CUSTOM_GOLD', 'HW_CPU_X86_AVX'])).set('n2', { ...node(), host: 'node-2', state: 'down' })
  wire.traits.add('CUSTOM_GOLD').add('CUSTOM_SILVER')
  wire.aggregates.push({ 'trait:CUSTOM_GOLD': 'required', availability_zone: 'nova' })
  fixture.nova.flavors.push({
    ...fixture.nova.flavors[0]!,
    id: 'f9',
    extra_specs: { 'trait:CUSTOM_SILVER': 'required' },
  } as never)
  await fixture.engine.refresh(flavorReader, 'f9')
  for await (const rows of nodeReader.all(fixture.engine.reading)) {
    for (const row of rows) fixture.index.set(`compute_node/${row.id}`, ComputeNode.parse(row))
    expect(rows).toMatchObject([
      { id: 'n1', state: 'up', traits: ['CUSTOM_GOLD'], host_ip: '192.0.2.7' },
      { id: 'n2', state: 'down', host: 'node-2', traits: [] },
    ])
  }
  for await (const rows of placementReader.all(fixture.engine.reading))
    expect(rows).toMatchObject([
      { id: 'CUSTOM_GOLD', isolated: true, nodes: ['n1'], flavors: [] },
      { id: 'CUSTOM_SILVER', isolated: false, nodes: [], flavors: ['f9'] },
    ])
  expect(await placementReader.some(fixture.engine.reading, ['CUSTOM_GOLD', 'CUSTOM_GONE'])).toMatchObject(
    new Map([
      ['CUSTOM_GOLD', { name: 'GOLD' }],
      ['CUSTOM_GONE', null],
    ]),
  )
})

test('refuses placements for individual instances', async () => {
  const refused = { code: 'unsupported', fields: { traits: [expect.any(String)] } }
  expect(await refusal(fixture.create({ traits: ['CUSTOM_GOLD'] }))).toMatchObject(refused)
  const { id } = await fixture.add()
  expect(await refusal(fixture.instances.update(fixture.member, id, { traits: ['CUSTOM_GOLD'] }))).toMatchObject(
    refused,
  )
  expect(await fixture.instances.update(fixture.member, id, { traits: [] })).toMatchObject({ traits: [] })
})

test('looks up the carriers of all placements with three queries', async () => {
  for (let at = 0; at < 30; at++) wire.traits.add(`CUSTOM_T${at}`)
  const carrier = (id: string, traits: string[]) => ({ id, traits, extra_specs: { 'trait:CUSTOM_T2': 'required' } })
  for (const [kind, row] of [
    ['compute_node', carrier('n1', ['CUSTOM_T1'])],
    ['image', carrier('i1', ['CUSTOM_T1', 'CUSTOM_T2'])],
    ['flavor', carrier('f1', [])],
  ] as const)
    fixture.index.set(`${kind}/${row.id}`, row)
  let [transactions, looks] = [0, 0]
  const { records, reading } = fixture.engine
  const counted: Records = {
    transaction(work) {
      transactions++
      return records.transaction((tx) => {
        const find: typeof tx.find = (...sought) => (looks++, tx.find(...sought))
        return work({ ...tx, find })
      })
    },
  }
  const rows: Placement[] = []
  for await (const page of placementReader.all({ ...reading, records: counted })) rows.push(...page)
  expect([transactions, looks, rows.length]).toEqual([1, 3, 30])
  const carried = rows.filter(({ id }) => /T[12]$/.test(id)).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  expect(carried.map(({ id, nodes, images, flavors }) => [id, nodes, images, flavors])).toEqual([
    ['CUSTOM_T1', ['n1'], ['i1'], []],
    ['CUSTOM_T2', [], ['i1'], ['f1']],
  ])
})
