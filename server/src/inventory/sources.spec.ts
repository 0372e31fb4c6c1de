import type { FeedItem, Observation } from '@mainstay/engines/ports/feed'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  openInventoryFixture,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../testing/inventory-fixture'
import { columnsOf } from './columns'
import type { Inventory } from './types'

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
  openSources(fixture.inventory)
})
afterAll(() => fixture.close())
beforeEach(() =>
  fixture.store.pool.query(
    ['resource', columnsOf(thingKind).table, 'sight', 'source_read'].map((table) => `delete from ${table}`).join('; '),
  ),
)

const openSources = (inventory: Inventory) => {
  for (const name of ['openstack:paris', 'openstack:rome']) inventory.from(name)
}
const paris = () => fixture.inventory.from('openstack:paris')
const rome = () => fixture.inventory.from('openstack:rome')

const put = (id: string, note: string, observed_at?: number): Observation => ({
  ...{ op: 'put', kind: 'thing', entity: thing(id, { note }) },
  ...(observed_at !== undefined && { observed_at }),
})
const resync = (observed_at: number): FeedItem => ({ op: 'resync', kind: 'thing', observed_at })
const synced: FeedItem = { op: 'synced', kind: 'thing' }

async function index(at: Inventory = fixture.inventory): Promise<Record<string, string>> {
  const { data } = await at.list(thingKind, systemScope, { limit: 100, sort: 'id:asc' })
  return Object.fromEntries(data.map(({ id, note }) => [id, String(note)]))
}
async function sources(): Promise<Record<string, string | null>> {
  const { rows } = await fixture.store.pool.query<{ id: string; source: string | null }>(
    'select id, source from resource order by id',
  )
  return Object.fromEntries(rows.map(({ id, source }) => [id, source]))
}

test('two sources of one kind each read it in full, and neither removes what the other has', async () => {
  const [followParis, followRome] = [paris().follower(), rome().follower()]
  // the one begins and ends within the other
  await followParis([resync(10), put('p1', '', 11)])
  await followRome([resync(12), put('r1', '', 13), put('r2', '', 13), synced])
  await followParis([put('p2', '', 14), synced])
  expect(await index()).toEqual({ p1: '', p2: '', r1: '', r2: '' })
  expect(await sources()).toEqual({
    ...{ p1: 'openstack:paris', p2: 'openstack:paris' },
    ...{ r1: 'openstack:rome', r2: 'openstack:rome' },
  })
  await followRome([resync(20), put('r2', 'new', 21), synced])
  expect(await index()).toEqual({ p1: '', p2: '', r2: 'new' })
})

test('a source that goes leaves its rows, however often the other one is read in full', async () => {
  await paris().follower()([resync(10), put('p1', '', 11), synced])
  const follow = rome().follower()
  for (const at of [20, 30, 40]) await follow([resync(at), put('r1', `${at}`, at + 1), synced])
  expect(await index()).toEqual({ p1: '', r1: '40' })
  // it comes back, and finds one of its rows gone
  await paris().follower()([resync(50), put('p2', '', 51), synced])
  expect(await index()).toEqual({ p2: '', r1: '40' })
})

test('a full read of one source does not make older what another one saw before it', async () => {
  const follow = rome().follower()
  await follow([resync(100), put('r1', '', 101), synced])
  await paris().applyObservations([put('p1', 'seen before that', 50)])
  expect(await index()).toEqual({ p1: 'seen before that', r1: '' })
})

test('a full read of one source lets nothing older of another one come back', async () => {
  await paris().applyObservations([put('p1', 'new', 50_000)])
  await rome().follower()([resync(100_000), put('r1', '', 100_001), synced])
  await paris().applyObservations([put('p1', 'old', 40_000)])
  expect(await index()).toEqual({ p1: 'new', r1: '' })
})

test('when one source has seen a row go says nothing of what another one has', async () => {
  await rome().applyObservations([put('moved', 'of rome', 100_000)])
  await rome().applyObservations([{ op: 'remove', kind: 'thing', id: 'moved', observed_at: 110_000 }])
  await paris().applyObservations([put('moved', 'of paris', 90_000)])
  expect(await index()).toEqual({ moved: 'of paris' })
  expect(await sources()).toEqual({ moved: 'openstack:paris' })
})

