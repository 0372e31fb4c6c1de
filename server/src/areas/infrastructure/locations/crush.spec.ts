import { locations, type Location } from '@mainstay/contract/infrastructure/locations'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { openCeph } from '@mainstay/engines/ceph/ceph'
import { recordedCeph, refusal, threeHosts } from '@mainstay/engines/ceph/testing/recorded-ceph'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../../testing/start-server'
import { newNode, noLink } from '../nodes/node-rows'
import { followCrush } from './crush-follow'
import { defaultPlaces } from './default-places'

const as = 'superuser'
const link = recordedCeph(threeHosts())
let server: TestServer
beforeAll(async () => {
  const ceph = openCeph({ conf: '/etc/ceph/ceph.conf', keyring: null, user: 'client.admin' }, async () => link)
  server = await startServer()
  await server.tools.nodeWatch.close()
  Object.assign(server.tools, { ceph })
  await server.tools.inventory.transaction(async (tx) => {
    for (const host of ['node1.example', 'node2', 'node3', 'elsewhere'])
      await tx.put('node', newNode({ id: host, host, link: { ...noLink, by: 'ssh' } }))
  })
})
afterAll(() => server.close())
beforeEach(async () => {
  link.replies = threeHosts()
  await followCrush(server.tools)
  link.ran.length = 0
})

const tree = () => server.call(locations.tree, { as })
const named = async (name: string) => (await tree()).locations.find((one) => one.name === name)!
const placeOf = async (id: string) => {
  const { roomId, rowId, rackId } = await server.call(nodes.view, { as, params: { id } })
  return { roomId, rowId, rackId }
}
const assign = (rack: Location, ...node_ids: string[]) =>
  server.call(locations.assignNodes, { as, params: { id: rack.id }, body: { node_ids } })
const changes = () => link.ran.filter((command) => /^osd crush (add-bucket|move|rm)/.test(command))
const estimate = (body: { node_ids?: string[]; location_id?: string; to: string }) =>
  server.call(locations.estimateMove, { as, body })

it('takes rooms, rows, racks and the places of hosts from the CRUSH map, and changes nothing in it', async () => {
  const [room, row, rack] = [await named('hall'), await named('line'), await named('south')]
  expect(row.room_id).toBe(room.id)
  expect(rack).toMatchObject({ domain: 'rack', room_id: room.id, row_id: row.id })
  expect(await placeOf('node1.example')).toEqual({ roomId: room.id, rowId: row.id, rackId: rack.id })
  // directly in the root, or not in the map
  expect(await placeOf('node3')).toEqual(defaultPlaces)
  expect(await placeOf('elsewhere')).toEqual(defaultPlaces)
  const before = await tree()
  await followCrush(server.tools)
  expect(await tree()).toEqual(before)
  expect(changes()).toEqual([])
})

it('follows a rack that was moved with other tools', async () => {
  const replies = threeHosts()
  const { nodes: all } = replies['osd tree'] as { nodes: { name: string; children?: number[] }[] }
  all.find(({ name }) => name === 'line')!.children = [-6]
  all.find(({ name }) => name === 'hall')!.children = [-8, -7]
  link.replies = replies
  await followCrush(server.tools)
  // the rack is directly in the room, which has a row without a bucket for it
  const [room, rack] = [await named('hall'), await named('north')]
  expect(rack.room_id).toBe(room.id)
  expect(rack.row_id).not.toBe((await named('line')).id)
  expect(await placeOf('node2')).toEqual({ roomId: room.id, rowId: rack.row_id, rackId: rack.id })
})

it('creates buckets, the larger ones first, with names that are unique in the map', async () => {
  const room = await server.call(locations.create, { as, params: { level: 'rooms' }, body: { name: 'New' } })
  const [row] = await server.call(locations.createRows, { as, params: { id: room.id }, body: { name: 'A' } })
  expect(changes()).toEqual([
    `osd crush add-bucket room-${room.id} room root=default`,
    `osd crush add-bucket row-${row!.id} row room=room-${room.id}`,
  ])
  await server.call(locations.delete, { as, params: { level: 'rows', id: row!.id } })
  expect(changes().at(-1)).toBe(`osd crush rm row-${row!.id}`)
})

