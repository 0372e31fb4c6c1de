import { setTimeout as sleep } from 'node:timers/promises'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Entity } from '@mainstay/engines/ports/records'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  openInventoryFixture,
  projectScope,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../testing/inventory-fixture'
import { silentLogger } from '../testing/silent-logger'
import { columnsOf } from './columns'
import { createInventory } from './inventory'
import type { Inventory } from './types'
import { rounds } from '../../../tools/lib/tier.mjs'

/** Seconds during which two versions write at the same time. */
const SECONDS = rounds({ gate: 1, all: 5, long: 60 })

/**
 * The kind as declared by a later release: with a filter on `note`, without the one on `size`, and with different
 * derived words.
 */
const { size: _, ...filters } = thingKind.filters
const nextKind: Kind = {
  ...thingKind,
  filters: { ...filters, note: { path: 'note', type: 'text' } },
  derive: { version: 2, from: (row) => ({ words: [`note:${String((row as unknown as Entity)['note'])}`] }) },
}

let fixture: InventoryFixture
const opened: Inventory[] = []
beforeEach(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
})
afterEach(async () => {
  for (const inventory of opened.splice(0)) inventory.close()
  await fixture.close()
})
/** Starts a server with this declaration of the kind, or with no kind at all. */
async function start(kind: Kind | null): Promise<Inventory> {
  const inventory = await createInventory({
    store: fixture.store,
    log: silentLogger,
    kinds: kind ? { thing: kind } : {},
  })
  opened.push(inventory)
  return inventory
}
const put = (at: Inventory, id: string, more: Record<string, unknown> = {}) =>
  at.transaction((records) => records.put('thing', thing(id, more)))
async function ids(at: Inventory, kind: Kind, query: Record<string, string> = {}): Promise<string[]> {
  const { data } = await at.list(kind, systemScope, { limit: 1000, sort: 'id', ...query })
  return data.map(({ id }) => id)
}
const soon = (work: () => Promise<void>) => vi.waitFor(work, { interval: 20 })

test("servers of two versions write rows of the same kind, and each lists the other's rows", async () => {
  const old = fixture.inventory
  await put(old, 'before', { note: 'old treasure' })
  const next = await start(nextKind)
  expect(await ids(next, nextKind, { note: 'treasure' })).toEqual(['before'])
  await put(old, 'by-old', { note: 'treasure of old' })
  await put(next, 'by-next', { note: 'treasure of next', inner: { size: 7 } })
  await soon(async () => {
    expect(await ids(next, nextKind, { note: 'treasure' })).toEqual(['before', 'by-next', 'by-old'])
    expect(await ids(next, nextKind, { words: 'note:treasure of old' })).toEqual(['by-old'])
    expect(await ids(old, thingKind, { size: '7' })).toEqual(['by-next'])
    expect(await ids(old, thingKind, { words: 'by-next' })).toEqual(['by-next'])
  })
  await next.transaction((records) => records.remove('thing', 'by-old'))
  await put(old, 'by-next', { note: 'moved', project_id: 'p2' })
  await soon(async () => {
    expect(await ids(old, thingKind)).toEqual(['before', 'by-next'])
    expect(await ids(next, nextKind, { note: 'moved' })).toEqual(['by-next'])
    expect((await next.list(nextKind, projectScope('p2'), { limit: 5 })).data).toHaveLength(1)
  })
})

test('supports restarting the previous version and then the next one again', async () => {
  const next = await start(nextKind)
  await put(next, 'a', { inner: { size: 5 } })
  const again = await start(thingKind)
  expect(await ids(again, thingKind, { size: '5' })).toEqual(['a'])
  await put(next, 'b')
  await put(again, 'c', { note: 'back' })
  // a server that does not know the kind leaves its tables alone
  await start(null)
  await put(next, 'd')
  const forward = await start(nextKind)
  expect(await ids(forward, nextKind)).toEqual(['a', 'b', 'c', 'd'])
  expect(await ids(forward, nextKind, { note: 'back' })).toEqual(['c'])
})

