import { setTimeout as sleep } from 'node:timers/promises'
import type { Feed } from '@mainstay/engines/ports/engine'
import type { FeedHealth, FeedItem } from '@mainstay/engines/ports/feed'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  openInventoryFixture,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../testing/inventory-fixture'
import { silentLogger } from '../testing/silent-logger'
import { createEngineStates, type EngineStates } from './engine-states'
import { followFeed } from './follow-feed'

let fixture: InventoryFixture
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await fixture.clear()
})
afterAll(() => fixture.close())

const health: FeedHealth = { parts: [], behind_ms: 0, by: 'polling', unreadable: [] }

/**
 * Fake cloud with rows of kind `thing`. Each follower does a full read, then polls for changes every few milliseconds.
 */
function fakeCloud() {
  const rows = new Map<string, string>()
  const changed = new Map<string, number>()
  const cloud = {
    rows,
    begun: 0,
    ended: 0,
    /** Errors to throw, one per follower. */
    faults: [] as Error[],
    set(id: string, note: string | null) {
      if (note === null) rows.delete(id)
      else rows.set(id, note)
      changed.set(id, Date.now())
    },
    observation(id: string): FeedItem {
      const observed_at = Date.now()
      const note = rows.get(id)
      return note === undefined
        ? { op: 'remove', kind: 'thing', id, observed_at }
        : { op: 'put', kind: 'thing', entity: thing(id, { note }), observed_at }
    },
    feed: {
      async *follow(signal: AbortSignal): AsyncGenerator<FeedItem> {
        cloud.begun++
        try {
          yield { op: 'resync', kind: 'thing', observed_at: Date.now() }
          for (const id of [...rows.keys()]) {
            const item = cloud.observation(id)
            if (item.op === 'put') yield item
          }
          yield { op: 'synced', kind: 'thing' }
          yield { op: 'health', health }
          for (let since = 0, begun = 0; !signal.aborted; since = begun) {
            begun = Date.now()
            const fault = cloud.faults.shift()
            if (fault) throw fault
            for (const [id, at] of changed) if (at >= since) yield cloud.observation(id)
            await sleep(5)
          }
        } finally {
          cloud.ended++
        }
      },
    } satisfies Feed,
  }
  return cloud
}

const kinds = [{ kind: 'thing' }]
const engines = [{ name: 'compute', engine: 'a cloud', view: 'feed' as const, listed: new Set(['compute', 'images']) }]
const waits = { leaseSeconds: 5, lookMs: 50, retryMs: 10, retryAtMostMs: 20 }
function follow(
  feed: Feed,
  { inventory, store }: Pick<InventoryFixture, 'inventory' | 'store'> = fixture,
  states: Pick<EngineStates, 'report'> = { report: async () => undefined },
  own = kinds,
): () => Promise<void> {
  const stop = followFeed({
    name: 'compute',
    feed,
    kinds: own,
    store,
    inventory,
    states,
    holder: 'one',
    log: silentLogger,
    waits,
  })
  stops.push(stop)
  return stop
}

async function index(): Promise<Map<string, string>> {
  const { data } = await fixture.inventory.list(thingKind, systemScope, { limit: 100, sort: 'id:asc' })
  return new Map(data.map(({ id, note }) => [id, String(note)]))
}
const byId = (rows: Map<string, string>) => [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1))