it('moves hosts to the bucket of their new rack, and hosts in the default rack to the root', async () => {
  const rack = await named('south')
  await assign(rack, 'node1.example', 'node3', 'elsewhere')
  // node1 is there already, and Ceph does not know the last one
  expect(changes()).toEqual(['osd crush move node3 rack=south'])
  expect((await placeOf('node3')).rackId).toBe(rack.id)
  const arrivals = (await tree()).locations.find(({ id }) => id === defaultPlaces.rackId)!
  await assign(arrivals, 'node2')
  expect(changes().at(-1)).toBe('osd crush move node2 root=default')
})

it('moves a rack with its hosts in one command', async () => {
  const [rack, room] = [await named('south'), await named('hall')]
  const [row] = await server.call(locations.createRows, { as, params: { id: room.id }, body: { name: 'B' } })
  link.ran.length = 0
  await server.call(locations.update, { as, params: { level: 'racks', id: rack.id }, body: { row_id: row!.id } })
  expect(changes()).toEqual([`osd crush move south row=row-${row!.id}`])
})

it('changes nothing if Ceph refuses, and removes buckets that were created', async () => {
  const [rack, before] = [await named('south'), await placeOf('node3')]
  link.replies['osd crush move node3 rack=south'] = refusal(22, 'EINVAL', 'cannot move')
  await expect(assign(rack, 'node3')).rejects.toMatchObject({
    ...{ code: 'conflict', message: expect.stringContaining('EINVAL: cannot move') as string },
  })
  expect(await placeOf('node3')).toEqual(before)

  const count = (await tree()).locations.length
  const run = link.run
  let added = 0
  link.run = (argv, options) =>
    argv.includes('add-bucket') && ++added === 2 ? Promise.resolve(refusal(28, 'ENOSPC', 'full')) : run(argv, options)
  const room = await named('hall')
  const names = { names: ['X', 'Y'] }
  await expect(server.call(locations.createRows, { as, params: { id: room.id }, body: names })).rejects.toMatchObject({
    code: 'conflict',
  })
  link.run = run
  expect(changes().at(-1)).toMatch(/^osd crush rm row-/)
  expect((await tree()).locations).toHaveLength(count)
})

it('names the hosts in a location that only Ceph knows when it cannot be deleted', async () => {
  const [rack, { rackId }] = [await named('south'), defaultPlaces]
  const arrivals = (await tree()).locations.find(({ id }) => id === rackId)!
  await assign(arrivals, 'node1.example', 'elsewhere')
  link.replies['osd crush rm south'] = refusal(39, 'ENOTEMPTY', '(39) Directory not empty')
  const remove = server.call(locations.delete, { as, params: { level: 'racks', id: rack.id } })
  await expect(remove).rejects.toMatchObject({ code: 'location_not_empty', data: { content: 'node1' } })
})

it('estimates the data that a move distributes again', async () => {
  const KiB = 1024
  const [north, south] = [await named('north'), await named('south')]
  // osd.0 and osd.1 have 100 and 200 KiB
  expect(await estimate({ node_ids: ['node1.example', 'elsewhere'], to: north.id })).toEqual({
    ...{ hosts: 1, least: 300 * KiB, most: 900 * KiB },
  })
  const none = { hosts: 0, least: 0, most: 0 }
  expect(await estimate({ node_ids: ['node1.example'], to: south.id })).toEqual(none)
  expect(await estimate({ location_id: south.id, to: (await named('line')).id })).toEqual(none)
  expect(await estimate({ location_id: south.id, to: defaultPlaces.rowId })).toMatchObject({ hosts: 1 })
  // never more than the cluster has
  expect(await estimate({ node_ids: ['node2', 'node3'], to: south.id })).toEqual({
    ...{ hosts: 2, least: 1800 * KiB, most: 2100 * KiB },
  })
  await expect(estimate({ node_ids: ['gone'], to: south.id })).rejects.toMatchObject({
    fields: { 'node_ids.0': [expect.any(String)] },
  })
  await expect(estimate({ node_ids: ['node2'], to: 'gone' })).rejects.toMatchObject({
    fields: { to: [expect.any(String)] },
  })
  await expect(estimate({ to: south.id })).rejects.toMatchObject({ code: 'validation' })
})

it('refuses changes of locations while Ceph does not respond, with advice', async () => {
  link.replies['osd tree'] = {
    status: 1,
    out: '',
    err: '[errno 110] RADOS timed out (error connecting to the cluster)',
  }
  const create = server.call(locations.create, { as, params: { level: 'rooms' }, body: { name: 'Later' } })
  await expect(create).rejects.toMatchObject({
    code: 'engine_unavailable',
    message: expect.stringMatching(/monitors/) as string,
  })
  expect(await named('Later')).toBeUndefined()
})