test('the revision of a list never covers changes by another version that the list does not show', async () => {
  const next = await start(nextKind)
  for (let round = 0; round < 30; round++) {
    await put(next, `t${round}`)
    const page = await fixture.inventory.list(thingKind, systemScope, { limit: 1000, sort: 'id' })
    const shown = new Set(page.data.map(({ id }) => id))
    const told = (await fixture.inventory.changesSince(page.revision, 1000))!.map(({ id }) => id)
    expect(shown.has(`t${round}`) || told.includes(`t${round}`)).toBe(true)
  }
})

test(
  'after two versions have written the same rows, the tables of both reflect the last writes',
  async () => {
    const until = Date.now() + SECONDS * 1000
    const next = await start(nextKind)
    let count = 0
    const write = async (at: Inventory, seed: number): Promise<void> => {
      for (let round = seed; Date.now() < until; round++) {
        count++
        const id = `t${(round * 7 + seed) % 40}`
        if (round % 5 === 0) await at.transaction((records) => records.remove('thing', id))
        else await put(at, id, { note: `n${round}`, inner: { size: round } })
        if (round % 10 === 0) await sleep(1)
      }
    }
    await Promise.all(
      [fixture.inventory, next].flatMap((at, index) => [0, 1, 2].map((writer) => write(at, writer * 2 + index))),
    )
    expect(count).toBeGreaterThan(20)
    const expected = async (kind: Kind): Promise<unknown> => {
      const { rows } = await fixture.store.pool.query<{ body: Entity }>(
        "select body from resource where kind = 'thing'",
      )
      return rows.map(({ body }) => columnsRowOf(kind, body)).toSorted()
    }
    const kept = async (kind: Kind): Promise<unknown> => {
      const { rows } = await fixture.store.pool.query<Record<string, unknown>>(`select * from ${columnsOf(kind).table}`)
      return rows.map((row) => digest(kind, row)).toSorted()
    }
    await soon(async () => {
      for (const kind of [thingKind, nextKind]) expect(await kept(kind)).toEqual(await expected(kind))
    })
  },
  SECONDS * 1000 + 60_000,
)

/** A side table row as text, with only the columns that differ between the versions. */
const digest = (kind: Kind, row: Record<string, unknown>): string =>
  JSON.stringify([row['id'], row['*derived.words'], kind === thingKind ? row['#inner.size'] : row['^note']])
const columnsRowOf = (kind: Kind, body: Entity): string => {
  const words = kind.derive!.from(body)['words']
  return JSON.stringify([
    body.id,
    words,
    kind === thingKind ? (body['inner'] as { size: number }).size : String(body['note']),
  ])
}

test('drops a table once no server has used it for a day', async () => {
  const { pool } = fixture.store
  const tables = async () => {
    const { rows } = await pool.query<{ relname: string }>(
      "select relname from pg_class where relname like 'index_of_thing_%' and relkind = 'r' order by relname",
    )
    return rows.map(({ relname }) => relname)
  }
  const [one, two] = [columnsOf(thingKind), columnsOf(nextKind)]
  const next = await start(nextKind)
  await next.dropUnusedTables()
  expect(await tables()).toEqual([one.table, two.table].toSorted())
  await pool.query("update side_table set used_at = now() - interval '25 hours' where kind = 'thing'")
  // register a live server that uses one of the tables
  await pool.query(
    `insert into server (epoch, replica, host, version, signatures) values (gen_random_uuid(), 'r', 'h', '', $1)`,
    [[one.signature]],
  )
  await next.dropUnusedTables()
  expect(await tables()).toEqual([one.table])
  // a server that uses the table again rebuilds it
  await put(fixture.inventory, 'a', { note: 'again' })
  expect(await ids(await start(nextKind), nextKind, { note: 'again' })).toEqual(['a'])
})
