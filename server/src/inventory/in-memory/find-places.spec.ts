import type { Kind } from '@mainstay/contract/core/kind'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openScene, projectScope, systemScope, thing, thingKind, type Scene } from '../../testing/postgres-scenes'
import { columnsOf } from '../columns'
import { wantedOf } from '../list'
import { readMarker } from '../sorting'
import { findPlaces } from './find-places'
import { readTable } from './read-table'
import type { TableCopy } from './table-copy'

/*
 * The database and the copy must say the same of every list. The scene's own lists are those of the database: they are
 * never so dear that a copy would be looked at.
 */

const alike = { ...thingKind, sortKeys: { ...thingKind.sortKeys, note: { path: 'note', type: 'text' as const } } }
const kinds: Record<string, Kind> = {
  thing: alike,
  owned: { ...alike, name: 'owned', visibility: 'owner', systemOnly: [] },
  local: { ...alike, name: 'local', visibility: 'domain' },
}
for (const name of ['owned', 'local']) delete kinds[name]!.shared

let scene: Scene
beforeAll(async () => {
  scene = await openScene(kinds)
})
afterAll(() => scene.close())

/** Rows of the kind are these and no others; answers the copy of them. */
async function fill(of: Kind, rows: Entity[]): Promise<TableCopy> {
  await scene.inventory.follower()([
    { op: 'resync', kind: of.name },
    ...rows.map((entity) => ({ op: 'put', kind: of.name, entity }) as const),
    { op: 'synced', kind: of.name },
  ])
  const read = await readTable(
    scene.store.db,
    columnsOf(of),
    { mostRows: Infinity, shown: Infinity },
    new AbortController().signal,
  )
  return read!.copy
}

const words = [
  'web',
  'Web-2',
  'web-10',
  'wéb',
  'WEB%',
  'a_b',
  "it's",
  'a,b\\c',
  'İstanbul',
  'ﬁ',
  '\uFFFD',
  '😀',
  '\uE000z',
]
const text = fc.oneof(
  fc.constantFrom(...words),
  fc
    .array(fc.constantFrom(...words, ' ', '\n', '7', '"'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('e', '😀', 'ab\u0301').map((part) => part.repeat(200)),
)
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 4 })
const row = fc.record({
  id: fc.oneof(fc.stringMatching(/^[a-zA-Z0-9-]{1,8}$/), fc.constantFrom('😀', '\uFFFD', '\uE000')),
  name: text,
  note: maybe(text),
  status: maybe(fc.constantFrom('A', 'B', 'b', 'a10', 'a9')),
  tags: fc.array(fc.constantFrom('red', 'Blue', 'Äb', 'a b', '', ...words), { maxLength: 3 }),
  inner: fc.record({ size: maybe(fc.constantFrom(-1, 0, 0.1, 3, 1e15)) }),
  enabled: maybe(fc.boolean()),
  public: fc.boolean(),
  host: maybe(fc.constantFrom('node-1', 'node-2', 'node-10')),
  created_at: fc.constantFrom('2026-01-01T00:00:00Z', '2025-06-01T00:00:00.123Z'),
  project_id: maybe(fc.constantFrom('p1', 'p2')),
  domain_id: fc.constantFrom('d1', 'd2'),
  user_id: fc.constantFrom('u1', 'u2'),
})

const terms = (value: fc.Arbitrary<string>, ...operators: string[]) =>
  fc
    .tuple(
      fc.constantFrom(...operators),
      fc.array(fc.oneof(value, fc.constant('None')), { minLength: 1, maxLength: 3 }),
    )
    .map(([operator, values]) =>
      operator === 'in:' || operator === 'any:'
        ? operator + values.map((one) => one.replace(/[\\,]/g, (found) => `\\${found}`)).join(',')
        : operator + values[0]!,
    )
    .filter((term) => !term.includes('\0'))
