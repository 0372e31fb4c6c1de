import type { Facets } from '@mainstay/contract/core/lists/facets'
import { writeFilter } from '@mainstay/contract/core/lists/filters'
import { allKinds } from '@mainstay/contract/resources'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
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
const facets = (field: string, more: Record<string, unknown> = {}, scope = systemScope) =>
  fixture.inventory.facets(thingKind, scope, { field, limit: 100, ...more })
const pairs = ({ data }: Facets) => data.map(({ value, count }) => [value, count])

const scopes: Scope[] = [systemScope, projectScope('p1'), projectScope('p2'), projectScope('p9')]
const one = <const Value>(...values: Value[]) => fc.constantFrom(...values)
const rows = fc
  .array(
    fc.record({
      name: one('web-1', 'Web-10', 'wéb', 'db, "one"'),
      status: one('ACTIVE', 'ERROR', null),
      tags: fc.array(one('prod', 'Preview', 'a,b'), { maxLength: 3 }),
      enabled: one(true, false, null),
      public: fc.boolean(),
      host: one('node-1', null),
      project_id: one('p1', 'p2'),
      inner: fc.record({ size: one(0, 2.5, 40, null) }),
    }),
    { maxLength: 14 },
  )
  .map((all) => all.map((row, at) => thing(`t${at}`, row)))
const filters = one<Record<string, string>>(
  {},
  { status: 'in:ACTIVE,None' },
  { status: 'not:ERROR' },
  { tags: 'any:prod,None' },
  { tags: 'not:prod' },
  { name: 'web' },
  { size: 'gte:1' },
  { enabled: 'true', search: 'web' },
  { project_id: 'p1' },
)
const fields = ['name', 'status', 'tags', 'size', 'enabled', 'words', 'project_id', 'id'] as const

test('each count equals that of the list filtered by the value, and no value is missing, for every scope', async () => {
  await fc.assert(
    fc.asyncProperty(rows, filters, one(...scopes), one(...fields), async (all, query, scope, field) => {
      await fill(all)
      const { data, has_more } = await facets(field, query, scope)
      expect(has_more).toBe(false)
      const counted = async (value: string | null) => {
        const filter = writeFilter({ operator: 'in', values: [value] })!
        const asked = { ...query, ...(query[field] ? { [field]: [query[field], filter] } : { [field]: filter }) }
        return (await fixture.inventory.list(thingKind, scope, { limit: 1, with_count: true, ...asked })).count
      }
      for (const { value, count } of data) expect(count, `${field} ${value}`).toBe(await counted(value))
      const { data: listed } = await fixture.inventory.list<Entity>(thingKind, scope, { limit: 100, ...query })
      if (field !== 'tags' && field !== 'words')
        expect(data.reduce((sum, { count }) => sum + count!, 0)).toBe(listed.length)
      else
        expect(new Set(data.map(({ value }) => value))).toEqual(
          new Set(
            listed.flatMap((row) => {
              const found = (field === 'tags' ? row['tags'] : String(row['name']).split(' ')) as string[]
              return found.length > 0 ? found : [null]
            }),
          ),
        )
    }),
    { numRuns: 60 },
  )
})

test('returns the most frequent values with a case-insensitive prefix, up to the limit', async () => {
  const names = ['web-1', 'Web-2', 'web-1', 'WEB-2', 'mail', 'Äpfel', '50%', '5_']
  await fill(names.map((name, at) => thing(`t${at}`, { name, tags: [name.toLowerCase().slice(0, 3), 'x'] })))
  expect(pairs(await facets('name', { limit: 1 }))).toEqual([['web-1', 2]])
  expect((await facets('name', { limit: 1 })).has_more).toBe(true)
  expect(pairs(await facets('name', { prefix: 'wEb' }))).toEqual([
    ['web-1', 2],
    ['WEB-2', 1],
    ['Web-2', 1],
  ])
  expect(pairs(await facets('name', { prefix: 'äp' }))).toEqual([['Äpfel', 1]])
  expect(pairs(await facets('name', { prefix: '5%' }))).toEqual([])
  expect(pairs(await facets('name', { prefix: '50%' }))).toEqual([['50%', 1]])
  expect(pairs(await facets('tags', { prefix: 'W' }))).toEqual([['web', 4]])
})

test('omits counts when there are too many rows to count', async () => {
  await fill(Array.from({ length: 30 }, (_, at) => thing(`t${at}`, { status: at < 20 ? 'ACTIVE' : 'ERROR' })))
  const bounds = { rows: 29, milliseconds: 10_000, fewRows: 30 }
  const within = (more: object) =>
    fixture.inventory.facets(thingKind, systemScope, { field: 'status', limit: 9 }, { ...bounds, ...more })
  expect(pairs(await within({}))).toEqual([
    ['ACTIVE', null],
    ['ERROR', null],
  ])
  expect(pairs(await within({ rows: 30 }))).toEqual([
    ['ACTIVE', 20],
    ['ERROR', 10],
  ])
})

test('omits counts when counting takes too long', async () => {
  await fill(Array.from({ length: 3 }, (_, at) => thing(`t${at}`, { status: 'ACTIVE' })))
  // lock the table, so that the counting query times out
  const holder = await fixture.store.pool.connect()
  const { rows: tables } = await holder.query<{ name: string }>(
    "select relname as name from pg_class where relname like 'index_of_thing_%' and relkind = 'r'",
  )
  await holder.query('begin')
  await holder.query(`lock table "${tables[0]!.name}" in access exclusive mode`)
  const bounds = { rows: 100, milliseconds: 20, fewRows: 30 }
  const asked = fixture.inventory.facets(thingKind, systemScope, { field: 'status', limit: 9 }, bounds)
  // matches only the second query, which runs outside a transaction after the counting query has timed out
  const waiting = `
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like '%looked_at%' and xact_start = query_start`
  await expect.poll(async () => (await fixture.store.pool.query(waiting)).rowCount, { timeout: 20_000 }).toBe(1)
  await holder.query('rollback')
  holder.release()
  expect(pairs(await asked)).toEqual([['ACTIVE', null]])
})

test.each([
  ['an unknown field', { field: 'colour' }, 'field'],
  ['a field that every object has', { field: 'constructor' }, 'field'],
  ['a field that only operators can read', { field: 'host' }, 'field'],
  ['a time', { field: 'made' }, 'field'],
  ['an unknown filter', { field: 'name', colour: 'red' }, 'colour'],
  ['a prefix with a NUL', { field: 'name', prefix: 'a\0' }, 'prefix'],
])('refuses %s and names the parameter', async (_, query, name) => {
  await expect(fixture.inventory.facets(thingKind, projectScope('p1'), { limit: 9, ...query })).rejects.toMatchObject({
    fields: { [name]: expect.anything() },
  })
})

test('no filter of any kind has the same name as a parameter of this call', () => {
  for (const { name, filters: all } of Object.values(allKinds))
    for (const word of ['field', 'prefix', 'limit', 'search']) expect(Object.keys(all), name).not.toContain(word)
})
