import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FeedItem, Observation } from '@mainstay/engines/ports/feed'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { rounds, seedOr } from '../../../tools/lib/tier.mjs'
import { openStore } from '../store/store'
import {
  openInventoryFixture,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../testing/inventory-fixture'
import { silentLogger } from '../testing/silent-logger'
import { columnsOf } from './columns'
import { createInventory } from './inventory'
import type { Inventory } from './types'

let fixture: InventoryFixture
let other: Inventory
beforeAll(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
  other = (await fixture.another()).inventory
})
afterAll(() => fixture.close())
beforeEach(() => empty())

// for a few rows, this is faster than truncating the tables and their indexes
const empty = () =>
  fixture.store.pool.query(
    ['resource', columnsOf(thingKind).table, 'sight', 'source_read'].map((table) => `delete from ${table}`).join('; '),
  )

const put = (id: string, note: string, observed_at: number): Observation => ({
  op: 'put',
  kind: 'thing',
  entity: thing(id, { note }),
  observed_at,
})
const remove = (id: string, observed_at: number): Observation => ({ op: 'remove', kind: 'thing', id, observed_at })
const resync = (observed_at: number): FeedItem => ({ op: 'resync', kind: 'thing', observed_at })
const synced: FeedItem = { op: 'synced', kind: 'thing' }

async function index(): Promise<Record<string, string>> {
  const { data } = await fixture.inventory.list(thingKind, systemScope, { limit: 100, sort: 'id:asc' })
  return Object.fromEntries(data.map(({ id, note }) => [id, String(note)]))
}

test('ignores observations older than the indexed ones, from any server', async () => {
  await fixture.inventory.applyObservations([put('a', 'new', 20)])
  await other.applyObservations([put('a', 'old', 10)])
  expect(await index()).toEqual({ a: 'new' })
  await other.applyObservations([put('a', 'newer', 30)])
  expect(await index()).toEqual({ a: 'newer' })
})

test('an unchanged observation creates no revision but still supersedes older ones', async () => {
  await fixture.inventory.applyObservations([put('a', 'same', 10)])
  const before = await fixture.inventory.revision()
  await fixture.inventory.applyObservations([put('a', 'same', 30)])
  await other.applyObservations([put('a', 'different', 20)])
  expect(await fixture.inventory.revision()).toBe(before)
  expect(await index()).toEqual({ a: 'same' })
})

test('a full read that began before a removal does not restore the row', async () => {
  await fixture.inventory.applyObservations([put('a', 'there', 10)])
  const follow = other.follower()
  await follow([resync(20)])
  await fixture.inventory.applyObservations([remove('a', 30)])
  await follow([put('a', 'there', 21), synced])
  expect(await index()).toEqual({})
})

test('an observation from before a removal does not create a row that was never indexed', async () => {
  await fixture.inventory.applyObservations([remove('a', 30)])
  await other.applyObservations([put('a', 'there', 20)])
  expect(await index()).toEqual({})
})

test('a full read removes rows that it does not report, except those observed after it began', async () => {
  await fixture.inventory.applyObservations([put('old', '', 10), put('kept', '', 10)])
  const follow = other.follower()
  await follow([resync(20), put('kept', '', 21)])
  await fixture.inventory.applyObservations([put('made meanwhile', '', 25)])
  await follow([synced])
  expect(await index()).toEqual({ kept: '', 'made meanwhile': '' })
})

test('a full read keeps rows that could not be read and removes those that no longer exist', async () => {
  await fixture.inventory.applyObservations([put('odd', 'known', 10), put('gone', '', 10), put('there', '', 10)])
  const follow = other.follower()
  await follow([resync(20), put('there', 'new', 21), { op: 'keep', kind: 'thing', id: 'odd' }, synced])
  expect(await index()).toEqual({ odd: 'known', there: 'new' })
  // a row with an unreadable ID may be any of the rows that were not reported
  await follow([resync(30), { op: 'keep', kind: 'thing', id: null }, synced])
  expect(await index()).toEqual({ odd: 'known', there: 'new' })
  await follow([resync(40), put('there', 'newer', 41), synced])
  expect(await index()).toEqual({ there: 'newer' })
})

