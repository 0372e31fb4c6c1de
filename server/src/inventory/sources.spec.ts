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

test("full reads from two sources for the same kind do not remove each other's rows", async () => {
  const [followParis, followRome] = [paris().follower(), rome().follower()]
  // the second read runs entirely within the first
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

test('full reads from one source keep another source’s rows while that source is temporarily gone', async () => {
  await paris().follower()([resync(10), put('p1', '', 11), synced])
  const follow = rome().follower()
  for (const at of [20, 30, 40]) await follow([resync(at), put('r1', `${at}`, at + 1), synced])
  expect(await index()).toEqual({ p1: '', r1: '40' })
  // the source returns without one of its rows
  await paris().follower()([resync(50), put('p2', '', 51), synced])
  expect(await index()).toEqual({ p2: '', r1: '40' })
})

test('a full read from one source does not block earlier observations from another', async () => {
  const follow = rome().follower()
  await follow([resync(100), put('r1', '', 101), synced])
  await paris().applyObservations([put('p1', 'seen before that', 50)])
  expect(await index()).toEqual({ p1: 'seen before that', r1: '' })
})

test('a full read from one source does not admit outdated observations from another', async () => {
  await paris().applyObservations([put('p1', 'new', 50_000)])
  await rome().follower()([resync(100_000), put('r1', '', 100_001), synced])
  await paris().applyObservations([put('p1', 'old', 40_000)])
  expect(await index()).toEqual({ p1: 'new', r1: '' })
})

test('the time at which one source removed a row does not affect another source', async () => {
  await rome().applyObservations([put('moved', 'of rome', 100_000)])
  await rome().applyObservations([{ op: 'remove', kind: 'thing', id: 'moved', observed_at: 110_000 }])
  await paris().applyObservations([put('moved', 'of paris', 90_000)])
  expect(await index()).toEqual({ moved: 'of paris' })
  expect(await sources()).toEqual({ moved: 'openstack:paris' })
})

test("servers that use different names for a cloud ignore each other's older observations", async () => {
  // a cloud's name can differ between configurations and server versions
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

test('a source name starts with a letter, and the same name always returns the same source', () => {
  for (const name of ['', '*', ' rome', '4']) expect(() => fixture.inventory.from(name)).toThrow('cannot name a source')
  expect(rome()).toBe(fixture.inventory.from('openstack:rome'))
})

test('a row from another source is neither replaced nor removed, and counts as unreadable', async () => {
  await paris().follower()([resync(10), put('same', 'of paris', 11), synced])
  const follow = rome().follower()
  await follow([resync(20), put('same', 'of rome', 21), put('r1', '', 21), synced])
  await rome().applyObservations([put('same', 'of rome', 30)])
  await rome().applyObservations([{ op: 'remove', kind: 'thing', id: 'same', observed_at: 31 }])
  expect(await index()).toEqual({ r1: '', same: 'of paris' })
  // an identical row also counts as unreadable
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

test('a transaction keeps the source of existing rows and assigns its own to new rows', async () => {
  await paris().applyObservations([put('p1', '')])
  await fixture.inventory.transaction(async (records) => {
    await records.put('thing', thing('p1', { note: 'changed' }))
    await records.put('thing', thing('made'))
  })
  await fixture.inventory.from('embedded').transaction((records) => records.put('thing', thing('own')))
  expect(await sources()).toEqual({ made: 'server', own: 'embedded', p1: 'openstack:paris' })
})

test('rows from an unknown source are kept until a known source reports them and takes them over', async () => {
  await fixture.inventory.transaction((records) => records.put('thing', thing('x')))
  await fixture.store.pool.query("update resource set source = 'openstack:former'")
  await paris().applyObservations([put('told', '')])
  await fixture.store.pool.query("update resource set source = 'openstack:former' where id = 'told'")
  const before = await fixture.inventory.revision()
  const follow = paris().follower()
  await follow([resync(10), put('told', '', 11), synced])
  expect(await sources()).toEqual({ told: 'openstack:paris', x: 'openstack:former' })
  // a change of source alone creates no revision
  expect(await fixture.inventory.revision()).toBe(before)
  await fixture.store.pool.query("update resource set source = 'openstack:former' where id = 'told'")
  await paris().applyObservations([put('told', 'changed', 20)])
  expect(await sources()).toEqual({ told: 'openstack:paris', x: 'openstack:former' })
})

test('rows without a source belong to the only source of their kind, or to none if it has two', async () => {
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
