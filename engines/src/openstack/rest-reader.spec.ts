import { expect, test } from 'vitest'
import * as z from 'zod'
import type { CallOptions, Service } from './client/service-client'
import type { Reading } from './kind-reader'
import { restReader } from './rest-reader'

const Balancer = z.object({ id: z.string(), name: z.string(), pool: z.string().default('none') })
const kind = {
  kind: 'balancer',
  service: 'network' as Service,
  path: '/balancers',
  key: ['balancers', 'balancer'] as const,
  item: Balancer,
  row: ({ id, name }: z.output<typeof Balancer>) => (name === '' ? null : { id, name }),
}

/** Starts a fake cloud with these load balancers, which records requests. */
function cloudWith(rows: object[], { pageSize = 100, alone = false } = {}) {
  const asked: string[] = []
  const note = (path: string, { version, query }: CallOptions) =>
    void asked.push([path, version, query && JSON.stringify(query)].filter((it) => it !== undefined).join(' '))
  const caller = {
    async get(_: Service, path: string, schema: z.ZodType, options: CallOptions = {}) {
      note(path, options)
      const { limit = pageSize, offset = 0 } = options.query ?? {}
      const from = Number(offset)
      if (path === '/balancers') return schema.parse({ balancers: rows.slice(from, from + Number(limit)) })
      const row = rows.find((it) => path === `/balancers/${encodeURIComponent((it as { id: string }).id)}`)
      return schema.parse(alone ? row : { balancer: row })
    },
    async *pages(_: Service, path: string, key: string, item: z.ZodType, options: CallOptions = {}) {
      note(`${path}: ${key}`, options)
      yield rows.map((row) => item.parse(row))
    },
  }
  const unreadable: unknown[] = []
  const reading = { caller, unreadable: (list: string, row: object) => void unreadable.push({ list, ...row }) }
  return { reading: reading as unknown as Reading, asked, unreadable }
}
async function allOf<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}
const [one, two, hidden] = [
  { id: 'b1', name: 'one' },
  { id: 'b2', name: 'two' },
  { id: 'b3', name: '' },
]

test('lists objects at the path of the kind, with its version and query, and skips those without a row', async () => {
  const plain = cloudWith([one, hidden, two])
  expect(await allOf(restReader(kind).all(plain.reading))).toEqual([one, two])
  expect(plain.asked).toEqual(['/balancers: balancers {}'])
  const more = { listPath: '/balancers/detail', version: '2.64', query: { all_projects: 'True' } }
  const asked = cloudWith([one])
  await allOf(restReader({ ...kind, ...more }).all(asked.reading))
  expect(asked.asked).toEqual(['/balancers/detail: balancers 2.64 {"all_projects":"True"}'])
})

test('reads one row by its encoded ID, with the version but without the query of the list', async () => {
  const strange = { id: 'a/b?c', name: 'strange' }
  const { reading, asked } = cloudWith([strange, hidden])
  const more = { listPath: '/balancers/detail', version: '2.64', query: { all_projects: 'True' } }
  const some = await restReader({ ...kind, ...more }).some(reading, [strange.id, hidden.id])
  expect([...some]).toEqual([
    [strange.id, strange],
    [hidden.id, null],
  ])
  expect(asked).toEqual(['/balancers/a%2Fb%3Fc 2.64', '/balancers/b3 2.64'])
})

test('accepts a response without an envelope for one row', async () => {
  const { reading } = cloudWith([one], { alone: true })
  const alone = restReader({ ...kind, key: ['balancers', null] })
  expect([...(await alone.some(reading, [one.id]))]).toEqual([[one.id, one]])
  expect(await alone.one(reading.caller, one.id)).toEqual({ ...one, pool: 'none' })
})

test('reads a list without links until a page is not full, even if a row on the page is unreadable', async () => {
  const broken = { id: 'b0', name: 17 }
  const { reading, asked, unreadable } = cloudWith([one, broken, two])
  const reader = restReader({ ...kind, rowsAtOffset: 2, query: { all_projects: 'True' } })
  expect(await allOf(reader.all(reading))).toEqual([one, two])
  expect(asked).toEqual([
    '/balancers {"all_projects":"True","limit":2,"offset":0}',
    '/balancers {"all_projects":"True","limit":2,"offset":2}',
  ])
  expect(unreadable).toEqual([{ list: 'balancers', id: 'b0', fault: '"name" has an unexpected value' }])
})

test('reads related data once for all rows, and separately for one', async () => {
  const { reading } = cloudWith([one, two])
  const read: string[] = []
  const reader = restReader({
    ...kind,
    around: {
      ofAll: async () => (read.push('all'), 'of all'),
      ofOne: async (_, { id }) => (read.push(id), `of ${id}`),
    },
    row: ({ id }, _, around: string) => ({ id, around }),
  })
  expect(await allOf(reader.all(reading))).toEqual([
    { id: 'b1', around: 'of all' },
    { id: 'b2', around: 'of all' },
  ])
  expect([...(await reader.some(reading, ['b2'])).values()]).toEqual([{ id: 'b2', around: 'of b2' }])
  expect(read).toEqual(['all', 'b2'])
})

test('treats no row as busy unless the kind defines which rows are busy', () => {
  expect(restReader(kind).isBusy(one)).toBe(false)
  expect(restReader({ ...kind, isBusy: ({ name }) => name === 'one' }).isBusy(one)).toBe(true)
})