test('ignores observations older than the last full read, which deletes the times of individual rows', async () => {
  await fixture.inventory.applyObservations([put('a', 'first', 10), put('gone', '', 10)])
  await fixture.inventory.follower()([resync(20), put('a', 'read', 20), synced])
  await other.applyObservations([put('gone', 'late', 15), put('a', 'late', 15)])
  expect(await index()).toEqual({ a: 'read' })
  const { rows } = await fixture.store.pool.query('select id from sight where seen_at < 20')
  expect(rows).toEqual([])
})

test('a delayed full read removes no rows that a later full read on another server has reported', async () => {
  const slow = fixture.inventory.follower()
  await slow([resync(10), put('a', '', 11)])
  await other.follower()([resync(50), put('a', '', 51), put('b', '', 51), synced])
  await slow([synced])
  expect(await index()).toEqual({ a: '', b: '' })
})

test('an interrupted full read removes nothing', async () => {
  await fixture.inventory.applyObservations([put('a', '', 10), put('b', '', 10)])
  const follow = fixture.inventory.follower()
  await follow([resync(20), put('a', '', 21)])
  await follow([resync(30), put('a', '', 31), put('b', 'again', 31), synced])
  expect(await index()).toEqual({ a: '', b: 'again' })
})

test('timestamps from a wrong clock do not block later observations', async () => {
  const tomorrow = Date.now() + 24 * 3600 * 1000
  await fixture.inventory.applyObservations([put('a', 'from tomorrow', tomorrow)])
  await other.applyObservations([put('a', 'now', Date.now())])
  expect(await index()).toEqual({ a: 'now' })
})

test("servers with different clocks use the database's clock", async () => {
  const right = Date.now
  const late = (await fixture.another()).inventory
  const asLate = async (work: () => Promise<void>): Promise<void> => {
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => right() - 3_600_000)
    await work().finally(() => clock.mockRestore())
  }
  await fixture.inventory.applyObservations([put('a', 'first', Date.now() - 5_000)])
  await asLate(() => late.applyObservations([put('a', 'second', Date.now())]))
  expect(await index()).toEqual({ a: 'second' })
  await asLate(() => late.applyObservations([put('a', 'stale', Date.now() - 60_000)]))
  await fixture.inventory.applyObservations([put('a', 'third', Date.now())])
  expect(await index()).toEqual({ a: 'third' })
})

test('a full read converts its time only once, so that its own rows count as current', async () => {
  const right = Date.now
  const late = (await fixture.another()).inventory
  const follow = late.follower()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => right() - 3_600_000)
  onTestFinished(() => clock.mockRestore())
  for (let round = 1; round <= 12; round++) {
    const begun = Date.now()
    await follow([resync(begun), put('a', `${round}`, begun)])
    await follow([put(`only ${round}`, '', begun), synced])
    expect(await index()).toEqual({ a: `${round}`, [`only ${round}`]: '' })
  }
})

test('a full read that finds no changes writes almost nothing, even the first one after a checkpoint', async () => {
  const ROWS = 2_000
  // use a separate database, because writes by other specs on the shared server would also be counted
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-writes-'))
  const store = await openStore({ databaseUrl: null, dataFolder: folder, log: silentLogger })
  const open = () => createInventory({ store, log: silentLogger, kinds: { thing: thingKind } })
  const [inventory, late] = [await open(), await open()]
  onTestFinished(async () => {
    inventory.close()
    late.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })
  const { pool } = store
  const written = async (work: () => Promise<void>): Promise<number> => {
    const { rows: before } = await pool.query<{ at: string }>('select pg_current_wal_insert_lsn()::text as at')
    await work()
    const { rows } = await pool.query<{ bytes: string }>(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1) as bytes',
      [before[0]!.at],
    )
    return Number(rows[0]!.bytes)
  }
  const follow = inventory.follower()
  const read = async (begun: number): Promise<void> => {
    const items: FeedItem[] = Array.from({ length: ROWS }, (_, at) => put(`t${at}`, '', begun))
    for (let at = 0; at < ROWS; at += 500)
      await follow([...(at === 0 ? [resync(begun)] : []), ...items.slice(at, at + 500)])
    await follow([synced])
  }
  await read(100)
  await pool.query('vacuum resource')
  await pool.query('checkpoint')
  const before = await inventory.revision()
  // use the minimum, because PostgreSQL occasionally writes something itself
  const bytes = Math.min(await written(() => read(200)), await written(() => read(300)), await written(() => read(400)))
  expect(bytes).toBeLessThan(64 * 1024)
  expect(await inventory.revision()).toBe(before)
  // observations older than the full read are still ignored
  await late.applyObservations([put('t1', 'late', 350), remove('t2', 350)])
  expect(await inventory.revision()).toBe(before)
})

