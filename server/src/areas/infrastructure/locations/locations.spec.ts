import { locations, occupiedFailureDomains, type Location } from '@mainstay/contract/infrastructure/locations'
import { nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../testing/start-server'
import { newNode, noLink } from '../nodes/node-rows'
import { defaultPlaces } from './default-places'

let server: TestServer
const as = 'superuser'
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const create = (level: string, body: { name: string; room_id?: string; row_id?: string }) =>
  server.call(locations.create, { as, params: { level }, body })
const update = (level: string, id: string, body: { name?: string; room_id?: string; row_id?: string }) =>
  server.call(locations.update, { as, params: { level, id }, body })
const view = (level: string, id: string) => server.call(locations.view, { as, params: { level, id } })
const remove = (level: string, id: string) => server.call(locations.delete, { as, params: { level, id } })
const assignNodes = (id: string, node_ids: string[]) =>
  server.call(locations.assignNodes, { as, params: { id }, body: { node_ids } })
const tree = () => server.call(locations.tree, { as })

let used = 0
/** Creates a room that contains a row with these racks. */
async function newRoom(...racks: string[]) {
  const room = await create('rooms', { name: `Room ${(used += 1)}` })
  const [row] = await server.call(locations.createRows, { as, params: { id: room.id }, body: { name: 'Row A' } })
  const created = await server.call(locations.createRacks, {
    ...{ as, params: { id: row!.id }, body: { names: racks.length > 0 ? racks : ['A1'] } },
  })
  return { room, row: row!, racks: created, rack: created[0]! }
}

async function addNode(host: string): Promise<Node> {
  // a node without a link would be removed, because the engine has no such compute node
  const node = newNode({ id: `id-of-${host}`, host, link: { ...noLink, by: 'ssh' } })
  await server.tools.inventory.transaction((records) => records.put('node', node))
  return node
}
const placeOf = async ({ id }: Pick<Node, 'id'>) => {
  const { roomId, rowId, rackId } = await server.call(nodes.view, { as, params: { id } })
  return { roomId, rowId, rackId }
}

describe('the tree of locations', () => {
  it('has a default room, row and rack, and lists the nodes in them with all fields [EN-059, CA-226]', async () => {
    const { locations: all, nodes: listed } = await tree()
    const places = all.filter(({ is_default }) => is_default)
    const { roomId, rowId, rackId } = defaultPlaces
    const name = 'Default'
    expect(places).toHaveLength(3)
    expect(places).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: roomId, name, domain: 'room', room_id: null, row_id: null, nodes_count: 1 }),
        expect.objectContaining({ id: rowId, name, domain: 'row', room_id: roomId, row_id: null, nodes_count: 1 }),
        expect.objectContaining({ id: rackId, name, domain: 'rack', room_id: roomId, row_id: rowId, nodes_count: 1 }),
      ]),
    )
    const [here] = (await server.call(nodes.list, { as })).data
    expect(listed).toEqual([here])
    expect(here).toMatchObject(defaultPlaces)
  })

  it('has the levels room 4, row 3, rack 2, host 1 and disk 0 [CO-063, CA-227]', async () => {
    const { levels } = await server.call(locations.configuration, { as })
    expect(levels).toEqual([
      { domain: 'room', number: 4, label: 'Room', labels: 'Rooms' },
      { domain: 'row', number: 3, label: 'Row', labels: 'Rows' },
      { domain: 'rack', number: 2, label: 'Rack', labels: 'Racks' },
      { domain: 'host', number: 1, label: 'Host', labels: 'Hosts' },
      { domain: 'disk', number: 0, label: 'Disk', labels: 'Disks' },
    ])
  })

  it('is visible to operators only, and viewers cannot change it', async () => {
    const { rack } = await newRoom()
    const params = { level: 'racks', id: rack.id }
    for (const who of ['project-member', 'domain-admin'] as const)
      for (const call of [locations.tree, locations.configuration, occupiedFailureDomains.view])
        expect((await server.fetch(call, { as: who, at: 'admin' })).status).toBe(403)
    expect((await server.fetch(locations.tree, { as: 'viewer' })).status).toBe(200)
    expect((await server.fetch(locations.delete, { as: 'viewer', params })).status).toBe(403)
    expect((await server.fetch(locations.update, { as: 'viewer', params, body: { name: 'x' } })).status).toBe(403)
  })
})

