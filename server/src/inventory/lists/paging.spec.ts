import { EXACT_COUNT_LIMIT, type PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Entity } from '@mainstay/engines/ports/records'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  openInventoryFixture,
  projectScope,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from '../../testing/inventory-fixture'
import { columnsOf, naturalKey } from '../columns'
import { storable } from '../write'

let fixture: InventoryFixture
beforeAll(async () => {
  fixture = await openInventoryFixture({ thing: thingKind })
})
afterAll(() => fixture.close())
beforeEach(() => fill([]))

/** Replaces all rows of the kind. */
async function fill(rows: Entity[]): Promise<void> {
  await fixture.inventory.follower()([
    { op: 'resync', kind: 'thing' },
    ...rows.map((entity) => ({ op: 'put', kind: 'thing', entity }) as const),
    { op: 'synced', kind: 'thing' },
  ])
}
const query = (more: Record<string, unknown>): PageQuery => ({ limit: 20, ...more })
const list = (more: Record<string, unknown>, scope = systemScope) =>
  fixture.inventory.list(thingKind, scope, query(more))

async function allPages(more: Record<string, unknown>, byId: boolean): Promise<string[]> {
  const ids: string[] = []
  let marker: string | undefined
  for (;;) {
    const page = await list({ ...more, marker })
    ids.push(...page.data.map(({ id }) => id))
    const next = page.pages[0]?.marker
    if (!next) return ids
    marker = byId ? ids[ids.length - 1]! : next
  }
}

const valueOf: Record<string, (row: Entity) => string | number | boolean | null> = {
  id: ({ id }) => id,
  name: ({ name }) => naturalKey(name as string),
  status: ({ status }) => status as string | null,
  size: ({ inner }) => (inner as { size: number | null }).size,
  enabled: ({ enabled }) => enabled as boolean | null,
  made: ({ created_at }) => Date.parse(created_at as string),
  host: ({ host }) => (host === null ? null : naturalKey(host as string)),
}

function compare(one: string | number | boolean, other: string | number | boolean): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string))
  return Number(one) - Number(other)
}

function sorted(rows: Entity[], key: string, descending: boolean): string[] {
  const value = valueOf[key]!
  const sign = descending ? -1 : 1
  return rows
    .toSorted((one, other) => {
      const [a, b] = [value(one), value(other)]
      if (a === null || b === null) return Number(a === null) - Number(b === null) || sign * compare(one.id, other.id)
      return sign * (compare(a, b) || compare(one.id, other.id))
    })
    .map(({ id }) => id)
}

const rowArbitrary = fc.record({
  id: fc.stringMatching(/^[a-zA-Z0-9-]{1,8}$/),
  name: fc.oneof(
    fc.constantFrom('web-1', 'web-10', 'Web-2', 'web', 'wéb'),
    fc.string({ maxLength: 300, unit: 'binary' }),
  ),
  status: fc.constantFrom('A', 'B', 'b', null),
  enabled: fc.constantFrom(true, false, null),
  host: fc.constantFrom('node-1', 'node-2', 'node-10', null),
  inner: fc.record({ size: fc.constantFrom(null, -1, 0, 0.1, 3, 1e15) }),
  created_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', '2025-06-01T00:00:00.123Z'),
})

const sizeOf = ({ inner }: Entity): number | null => (inner as { size: number | null }).size
// some queries filter by the sort key, which uses the index differently
const filters: { query: Record<string, string>; keeps: (row: Entity) => boolean }[] = [
  { query: {}, keeps: () => true },
  { query: { enabled: 'not:false' }, keeps: ({ enabled }) => enabled !== false },
  { query: { enabled: 'true' }, keeps: ({ enabled }) => enabled === true },
  { query: { status: 'in:A,b' }, keeps: ({ status }) => status === 'A' || status === 'b' },
  { query: { status: 'None' }, keeps: ({ status }) => status === null },
  { query: { status: 'in:B,None' }, keeps: ({ status }) => status === 'B' || status === null },
  { query: { status: 'not:B' }, keeps: ({ status }) => status !== 'B' },
  { query: { size: 'gte:0' }, keeps: (row) => (sizeOf(row) ?? -9) >= 0 },
  { query: { size: 'lte:0.1' }, keeps: (row) => (sizeOf(row) ?? 9) <= 0.1 },
  { query: { host: 'in:node-10,node-2' }, keeps: ({ host }) => host === 'node-10' || host === 'node-2' },
  {
    query: { made: 'gte:2026-01-01T00:00:00Z' },
    keeps: ({ created_at }) => Date.parse(created_at as string) >= Date.UTC(2026, 0),
  },
]

test(
  'consecutive pages add up to the sorted list in both directions, including ties and missing values',
  { tags: 'all' },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(rowArbitrary, { selector: ({ id }) => id, maxLength: 30 }),
        fc.constantFrom(...Object.keys(valueOf)),
        fc.boolean(),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        fc.constantFrom(...filters),
        async (given, key, descending, limit, byId, filter) => {
          const rows = storable(given.map((row) => thing(row.id, row)))
          await fill(rows)
          const sort = `${key}:${descending ? 'desc' : 'asc'}`
          const wanted = rows.filter(filter.keeps)
          const ids = await allPages({ sort, limit, ...filter.query }, byId)
          expect(ids).toEqual(sorted(wanted, key, descending))
        },
      ),
      { numRuns: 150 },
    )
  },
)