test('observations from before a full read do not change rows that the read found unchanged', async () => {
  await fixture.inventory.applyObservations([put('a', 'same', 10), put('b', 'same', 10)])
  const follow = fixture.inventory.follower()
  await follow([resync(20), put('a', 'same', 20), put('b', 'same', 20)])
  await other.applyObservations([put('a', 'flipped', 15), remove('b', 15), put('new', 'made', 15)])
  // a missing row may still be created; the end of the full read removes it if it no longer exists
  expect(await index()).toEqual({ a: 'same', b: 'same', new: 'made' })
  await follow([synced])
  expect(await index()).toEqual({ a: 'same', b: 'same' })
})

test('skips and counts rows that cannot be indexed, and writes the rest of the batch', async () => {
  const warned: object[] = []
  const log = { ...silentLogger, warn: (fields: object) => void warned.push(fields) }
  const strict = {
    ...thingKind,
    derive: { version: 1, from: (row: unknown) => ({ words: (row as { name: string }).name.split(' ') }) },
  } as typeof thingKind
  const { inventory, store, close } = await openInventoryFixture({ thing: strict }, { log })
  try {
    const follow = inventory.follower()
    const nameless: Observation = { op: 'put', kind: 'thing', entity: thing('t50', { name: null }), observed_at: 10 }
    // exceeds the maximum size of an index entry
    const id = randomBytes(4500).toString('hex')
    const huge: Observation = { op: 'put', kind: 'thing', entity: thing(id), observed_at: 10 }
    const others = Array.from({ length: 100 }, (_, at) => put(`t${at}`, '', 10)).filter(({ op }) => op === 'put')
    const all = others.map((it, at) => (at === 50 ? nameless : at === 51 ? huge : it))
    await follow([resync(10), ...all, synced])
    const count = async () => (await inventory.list(strict, systemScope, { limit: 1, with_count: true })).count
    expect(await count()).toBe(98)
    expect(inventory.unreadable()).toMatchObject([{ kind: 'thing', count: 2 }])
    expect(warned).toHaveLength(2)
    // logs each row only once, and indexes it as soon as it is valid
    await follow([resync(20), ...all.map((it) => ({ ...it, observed_at: 20 })), synced])
    expect(warned).toHaveLength(2)
    await follow([resync(30), ...others.map((it) => ({ ...it, observed_at: 30 })), synced])
    expect(await count()).toBe(100)
    expect(inventory.unreadable()).toEqual([{ kind: 'thing', count: 0, rows: [] }])
    expect((await store.pool.query('select 1 from resource')).rowCount).toBe(100)
  } finally {
    await close()
  }
})

test('a row that can no longer be indexed keeps its last known state', async () => {
  const strict = {
    ...thingKind,
    derive: { version: 1, from: (row: unknown) => ({ words: (row as { name: string }).name.split(' ') }) },
  } as typeof thingKind
  const { inventory, close } = await openInventoryFixture({ thing: strict })
  try {
    const follow = inventory.follower()
    await follow([resync(10), put('a', 'known', 10), synced])
    await follow([
      resync(20),
      { op: 'put', kind: 'thing', entity: thing('a', { name: null, note: 'odd' }), observed_at: 20 },
      synced,
    ])
    expect((await inventory.list(strict, systemScope, { limit: 5 })).data).toMatchObject([{ id: 'a', note: 'known' }])
  } finally {
    await close()
  }
})