describe('creating locations', () => {
  it('creates rooms, rows in a room and racks in a row, also by the number of the level [CA-228, EN-059]', async () => {
    const room = await create('rooms', { name: '  Hamburg ' })
    expect(room).toMatchObject({ name: 'Hamburg', domain: 'room', room_id: null, row_id: null, is_default: false })
    const row = await create('rows', { name: 'Row A', room_id: room.id })
    expect(row).toMatchObject({ domain: 'row', room_id: room.id, row_id: null })
    const rack = await create('2', { name: 'A1', row_id: row.id })
    expect(rack).toMatchObject({ domain: 'rack', room_id: room.id, row_id: row.id })
    expect(await view('racks', rack.id)).toEqual(rack)
  })

  it('adds one or several rows to a room, and racks to a row, or none if one of them is refused [CA-231, CA-232]', async () => {
    const { room, row } = await newRoom('A1')
    const rows = await server.call(locations.createRows, { as, params: { id: room.id }, body: { names: ['B', 'C'] } })
    expect(rows.map(({ name, domain, room_id }) => [name, domain, room_id])).toEqual([
      ['B', 'row', room.id],
      ['C', 'row', room.id],
    ])
    const racks = await server.call(locations.createRacks, { as, params: { id: row.id }, body: { name: 'A2' } })
    expect(racks).toMatchObject([{ name: 'A2', domain: 'rack', room_id: room.id, row_id: row.id }])
    const again = { as: 'superuser' as const, params: { id: row.id }, body: { names: ['A3', 'a2'] } }
    await expect(server.call(locations.createRacks, again)).rejects.toMatchObject({
      ...{
        code: 'duplicate_name',
        fields: { 'names.1': ['Another location at this level already has the name “a2”'] },
      },
    })
    expect((await tree()).locations.filter(({ row_id }) => row_id === row.id).map(({ name }) => name)).toEqual([
      'A1',
      'A2',
    ])
    for (const body of [{}, { name: 'x', names: ['y'] }, { names: [] }, { names: Array(51).fill('x') }])
      await expect(server.call(locations.createRacks, { ...again, body })).rejects.toMatchObject({ code: 'validation' })
    for (const call of [locations.createRows, locations.createRacks])
      await expect(server.call(call, { as, params: { id: 'none' }, body: { name: 'x' } })).rejects.toMatchObject({
        code: 'not_found',
      })
  })

  it('refuses names that are empty, too long or taken by a sibling, in any case', async () => {
    const { room, row } = await newRoom('A1')
    const field = { fields: { name: [expect.any(String)] } }
    for (const name of ['', '   ', 'x'.repeat(65), 'a\u0007b'])
      await expect(create('racks', { name, row_id: row.id })).rejects.toMatchObject({ code: 'validation', ...field })
    await create('racks', { name: 'x'.repeat(64), row_id: row.id })
    await expect(create('rooms', { name: room.name.toUpperCase() })).rejects.toMatchObject({
      ...{ code: 'duplicate_name', ...field },
    })
    // the same name in another row is allowed
    const other = await newRoom('A1')
    expect(other.rack.name).toBe('A1')
  })

  it('refuses unknown levels, and names the field of a missing, unknown or unsuitable parent', async () => {
    const { room, row } = await newRoom()
    const name = 'new'
    const wrong: [string, object, string][] = [
      ['rows', { name }, 'room_id'],
      ['racks', { name }, 'row_id'],
      ['rows', { name, room_id: row.id }, 'room_id'],
      ['racks', { name, row_id: 'none' }, 'row_id'],
      ['racks', { name, row_id: row.id, room_id: room.id }, 'room_id'],
      ['rooms', { name, room_id: room.id }, 'room_id'],
    ]
    for (const [level, body, field] of wrong)
      await expect(create(level, body as { name: string })).rejects.toMatchObject({
        fields: { [field]: [expect.any(String)] },
      })
    for (const level of ['halls', 'room', '1', '0', 'constructor'])
      await expect(create(level, { name })).rejects.toMatchObject({ code: 'not_found' })
    await expect(view('rows', room.id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('changing locations', () => {
  it('renames a location, and moves a rack and a row with the nodes in them [CA-229]', async () => {
    const [from, to] = [await newRoom('A1', 'A2'), await newRoom('B1')]
    const node = await addNode('moved')
    await assignNodes(from.rack.id, [node.id])

    expect(await update('racks', from.rack.id, { name: 'C1' })).toMatchObject({ name: 'C1', row_id: from.row.id })
    const moved = await update('racks', from.rack.id, { row_id: to.row.id })
    expect(moved).toMatchObject({ name: 'C1', row_id: to.row.id, room_id: to.room.id })
    expect(await placeOf(node)).toEqual({ rackId: moved.id, rowId: to.row.id, roomId: to.room.id })

    await update('rows', to.row.id, { name: 'Row B', room_id: from.room.id })
    expect(await placeOf(node)).toEqual({ rackId: moved.id, rowId: to.row.id, roomId: from.room.id })
    expect(await view('racks', to.rack.id)).toMatchObject({ room_id: from.room.id, row_id: to.row.id })
    await expect(update('rows', to.row.id, { row_id: from.row.id })).rejects.toMatchObject({ code: 'validation' })
  })

  it('refuses a name that is taken where the location is moved to', async () => {
    const [from, to] = [await newRoom('A1'), await newRoom('a1')]
    await expect(update('racks', from.rack.id, { row_id: to.row.id })).rejects.toMatchObject({
      ...{ code: 'duplicate_name', fields: { row_id: [expect.any(String)] } },
    })
  })

  it('lets two administrators move the same rack one after the other, and warns the second one with If-Match', async () => {
    const [{ rack }, ...rooms] = [await newRoom(), await newRoom('x'), await newRoom('y')]
    const node = await addNode('contested')
    await assignNodes(rack.id, [node.id])
    const etag = (await server.fetch(locations.view, { as, params: { level: 'racks', id: rack.id } })).headers.get(
      'etag',
    )
    await Promise.all(rooms.map(({ row }) => update('racks', rack.id, { row_id: row.id })))
    const now = await view('racks', rack.id)
    // the node moves with the rack, and both report the same location
    expect(await placeOf(node)).toEqual({ rackId: rack.id, rowId: now.row_id, roomId: now.room_id })
    expect(rooms.map(({ row }) => row.id)).toContain(now.row_id)
    const headers = { 'if-match': etag! }
    const late = {
      as: 'superuser' as const,
      params: { level: 'racks', id: rack.id },
      body: { row_id: now.room_id! },
      headers,
    }
    expect((await server.fetch(locations.update, late)).status).toBe(412)
    // the row that the second operator chose may have been deleted
    const gone = await create('rows', { name: 'Gone', room_id: now.room_id! })
    await remove('rows', gone.id)
    await expect(update('racks', rack.id, { row_id: gone.id })).rejects.toMatchObject({
      fields: { row_id: ['This row does not exist'] },
    })
  })

  it('deletes only empty locations, and names the contents of the others [CA-230]', async () => {
    const { room, row, rack } = await newRoom()
    const node = await addNode('kept')
    await assignNodes(rack.id, [node.id])
    const refused: [string, Location, string][] = [
      ['rooms', room, 'Row A'],
      ['rows', row, 'A1'],
      ['racks', rack, 'kept'],
    ]
    for (const [level, { id }, content] of refused)
      await expect(remove(level, id)).rejects.toMatchObject({ code: 'location_not_empty', data: { content } })
    await assignNodes(defaultPlaces.rackId, [node.id])
    await remove('racks', rack.id)
    await remove('rows', row.id)
    await remove('rooms', room.id)
    expect((await tree()).locations.some(({ id }) => [room.id, row.id, rack.id].includes(id))).toBe(false)
    await expect(remove('rooms', room.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('allows renaming the default locations, but neither moving nor deleting them', async () => {
    const { row } = await newRoom()
    const { rackId, rowId, roomId } = defaultPlaces
    for (const [level, id] of [
      ['racks', rackId],
      ['rows', rowId],
      ['rooms', roomId],
    ] as const)
      await expect(remove(level, id)).rejects.toMatchObject({ code: 'conflict' })
    await expect(update('racks', rackId, { row_id: row.id })).rejects.toMatchObject({ code: 'conflict' })
    expect(await update('racks', rackId, { name: 'Arrivals' })).toMatchObject({ name: 'Arrivals', is_default: true })
    await update('racks', rackId, { name: 'Default' })
  })

  it('moves several nodes to a rack, or none if one cannot be moved [CA-233]', async () => {
    const { room, row, rack } = await newRoom()
    const [first, second] = [await addNode('one'), await addNode('two')]
    await expect(assignNodes(rack.id, [first.id, 'none'])).rejects.toMatchObject({
      ...{ code: 'not_found', fields: { 'node_ids.1': ['The node with the ID none does not exist'] } },
    })
    expect(await placeOf(first)).toEqual(defaultPlaces)
    expect(await assignNodes(rack.id, [second.id, first.id])).toEqual(rack)
    for (const node of [first, second])
      expect(await placeOf(node)).toEqual({ roomId: room.id, rowId: row.id, rackId: rack.id })
    const count = (await tree()).locations.find(({ id }) => id === room.id)?.nodes_count
    expect(count).toBe(2)
    await expect(assignNodes('none', [first.id])).rejects.toMatchObject({ code: 'not_found' })
    await expect(assignNodes(rack.id, [])).rejects.toMatchObject({ fields: { node_ids: [expect.any(String)] } })
  })
})

it('counts the disks, hosts and locations that hold data of each tier [CA-032]', async () => {
  expect(await server.call(occupiedFailureDomains.view, { as })).toEqual({
    tiers: [{ tier: 0, store: 'host', disks: 1, hosts: 1, racks: 1, rows: 1, rooms: 1 }],
  })
})