test('includes both bounds of a range on the sort key', async () => {
  await fill([1, 2, 3, 4].map((size) => thing(`t${size}`, { inner: { size } })))
  const ids = async (more: Record<string, string>) => (await list({ limit: 1, ...more })).data.map(({ id }) => id)
  expect(await ids({ size: 'lte:3', sort: 'size:desc' })).toEqual(['t3'])
  expect(await ids({ size: 'gte:2', sort: 'size:asc' })).toEqual(['t2'])
})

test('rows with the same value are sorted by ID, even when PostgreSQL sorts without an index', async () => {
  const { rows } = await fixture.store.pool.query<{ name: string }>('select current_database() as name')
  const set = (value: string) => fixture.store.pool.query(`alter database "${rows[0]!.name}" ${value}`)
  await set('set enable_indexscan = off')
  const { inventory } = await fixture.another()
  await set('reset enable_indexscan')
  const ids = ['d', 'b', 'e', 'a', 'c']
  await fill(ids.map((id) => thing(id, { status: 'A', enabled: true })))
  for (const more of [{}, { enabled: 'true' }])
    for (const [sort, wanted] of [
      ['status:asc', ids.toSorted()],
      ['status:desc', ids.toSorted().toReversed()],
    ] as const) {
      // the page is shorter than the list, so that the order decides which rows it contains
      const page = await inventory.list(thingKind, systemScope, query({ sort, limit: 3, ...more }))
      expect(page.data.map(({ id }) => id)).toEqual(wanted.slice(0, 3))
    }
})

test('names are sorted naturally: case-insensitive, digits by numeric value', async () => {
  await fill(
    ['web-10', 'Web-2', 'web-1', 'éclair', 'zebra', 'Eclair 2'].map((name, index) => thing(`t${index}`, { name })),
  )
  const page = await list({ sort: 'name:asc' })
  expect(page.data.map(({ name }) => name)).toEqual(['éclair', 'Eclair 2', 'web-1', 'Web-2', 'web-10', 'zebra'])
})

test('accepts the last ID of a page as a marker', async () => {
  await fill(['a', 'b', 'c', 'd'].map((id) => thing(id)))
  const page = await list({ limit: 2, sort: 'id:asc' })
  const next = await list({ limit: 2, sort: 'id:asc', marker: page.data[1]!.id })
  expect(next.data.map(({ id }) => id)).toEqual(['c', 'd'])
  expect(next.pages).toEqual([])
})

test('refuses a marker that is the ID of a row that the scope cannot see', async () => {
  await fill([thing('a'), thing('foreign', { project_id: 'p2' })])
  await expect(list({ marker: 'foreign' }, projectScope('p1'))).rejects.toMatchObject({ code: 'invalid_marker' })
})

test('refuses invalid markers and markers from another sort order', async () => {
  await fill(['a', 'b', 'c'].map((id) => thing(id)))
  const page = await list({ limit: 1, sort: 'name:asc' })
  const marker = page.pages[0]!.marker
  await expect(list({ sort: 'name:desc', marker })).rejects.toMatchObject({ code: 'invalid_marker' })
  await expect(list({ sort: 'size:asc', marker })).rejects.toMatchObject({ code: 'invalid_marker' })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ minLength: 1, unit: 'binary' }),
        fc.string().map((text) => `m1.${text}`),
        fc.jsonValue().map((value) => `m1.${Buffer.from(JSON.stringify(value)).toString('base64url')}`),
        fc
          .jsonValue()
          .map((value) => `m1.${Buffer.from(JSON.stringify(['name:asc', value, 'a'])).toString('base64url')}`),
        fc.constant('\u0000'),
      ),
      async (garbage) => {
        const answer = await list({ sort: 'name:asc', marker: garbage }).catch((error: unknown) => error)
        if (answer instanceof Error) expect(answer).toMatchObject({ code: 'invalid_marker', status: 400 })
      },
    ),
    { numRuns: 150 },
  )
})

test('refuses an unknown sort key or direction', async () => {
  for (const sort of ['nothing', 'name:up', 'name:asc:x', ':', 'constructor', '__proto__:asc']) {
    await expect(list({ sort })).rejects.toMatchObject({ code: 'validation', fields: { sort: [expect.any(String)] } })
  }
})

test('counts are exact up to a limit and marked as estimated beyond it', async () => {
  await fill(Array.from({ length: 40 }, (_, index) => thing(`t${index}`, { status: index % 4 ? 'ACTIVE' : 'ERROR' })))
  expect(await list({ with_count: true, status: 'ERROR', limit: 3 })).toMatchObject({
    count: 10,
    count_estimated: false,
  })
  await fixture.store.pool.query(`
    insert into ${columnsOf(thingKind).table} (id, "!search") select 'many' || n, '' from generate_series(1, ${EXACT_COUNT_LIMIT + 500}) n`)
  await fixture.store.pool.query(`analyze ${columnsOf(thingKind).table}`)
  const page = await list({ with_count: true, limit: 1 })
  expect(page.count_estimated).toBe(true)
  expect(page.count).toBeGreaterThan(EXACT_COUNT_LIMIT)
  expect(page.count).toBeLessThan(EXACT_COUNT_LIMIT + 1000)
  await fixture.store.pool.query(`delete from ${columnsOf(thingKind).table} where id like 'many%'`)
})

test('the revision of a page is never ahead of its rows and soon catches up with the latest change', async () => {
  await fill([thing('a')])
  const before = await fixture.inventory.revision()
  await fixture.inventory.transaction((records) => records.put('thing', thing('b')))
  const page = await list({})
  expect(page.data.map(({ id }) => id)).toEqual(['a', 'b'])
  expect(page.revision).toBeLessThanOrEqual(before + 1)
  await expect.poll(async () => (await list({ status: 'none' })).revision).toBe(before + 1)
})