/*
 * A simulated cloud with a logical clock. Every change is followed by a read that begins after it, and additional
 * single and full reads happen at random times. A read begins, sees the cloud's state some time later, and reaches one
 * of two servers at any time after that.
 */
const ids = ['a', 'b', 'c', 'd', 'e']
const moment = fc.integer({ min: 1, max: 60 })
const step = fc.record({ id: fc.constantFrom(...ids), at: moment, to: fc.option(fc.constantFrom('x', 'y', 'z')) })
const read = fc.record({
  id: fc.constantFrom(...ids),
  begun: moment,
  took: fc.integer({ min: 0, max: 20 }),
  arrives: fc.integer({ min: 0, max: 1000 }),
  server: fc.integer({ min: 0, max: 1 }),
})
const fullRead = fc.record({
  begun: moment,
  pauses: fc.tuple(...ids.map(() => fc.integer({ min: 0, max: 8 }))),
  arrives: fc.tuple(...ids.map(() => fc.integer({ min: 0, max: 1000 }))),
  server: fc.integer({ min: 0, max: 1 }),
})
type Arrival = { at: number; server: number; follower: number | null; items: FeedItem[] }

test("the index converges to the cloud's state, however reads, commands and removals interleave", async () => {
  const world = fc.record({
    steps: fc.uniqueArray(step, { selector: ({ at }) => at, maxLength: 15 }),
    after: fc.array(read, { minLength: 15, maxLength: 15 }),
    reads: fc.array(read, { maxLength: 10 }),
    fullReads: fc.array(fullRead, { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ steps, after, reads, fullReads }) => {
      await empty()
      const stateAt = (id: string, time: number): string | null =>
        steps.filter((it) => it.id === id && it.at <= time).toSorted((one, two) => two.at - one.at)[0]?.to ?? null
      const observation = (id: string, begun: number, looked: number): Observation => {
        const to = stateAt(id, looked)
        return to === null ? remove(id, begun) : put(id, to, begun)
      }
      const single = [...reads, ...steps.map(({ id, at }, place) => ({ ...after[place]!, id, begun: at + 0.5 }))].map(
        (it): Arrival => ({
          at: it.arrives,
          server: it.server,
          follower: null,
          items: [observation(it.id, it.begun, it.begun + it.took)],
        }),
      )
      const full = fullReads.flatMap(({ begun, pauses, arrives, server }, follower) => {
        const times = arrives.toSorted((one, two) => one - two)
        let time = begun + 0.25
        const pages = ids.map((id, place): Arrival => {
          // each page is read later but has the start time of the full read
          const seen = observation(id, begun + 0.25, (time += pauses[place]!) + 1)
          return { at: times[place]!, server, follower, items: seen.op === 'put' ? [seen] : [] }
        })
        pages[0]!.items.unshift(resync(begun + 0.25))
        pages[pages.length - 1]!.items.push(synced)
        return pages
      })
      const followers = fullReads.map(({ server }) => [fixture.inventory, other][server]!.follower())
      const arrivals = [...single, ...full].toSorted((one, two) => one.at - two.at)
      await Promise.all(
        [fixture.inventory, other].map(async (inventory, server) => {
          for (const it of arrivals.filter((each) => each.server === server)) {
            if (it.follower === null) await inventory.applyObservations(it.items as Observation[])
            else await followers[it.follower]!(it.items)
          }
        }),
      )
      const cloud = ids.flatMap((id) => {
        const to = stateAt(id, Infinity)
        return to === null ? [] : [[id, to]]
      })
      expect(await index()).toEqual(Object.fromEntries(cloud))
    }),
    { numRuns: rounds({ gate: 50, all: 200, long: 200 }), seed: seedOr(1) },
  )
})