test('a cloud that servers know by different names is one: what one saw last is not undone by what another saw before', async () => {
  // a server with one cloud, which goes by another name at a server with another configuration, or of another version
  const [here, there] = await Promise.all(
    ['openstack:lutetia', 'openstack'].map(async (name) => (await fixture.another()).inventory.from(name)),
  )
  for (const [one, other] of [
    [here!, there!],
    [there!, here!],
  ] as const) {
    const id = `deleted at ${one.source}`
    await other.applyObservations([put(id, 'made', 100_000)])
    await one.applyObservations([put(id, 'renamed', 110_000)])
    await other.applyObservations([put(id, 'made', 105_000)])
    expect(await index()).toEqual({ [id]: 'renamed' })
    await one.applyObservations([{ op: 'remove', kind: 'thing', id, observed_at: 130_000 }])
    await other.applyObservations([put(id, 'read before it was gone, written after', 120_000)])
    expect(await index()).toEqual({})
  }
})

test('a source has a name that begins with a letter, and is the same one for all who ask', () => {
  for (const name of ['', '*', ' rome', '4']) expect(() => fixture.inventory.from(name)).toThrow('cannot name a source')
  expect(rome()).toBe(fixture.inventory.from('openstack:rome'))
})

test('a row that another source has is neither replaced nor removed, and is told as one that cannot be read', async () => {
  await paris().follower()([resync(10), put('same', 'of paris', 11), synced])
  const follow = rome().follower()
  await follow([resync(20), put('same', 'of rome', 21), put('r1', '', 21), synced])
  await rome().applyObservations([put('same', 'of rome', 30)])
  await rome().applyObservations([{ op: 'remove', kind: 'thing', id: 'same', observed_at: 31 }])
  expect(await index()).toEqual({ r1: '', same: 'of paris' })
  // alike to the letter, as the full read shows it
  await follow([resync(40), put('same', 'of paris', 40), put('r1', '', 40), synced])
  const fault = 'the source openstack:paris has a row with this id'
  expect(rome().unreadable()).toEqual([{ kind: 'thing', count: 1, rows: [{ id: 'same', fault }] }])
  expect(
    paris()
      .unreadable()
      .filter(({ count }) => count > 0),
  ).toEqual([])
  expect(await sources()).toEqual({ r1: 'openstack:rome', same: 'openstack:paris' })
  await follow([resync(50), put('r1', '', 51), synced])
  expect(rome().unreadable()).toMatchObject([{ count: 0 }])
})

test('who writes a row in a transaction leaves it to its source, and new rows and tasks to the one that makes them', async () => {
  await paris().applyObservations([put('p1', '')])
  await fixture.inventory.transaction(async (records) => {
    await records.put('thing', thing('p1', { note: 'changed' }))
    await records.put('thing', thing('made'))
  })
  await fixture.inventory.from('embedded').transaction((records) => records.put('thing', thing('own')))
  expect(await sources()).toEqual({ made: 'server', own: 'embedded', p1: 'openstack:paris' })
})

test('rows of a source that this server does not have stay until another one tells them, and are its own then', async () => {
  await fixture.inventory.transaction((records) => records.put('thing', thing('x')))
  await fixture.store.pool.query("update resource set source = 'openstack:former'")
  await paris().applyObservations([put('told', '')])
  await fixture.store.pool.query("update resource set source = 'openstack:former' where id = 'told'")
  const before = await fixture.inventory.revision()
  const follow = paris().follower()
  await follow([resync(10), put('told', '', 11), synced])
  expect(await sources()).toEqual({ told: 'openstack:paris', x: 'openstack:former' })
  // nothing was changed for those who look at lists
  expect(await fixture.inventory.revision()).toBe(before)
  await fixture.store.pool.query("update resource set source = 'openstack:former' where id = 'told'")
  await paris().applyObservations([put('told', 'changed', 20)])
  expect(await sources()).toEqual({ told: 'openstack:paris', x: 'openstack:former' })
})

test('rows of a server of the version before belong to the only source there is, and to nobody where there are two', async () => {
  const claim = (name: string) =>
    fixture.store.pool.query("insert into kind_source (kind, source, view) values ('thing', $1, 'feed')", [name])
  const forget = async () => fixture.store.pool.query('update resource set source = null')
  await claim('openstack:paris')
  await claim('openstack:rome')
  await paris().applyObservations([put('told', ''), put('gone', '')])
  await forget()
  await paris().follower()([resync(10), put('told', '', 11), synced])
  expect(await sources()).toEqual({ gone: null, told: 'openstack:paris' })
  await forget()
  await fixture.store.pool.query("delete from kind_source where source = 'openstack:rome'")
  await paris().follower()([resync(20), put('told', '', 21), synced])
  expect(await sources()).toEqual({ told: 'openstack:paris' })
  await fixture.store.pool.query("delete from kind_source where kind = 'thing'")
})
