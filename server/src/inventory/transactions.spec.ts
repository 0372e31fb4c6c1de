import { setTimeout as sleep } from 'node:timers/promises'
import type { Entity } from '@mainstay/engines/ports/records'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  openInventoryFixture,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../testing/inventory-fixture'
import { pruneChanges } from './read'

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
})
afterEach(() => fixture.clear())
afterAll(() => fixture.close())

const put = (entity: Entity): Promise<void> => fixture.inventory.transaction((records) => records.put('thing', entity))
const changes = async (since = 0) => (await fixture.inventory.changesSince(since, 10_000))!

test('a reader that follows revisions misses none during concurrent writes', async () => {
  const writers = await Promise.all([fixture.another(), fixture.another()])
  const all = [fixture, ...writers]
  const seen: number[] = []
  let writing = true
  // polls as often as possible, like a hub that is notified of every commit
  const reader = (async () => {
    let at = 0
    for (;;) {
      const last = !writing
      const found = await changes(at)
      for (const { revision } of found) {
        expect(revision).toBeGreaterThan(at)
        at = revision
        seen.push(revision)
      }
      if (last && found.length === 0) return
    }
  })()
  const work = async (writer: number): Promise<void> => {
    for (let round = 0; round < 15; round++) {
      await all[writer % all.length]!.inventory.transaction(async (records) => {
        for (let row = 0; row < 1 + (round % 3); row++)
          await records.put('thing', thing(`w${writer}-${row}`, { note: `${round}` }))
        // some take their number early and commit late, and some take one and roll back
        if (round % 4 === 0) await records.sum('thing', null)
        if (round % 2 === 0) await sleep(Math.random() * 6)
        if (round % 5 === 4) throw new Error('given up')
      }).catch((error: Error) => {
        if (error.message !== 'given up') throw error
      })
    }
  }
  await Promise.all(Array.from({ length: 24 }, (_, writer) => work(writer)))
  writing = false
  await reader
  const logged = (await changes()).map(({ revision }) => revision)
  expect(seen).toEqual(logged)
  expect(new Set(logged).size).toBe(logged.length)
  expect(await fixture.inventory.revision()).toBe(logged[logged.length - 1])
})

test('writing an unchanged row creates no revision', async () => {
  await put(thing('a'))
  const before = await fixture.inventory.revision()
  // the same content in another order, with a value that JSON drops
  const { id, name, ...rest } = thing('a')
  await put({ ...rest, gone: undefined, name, id })
  expect(await fixture.inventory.revision()).toBe(before)
  const state = await fixture.inventory.revisionOf(thingKind, 'a')
  await put(thing('a'))
  expect(await fixture.inventory.revisionOf(thingKind, 'a')).toBe(state)
  await put(thing('a', { note: 'new' }))
  expect(await fixture.inventory.revision()).toBe(before + 1)
  expect(await fixture.inventory.revisionOf(thingKind, 'a')).not.toBe(state)
})