const number = fc.constantFrom('-1', '0', '0.1', '2', '1e15')
const query = fc.record(
  {
    name: terms(text, '', 'contains:', 'exact:', 'in:', 'any:', 'not:'),
    status: terms(fc.constantFrom('A', 'B', 'b', 'a10'), '', 'in:', 'any:', 'not:'),
    tags: terms(fc.constantFrom('red', 'blue', 'Blue', 'b r', 'äb', 'Äb', ...words), '', 'contains:', 'any:', 'not:'),
    size: fc.oneof(
      terms(number, '', 'in:', 'not:'),
      number.map((it) => `gte:${it}`),
      number.map((it) => `lte:${it}`),
    ),
    enabled: terms(fc.constantFrom('true', 'false'), '', 'in:', 'not:'),
    made: fc.constantFrom('2026-01-01T00:00:00Z', 'gte:2026-01-01', 'lte:2025-12-01', 'not:2026-01-01T00:00:00Z'),
    id: terms(fc.constantFrom('a', '😀'), 'not:'),
    project_id: fc.constantFrom('p1', 'not:p1', 'None'),
    search: text.filter((it) => it !== '' && !it.includes('\0')),
  },
  { requiredKeys: [] },
)
// most lists have no more than two conditions, or nothing would be left
const narrow = fc.tuple(query, fc.shuffledSubarray(Object.keys(thingKind.filters).concat('search'), { maxLength: 2 }))
const few = narrow.map(([all, names]) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
)

const scopes: Scope[] = [
  systemScope,
  projectScope('p1'),
  projectScope('p2', { user_id: 'u2', domain_id: 'd2' }),
  { ...projectScope('p1'), kind: 'domain', project_id: null },
]

test('a copy finds the pages that the database finds: any rows, conditions, order, scope and size of a page', async () => {
  let found = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(kinds)),
      fc.uniqueArray(row, { selector: ({ id }) => id, maxLength: 40 }),
      fc.array(
        fc.record({
          asked: few,
          scope: fc.constantFrom(...scopes),
          key: fc.constantFrom(...Object.keys(alike.sortKeys)),
          direction: fc.constantFrom('asc', 'desc'),
          limit: fc.integer({ min: 1, max: 7 }),
        }),
        { minLength: 8, maxLength: 8 },
      ),
      async (of, given, lists) => {
        const copy = await fill(
          of,
          given.map((it) => thing(it.id, it)),
        )
        const columns = columnsOf(of)
        for (const { asked, scope, key, direction, limit } of lists) {
          if (key === 'host' && scope.kind !== 'system' && of.systemOnly.includes('host')) continue
          let marker: string | undefined
          do {
            const page = await scene.inventory.list(of, scope, { ...asked, limit, sort: `${key}:${direction}`, marker })
            const wanted = await wantedOf(scene.store.db, columns, scope, {
              ...asked,
              sort: `${key}:${direction}`,
              limit: limit + 1,
              marker,
            })
            const { places, count } = await findPlaces(copy, wanted)
            const counted = await scene.inventory.list(of, scope, { ...asked, limit, with_count: true })
            expect(count).toBe(counted.count)
            expect(places.slice(0, limit).map(({ id }) => id)).toEqual(page.data.map(({ id }) => id))
            marker = page.pages[0]?.marker
            expect(places.length > limit).toBe(marker !== undefined)
            if (marker !== undefined) expect(places[limit - 1]).toEqual(readMarker(wanted.sorting, marker))
            found += page.data.length
          } while (marker !== undefined)
        }
      },
    ),
    { numRuns: 60 },
  )
  expect(found).toBeGreaterThan(500)
}, 120_000)

test('the first of many rows are found, whichever order they were put in, and after others were removed', async () => {
  const many = Array.from({ length: 40_000 }, (_, at) => {
    const number = (at * 7919) % 40_000
    return { id: `t${number}`, name: `web-${number}`, size: number }
  })
  const copy = await fill(alike, [thing('t')])
  const [like] = (await scene.store.pool.query<Record<string, unknown>>(`select * from ${columnsOf(alike).table}`)).rows
  for (const { id, name, size } of many)
    copy.put({ ...like, id, '~name': name.padStart(12), '!search': name, '#inner.size': size })
  for (const { id } of many.filter(({ size }) => size % 3 === 0)) copy.remove(id)
  copy.remove('t')
  const find = async (sort: string, search: string) => {
    const asked = { sort, search, limit: 3 }
    const wanted = await wantedOf(scene.store.db, columnsOf(alike), systemScope, asked)
    return (await findPlaces(copy, wanted)).places.map((it) => it.id)
  }
  expect(copy.size).toBe(many.length - Math.ceil(many.length / 3))
  expect(await find('size:asc', 'web')).toEqual(['t1', 't2', 't4'])
  expect(await find('size:desc', '99')).toEqual(['t39998', 't39997', 't39995'])
  copy.put({ ...like, id: 'new', '!search': 'web-99', '#inner.size': 50_000 })
  expect(await find('size:desc', '99')).toEqual(['new', 't39998', 't39997'])
})