async function until(look: () => unknown, patienceMs = 30_000): Promise<void> {
  const end = Date.now() + patienceMs
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${String(look)}`)
    await sleep(5)
  }
}
const isEqual = (cloud: { rows: Map<string, string> }) => async () =>
  JSON.stringify(byId(await index())) === JSON.stringify(byId(cloud.rows))

test('the index matches the cloud after a full read and after each later change', async () => {
  await fixture.inventory.applyObservations([
    { op: 'put', kind: 'thing', entity: thing('gone meanwhile'), observed_at: Date.now() },
  ])
  const cloud = fakeCloud()
  for (let row = 0; row < 30; row++) cloud.set(`r${row}`, 'there')
  follow(cloud.feed)
  await until(isEqual(cloud))
  cloud.set('r1', 'changed')
  cloud.set('r2', null)
  cloud.set('new', 'made')
  await until(isEqual(cloud))
})

test('only one server follows a feed, and another one takes over when it stops', async () => {
  const cloud = fakeCloud()
  cloud.set('a', 'there')
  const stopFirst = follow(cloud.feed)
  await until(isEqual(cloud))
  const stopSecond = follow(cloud.feed, await fixture.another())
  await sleep(200)
  expect(cloud.begun).toBe(1)
  await stopFirst()
  cloud.set('b', 'while nobody followed')
  await until(isEqual(cloud))
  expect([cloud.begun, cloud.ended]).toEqual([2, 1])
  await stopSecond()
})

test('another server takes over from a killed one once the lease expires', async () => {
  await fixture.store.pool.query(
    "insert into lease (name, owner, until) values ('feed compute', 'killed', now() + interval '5 minutes')",
  )
  const cloud = fakeCloud()
  cloud.set('a', 'there')
  follow(cloud.feed)
  await sleep(300)
  expect(cloud.begun).toBe(0)
  await fixture.store.pool.query('update lease set until = now()')
  await until(isEqual(cloud))
})

test('a server that loses the lease stops immediately and writes nothing more', async () => {
  const cloud = fakeCloud()
  cloud.set('a', 'there')
  follow(cloud.feed)
  await until(isEqual(cloud))
  await fixture.store.pool.query("update lease set owner = 'another', until = now() + interval '1 minute'")
  await until(() => cloud.ended === 1)
  cloud.set('b', 'unseen')
  await sleep(100)
  expect([...(await index()).keys()]).toEqual(['a'])
})

test('a failed feed is restarted and catches up on missed changes', async () => {
  const cloud = fakeCloud()
  cloud.set('a', 'there')
  follow(cloud.feed)
  await until(isEqual(cloud))
  cloud.faults.push(new Error('the cloud sent nonsense'), new Error('and again'))
  cloud.set('a', 'changed')
  cloud.set('b', 'new')
  await until(() => cloud.begun === 3)
  await until(isEqual(cloud))
})

test('refuses rows of kinds that belong to another engine', async () => {
  const cloud = fakeCloud()
  cloud.set('a', 'changed')
  follow(cloud.feed, fixture, undefined, [{ kind: 'task' }])
  await until(() => cloud.begun > 2)
  expect(await index()).toEqual(new Map())
})

test('restarts the feed after a failed write', async () => {
  let begun = 0
  const feed: Feed = {
    async *follow(signal) {
      if (++begun === 1) yield { op: 'put', kind: 'unheard of', entity: thing('a'), observed_at: 1 }
      yield { op: 'put', kind: 'thing', entity: thing('a', { note: 'there' }), observed_at: Date.now() }
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  }
  follow(feed)
  await until(async () => (await index()).get('a') === 'there')
  expect(begun).toBe(2)
})

test('index and cloud converge after random changes and commands while the lease moves between servers', async () => {
  const cloud = fakeCloud()
  const other = await fixture.another()
  follow(cloud.feed)
  follow(cloud.feed, other)
  const ids = Array.from({ length: 20 }, (_, place) => `r${place}`)
  const any = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!
  for (let step = 0; step < 300; step++) {
    const id = any(ids)
    cloud.set(id, Math.random() < 0.3 ? null : `step ${step}`)
    // every third step, a command on either server reads back its own row
    if (step % 3 === 0) {
      const observation = cloud.observation(id)
      await sleep(Math.random() * 4)
      if (observation.op === 'put' || observation.op === 'remove')
        await any([fixture, other]).inventory.applyObservations([observation])
    }
    if (step % 60 === 30) await fixture.store.pool.query('delete from lease')
    await sleep(Math.random() * 6)
  }
  await until(isEqual(cloud))
  expect(cloud.begun).toBeGreaterThan(1)
})

test('every server knows which server follows an engine and which parts of the engine are unreachable', async () => {
  const other = await fixture.another()
  const here = await createEngineStates({ store: fixture.store, log: silentLogger, engines })
  const there = await createEngineStates({ store: other.store, log: silentLogger, engines })
  stops.push(async () => (here.close(), there.close()))
  const outages: unknown[] = []
  there.onOutage((outage) => outages.push(outage))
  expect(await there.all()).toEqual([
    {
      name: 'compute',
      engine: 'a cloud',
      view: 'feed',
      holder: null,
      by: null,
      parts: [],
      problems: [],
      unreadable: [],
      lag_ms: null,
      read_at: null,
    },
  ])
  expect(there.outage()).toBeNull()

  const since = new Date(Date.now() - 60_000).toISOString()
  const part = { name: 'images', reachable: false, message: 'refused', since }
  const identity = { ...part, name: 'identity' }
  const readAt = new Date(Date.now() - 1_000)
  await here.report('compute', {
    holder: 'one',
    health: { ...health, parts: [part, identity], behind_ms: 700 },
    readAt,
  })
  await until(() => outages.length === 1)
  expect(outages).toEqual([{ since, parts: ['images'] }])
  expect(await there.all()).toMatchObject([
    { holder: 'one', by: 'polling', lag_ms: 700, read_at: readAt.toISOString(), parts: [part, identity] },
  ])
  await here.report('compute', { holder: 'one', health: { ...health, parts: [{ ...part, reachable: true }] }, readAt })
  await until(() => outages.length === 2)
  expect(there.outage()).toBeNull()
})

test('merges the outages of several engines and names every part that does not respond', async () => {
  const [compute] = engines
  const both = [compute!, { ...compute!, name: 'storage', listed: new Set(['volumes']) }]
  const states = await createEngineStates({ store: fixture.store, log: silentLogger, engines: both })
  const away = (name: string, minutes: number) => {
    const since = new Date(Date.now() - minutes * 60_000).toISOString()
    return { name, reachable: false, message: 'refused', since }
  }
  const [images, volumes] = [away('images', 2), away('volumes', 3)]
  await states.report('compute', { holder: 'one', health: { ...health, parts: [images] }, readAt: null })
  await states.report('storage', { holder: 'two', health: { ...health, parts: [volumes] }, readAt: null })
  states.close()
  const later = await createEngineStates({ store: fixture.store, log: silentLogger, engines: both })
  later.close()
  expect(later.outage()).toEqual({ since: volumes.since, parts: ['images', 'volumes'] })
  const all = await later.all()
  expect(all.map(({ name, holder, parts }) => [name, holder, parts.map((part) => part.name)])).toEqual([
    ['compute', 'one', ['images']],
    ['storage', 'two', ['volumes']],
  ])
  // one engine is no longer followed, so the state of its parts is unknown
  await fixture.store.pool.query("update engine_state set told_at = now() - interval '1 minute' where name = 'storage'")
  const last = await createEngineStates({ store: fixture.store, log: silentLogger, engines: both })
  last.close()
  expect(last.outage()).toMatchObject({ parts: [] })
})

test('a new follower keeps the time of the last full read and reports its age as the lag', async () => {
  const states = await createEngineStates({ store: fixture.store, log: silentLogger, engines })
  const readAt = new Date(Date.now() - 60_000)
  await states.report('compute', { holder: 'one', health, readAt })
  await states.report('compute', { holder: 'two', health: { ...health, behind_ms: null }, readAt: null })
  states.close()
  const [state] = await states.all()
  expect(state).toMatchObject({ holder: 'two', read_at: readAt.toISOString() })
  expect(state!.lag_ms).toBeGreaterThanOrEqual(60_000)
})

test('a brief failure is not an outage, but a missing follower is', async () => {
  const states = await createEngineStates({ store: fixture.store, log: silentLogger, engines })
  const part = { name: 'compute', reachable: false, message: 'slow', since: new Date().toISOString() }
  await states.report('compute', { holder: 'one', health: { ...health, parts: [part] }, readAt: null })
  states.close()
  const again = await createEngineStates({ store: fixture.store, log: silentLogger, engines })
  expect(again.outage()).toBeNull()
  again.close()
  await fixture.store.pool.query("update engine_state set told_at = now() - interval '1 minute'")
  const later = await createEngineStates({ store: fixture.store, log: silentLogger, engines })
  later.close()
  expect(later.outage()).toMatchObject({ parts: [] })
  const [state] = await later.all()
  expect(state).toMatchObject({ holder: null })
  expect(state!.lag_ms).toBeGreaterThanOrEqual(60_000)
})