test('a transaction is atomic', async () => {
  const attempt = fixture.inventory.transaction(async (records) => {
    await records.put('thing', thing('a'))
    await records.putPrivate('thing', 'a', { secret: 1 })
    expect(await records.find('thing', { project_id: 'p1' })).toHaveLength(1)
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect(await changes()).toEqual([])
  await fixture.inventory.transaction(async (records) => {
    expect(await records.get('thing', 'a')).toBeNull()
    expect(await records.getPrivate('thing', 'a')).toBeNull()
  })
})

test('finds rows by an element of a list, including rows it has just written', async () => {
  await put(thing('a', { tags: ['red', 'blue'] }))
  await put(thing('b', { tags: ['blue'] }))
  await fixture.inventory.transaction(async (records) => {
    await records.put('thing', thing('c', { tags: ['red'], inner: { size: 1, marks: ['odd "one"'] } }))
    const idsOf = async (where: Parameters<typeof records.find>[1]) =>
      (await records.find('thing', where)).map(({ id }) => id)
    expect(await idsOf({ tags: { has: 'red' } })).toEqual(['a', 'c'])
    expect(await idsOf({ tags: { has: 'blue' }, id: 'b' })).toEqual(['b'])
    expect(await idsOf({ 'inner.marks': { has: 'odd "one"' } })).toEqual(['c'])
    expect(await idsOf({ tags: { has: 're' } })).toEqual([])
    expect(await idsOf({ tags: { hasAny: ['blue', 'red'] } })).toEqual(['a', 'b', 'c'])
    expect(await idsOf({ 'inner.marks': { hasAny: ['odd "one"', 'none'] } })).toEqual(['c'])
    expect(await idsOf({ tags: { hasAny: [] } })).toEqual([])
  })
})

test('a transaction reads its own writes', async () => {
  await put(thing('a'))
  await fixture.inventory.transaction(async (records) => {
    await records.put('thing', thing('a', { inner: { size: 4 } }))
    await records.put('thing', thing('b', { inner: { size: 6 }, project_id: 'p2' }))
    expect(await records.get('thing', 'a')).toMatchObject({ inner: { size: 4 } })
    expect(await records.lock('thing', 'b')).toMatchObject({ project_id: 'p2' })
    expect(await records.sum('thing', null, 'inner.size')).toBe(10)
    expect(await records.sum('thing', { project_id: 'p2' }, 'inner.size')).toBe(6)
    expect(await records.sum('thing', { project_id: 'p1' })).toBe(1)
    expect(await records.find('thing', { 'inner.size': 6 })).toMatchObject([{ id: 'b' }])
    expect(await records.find('thing', { missing: null, enabled: true, status: 'ACTIVE' }, 1)).toHaveLength(1)
    await records.remove('thing', 'a')
    expect(await records.get('thing', 'a')).toBeNull()
    expect(await records.sum('thing', null)).toBe(1)
  })
})

test('transactions that lock the same row run one after another without lost updates', async () => {
  await put(thing('a', { inner: { size: 0 } }))
  await Promise.all(
    Array.from({ length: 20 }, () =>
      fixture.inventory.transaction(async (records) => {
        const row = (await records.lock('thing', 'a'))!
        await records.put('thing', { ...row, inner: { size: (row['inner'] as { size: number }).size + 1 } })
      }),
    ),
  )
  expect(await fixture.inventory.view(thingKind, systemScope, 'a')).toMatchObject({ inner: { size: 20 } })
})

test('transactions that lock the same rows in different order both succeed', async () => {
  await put(thing('a'))
  await put(thing('b'))
  const both = (first: string, second: string) =>
    fixture.inventory.transaction(async (records) => {
      const one = (await records.lock('thing', first))!
      await sleep(50)
      const other = (await records.lock('thing', second))!
      await records.put('thing', { ...one, note: `${String(one['note'])}+` })
      await records.put('thing', { ...other, note: `${String(other['note'])}+` })
    })
  await Promise.all([both('a', 'b'), both('b', 'a')])
  expect(await fixture.inventory.several(thingKind, systemScope, ['a', 'b'])).toMatchObject([
    { note: '++' },
    { note: '++' },
  ])
})

test('an exclusive key makes a check and the following insert atomic', async () => {
  const take = (id: string) =>
    fixture.inventory.transaction(async (records) => {
      await records.exclusive('quota of p1')
      if ((await records.sum('thing', { project_id: 'p1' })) >= 3) return false
      await records.put('thing', thing(id))
      return true
    })
  const taken = await Promise.all(Array.from({ length: 10 }, (_, index) => take(`t${index}`)))
  expect(taken.filter(Boolean)).toHaveLength(3)
})

test('the log records the previous owner of a row that moved to another project', async () => {
  await put(thing('a', { public: true }))
  await put(thing('a', { project_id: 'p2' }))
  await fixture.inventory.transaction((records) => records.remove('thing', 'a'))
  expect(await changes()).toMatchObject([
    { op: 'put', project_id: 'p1', readers: ['*'], before: null },
    { op: 'put', project_id: 'p2', readers: [], before: { project_id: 'p1', readers: ['*'] } },
    { op: 'remove', project_id: 'p2', before: null },
  ])
})

test('the log reports when it no longer reaches back far enough', async () => {
  await put(thing('a'))
  await put(thing('b'))
  expect(await fixture.inventory.revision()).toBe(2)
  await fixture.store.pool.query("update change set at = now() - interval '2 days' where revision = 1")
  await fixture.inventory.pruneChanges(24 * 3600)
  expect(await fixture.inventory.changesSince(0, 10)).toBeNull()
  expect(await fixture.inventory.changesSince(1, 10)).toHaveLength(1)
  expect(await fixture.inventory.changesSince(2, 10)).toEqual([])
  expect(await fixture.inventory.changesSince(99, 10)).toBeNull()
})

test('replaces characters that the database cannot store', async () => {
  await put(thing('a', { name: 'zero \u0000 half \uD800', tags: ['\u0000'] }))
  expect(await fixture.inventory.view(thingKind, systemScope, 'a')).toMatchObject({ name: 'zero \uFFFD half \uFFFD' })
})

test('a second full read removes the rows that it does not report', async () => {
  const observation = (id: string) => ({ op: 'put', kind: 'thing', entity: thing(id) }) as const
  await fixture.inventory.applyObservations([observation('old'), observation('same')])
  const before = await fixture.inventory.revision()
  const follow = fixture.inventory.follower()
  await follow([{ op: 'resync', kind: 'thing' }, observation('same')])
  await follow([observation('new'), { op: 'synced', kind: 'thing' }])
  expect((await changes(before)).map(({ op, id }) => `${op} ${id}`)).toEqual(['put new', 'remove old'])
})

test('writes to different rows do not wait for each other', async () => {
  await put(thing('a'))
  await put(thing('b'))
  let go = (): void => undefined
  const held = new Promise<void>((resolve) => (go = resolve))
  let wrote = (): void => undefined
  const isWritten = new Promise<void>((resolve) => (wrote = resolve))
  const long = fixture.inventory.transaction(async (records) => {
    await records.put('thing', thing('a', { note: 'long' }))
    // calls that read many rows flush the buffer first
    await records.sum('thing', null)
    wrote()
    await held
  })
  await isWritten
  const before = await fixture.inventory.revision()
  await put(thing('b', { note: 'short' }))
  expect((await changes(before)).map(({ id }) => id)).toEqual(['b'])
  go()
  await long
  expect((await changes(before)).map(({ id, revision }) => [id, revision])).toEqual([
    ['b', before + 1],
    ['a', before + 2],
  ])
})

test('other servers find changes by a server that died before announcing them', async () => {
  const other = await fixture.another()
  other.inventory.close()
  await other.inventory.transaction((records) => records.put('thing', thing('a')))
  expect((await changes()).map(({ id }) => id)).toEqual(['a'])
})

test('a mirror that applies changes converges with the index during long and short transactions', async () => {
  const servers = [fixture, await fixture.another()]
  const mirror = new Map<string, string>()
  let at = 0
  let isOver = false
  const follow = async (): Promise<number> => {
    const found = (await fixture.inventory.changesSince(at, 50))!
    const rows = await fixture.inventory.rowsOf(
      thingKind,
      found.map(({ id }) => id),
    )
    for (const { revision, id, op } of found) {
      expect(revision).toBe(at + 1)
      at = revision
      const row = rows.get(id)
      if (op === 'put' && row) mirror.set(id, String(row['note']))
      else mirror.delete(id)
    }
    return found.length
  }
  const following = (async () => {
    for (;;) {
      const last = isOver
      if ((await follow()) === 0 && last) return
    }
  })()
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      const { inventory } = servers[writer % 2]!
      await inventory.transaction(async (records) => {
        // some rows belong to one writer, others are shared by all
        for (const id of [`own-${writer}-${round % 3}`, `shared-${(writer + round) % 4}`].slice(0, 1 + (round % 2))) {
          if (Math.random() < 0.25) await records.remove('thing', id)
          else await records.put('thing', thing(id, { note: `${writer}.${round}` }))
        }
        if (writer % 4 !== 0) return
        await records.sum('thing', null)
        await sleep(Math.random() * 40)
      })
    }
  }
  await Promise.all(Array.from({ length: 16 }, (_, writer) => write(writer)))
  isOver = true
  await following
  const { data } = await fixture.inventory.list(thingKind, systemScope, { limit: 1000, sort: 'id' })
  expect(Object.fromEntries(mirror)).toEqual(Object.fromEntries(data.map(({ id, note }) => [id, note])))
})

test('prunes old changes in batches', async () => {
  await fixture.inventory.applyObservations(
    Array.from({ length: 25 }, (_, at) => ({ op: 'put', kind: 'thing', entity: thing(`t${at}`) })),
  )
  const head = await fixture.inventory.revision()
  const { pool, db } = fixture.store
  await pool.query("update change set at = now() - interval '2 days' where revision <= $1", [head - 2])
  await pruneChanges(db, 24 * 3600, 10)
  expect(await fixture.inventory.changesSince(head - 3, 100)).toBeNull()
  expect(await fixture.inventory.changesSince(head - 2, 100)).toHaveLength(2)
})

test('finds any number of rows', async () => {
  const many = Array.from({ length: 2345 }, (_, at) => thing(`t${at}`, { inner: { size: at % 2 } }))
  await fixture.inventory.applyObservations(many.map((entity) => ({ op: 'put', kind: 'thing', entity })))
  await fixture.inventory.transaction(async (records) => {
    expect(new Set((await records.find('thing', {})).map(({ id }) => id)).size).toBe(2345)
    expect(await records.find('thing', { 'inner.size': 1 })).toHaveLength(1172)
    expect(await records.find('thing', { project_id: 'p1' }, 1500)).toHaveLength(1500)
  })
})
