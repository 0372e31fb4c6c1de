import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { FeedHealth, FeedItem } from '../../ports/feed'
import type { Entity, Records } from '../../ports/records'
import type { ServiceClient } from '../client/service-client'
import { pageOf } from '../client/paging'
import { nodeReader } from '../compute/nodes/shape'
import { instanceReader } from '../compute/instances/reader'
import { placementReader } from '../compute/placements/shape'
import { serverGroupReader } from '../compute/server-groups/shape'
import { createFeed } from '../feed/feed'
import { tolerant, type KindReader, type Reading } from '../kind-reader'
import { openReplay, type Exchange } from '../testing/recorded'
import { clientOf, nobody, recordedReaders } from './reading-kinds'

/* A malformed row in a response must affect only that row, not the whole kind. */

const here = path.dirname(fileURLToPath(import.meta.url))
const exchangesOf = (kind: string) => JSON.parse(readFileSync(path.join(here, `${kind}.json`), 'utf8')) as Exchange[]
const said: object[] = []
const log = { debug() {}, info() {}, error() {}, warn: (details: object) => void said.push(details) }

async function readingOf(exchanges: readonly Exchange[]): Promise<Reading> {
  const { authUrl, close } = await openReplay(exchanges)
  const anybody = { username: 'anybody', password: 'anything', userDomain: 'Default' }
  const access = { authUrl, ...anybody, projectName: 'any', projectDomain: 'Default', region: null }
  const { client, caller } = clientOf(access)
  onTestFinished(async () => {
    await client.close()
    await close()
  })
  return { caller, domainOf: async () => 'default' }
}

/** Returns the items from the first full read, and the health afterwards. */
async function firstRead(reading: Reading, reader: KindReader<Entity>) {
  const stop = new AbortController()
  const feed = createFeed({ reading, readers: [reader], notifications: null, log, intervals: { health: 20 } })
  const items: FeedItem[] = []
  let health: FeedHealth | null = null
  for await (const item of feed.follow(stop.signal)) {
    if (item.op !== 'health') items.push(item)
    else if (items.at(-1)?.op === 'synced') health = item.health
    if (health) stop.abort()
  }
  return {
    rows: items.flatMap((item) => (item.op === 'put' ? [item.entity] : [])).toSorted(byId),
    kept: items.flatMap((item) => (item.op === 'keep' ? [item.id] : [])),
    unreadable: health!.unreadable,
    parts: health!.parts.filter(({ reachable }) => !reachable),
  }
}
const byId = (one: Entity, other: Entity) => (one.id < other.id ? -1 : 1)

type Row = Record<string, unknown>
const listIn = (exchanges: readonly Exchange[], list: string): Row[] =>
  exchanges
    .map(({ body }) => (body as Record<string, unknown>)[list])
    .find((rows): rows is Row[] => Array.isArray(rows) && rows.length > 0) ?? []

/** A required field of each kind. */
const needed: Record<string, string> = {
  ...{ server: 'status', flavor: 'name', image: 'status', volume: 'status', network: 'project_id', subnet: 'cidr' },
  ...{ lb_pool: 'protocol', load_balancer: 'provisioning_status' },
}

test.each(recordedReaders.filter(({ kind }) => kind !== 'key').map((reader) => [reader.kind, reader] as const))(
  'keeps the last state of a malformed %s, reports its ID and fault, and reads all other rows',
  async (kind, reader) => {
    const whole = await firstRead(await readingOf(exchangesOf(kind)), reader)
    expect(whole).toMatchObject({ kept: [], unreadable: [], parts: [] })
    const field = needed[kind]!
    const odd: [name: string, spoil: (row: Row) => unknown, tells: { id: boolean; fault: string }][] = [
      ['null', (row) => ({ ...row, [field]: null }), { id: true, fault: `"${field}" has an unexpected value` }],
      ['a number', (row) => ({ ...row, [field]: 7 }), { id: true, fault: `"${field}" has an unexpected value` }],
      ['no id', ({ id: _, ...row }) => row, { id: false, fault: '"id" has an unexpected value' }],
      ['no object', () => 'odd', { id: false, fault: 'an unexpected structure' }],
    ]
    for (const [name, spoil, tells] of odd) {
      const exchanges = exchangesOf(kind)
      const rows = listIn(exchanges, reader.list)
      const id = String(rows[0]!['id'])
      rows[0] = spoil(rows[0]!) as Row
      said.length = 0
      const told = tells.id ? id : null
      expect(await firstRead(await readingOf(exchanges), reader), name).toEqual({
        rows: whole.rows.filter((row) => row.id !== id),
        kept: [told],
        unreadable: [{ kind, count: 1, rows: [{ id: told, fault: tells.fault }] }],
        parts: [],
      })
      expect(said, name).toEqual([{ kind, id: told, fault: tells.fault }])
    }
  },
)

test.each(recordedReaders.map((reader) => [reader.kind, reader] as const))(
  'neither changes nor removes a %s that is malformed in a single read',
  async (kind, reader) => {
    const exchanges = exchangesOf(kind)
    // in the order of the recorded requests
    const order = listIn(exchanges, reader.list).map((row) => row['id'])
    const rows = (await firstRead(await readingOf(exchanges), reader)).rows
      .filter(({ name }) => /^(conformance-)?recorded-/.test(String(name)))
      .toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id))
    const { id } = rows[0]!
    const alone = exchanges.find(({ request }) => request.includes(`/${kind === 'key' ? 'recorded-key' : id}`))!
    const body = alone.body as Row
    if (kind === 'image') alone.body = { ...body, status: null }
    else alone.body = Object.fromEntries(Object.entries(body).map(([name]) => [name, { odd: true }]))
    const told: [list: string, id: string | null][] = []
    const reading = await readingOf(exchanges)
    const heard = tolerant(reading, (list, row) => told.push([list, row.id]))
    const ids = [...rows.map((row) => row.id), ...(kind === 'key' ? [] : [nobody])]
    const found = await reader.some(heard, ids)
    expect(told).toEqual([[reader.list, id]])
    expect([...found.values()].filter((row) => row !== null)).toHaveLength(rows.length - 1)
    // a command that requires this row fails with an error
    await expect(reader.some(reading, ids)).rejects.toMatchObject({ code: 'engine_unavailable' })
  },
)

/** Returns a reading with fixed responses. */
function bare(bodies: Record<string, Row>): Reading {
  const caller = {
    get: async (_: string, at: string, schema: { parse(body: unknown): unknown }) => schema.parse(bodies[at] ?? {}),
    async *pages(...[, at, key, item, options]: Parameters<ServiceClient['pages']>) {
      yield pageOf(key, item, options?.unreadable).parse(bodies[at] ?? { [key]: [] }).rows
    },
  } as unknown as ServiceClient
  return { caller, domainOf: async () => 'default' }
}

test('keeps the last known state of one server among a thousand if its metadata is malformed', async () => {
  const server = (at: number) => ({
    ...{ id: `s${at}`, name: 'x', status: 'ACTIVE', tenant_id: 'p', user_id: 'u', image: '', metadata: {}, tags: [] },
    ...{ created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' },
    flavor: { original_name: 'm', vcpus: 1, ram: 64, extra_specs: {}, disk: 0, ephemeral: 0, swap: 0 },
    'os-extended-volumes:volumes_attached': [],
  })
  const servers = Array.from({ length: 1000 }, (_, at) => ({ ...server(at), ...(at === 500 && { metadata: null }) }))
  const { rows, kept, unreadable } = await firstRead(
    bare({ '/servers/detail': { servers } }),
    instanceReader as unknown as KindReader<Entity>,
  )
  expect([rows.length, kept]).toEqual([999, ['s500']])
  expect(unreadable).toEqual([
    { kind: 'server', count: 1, rows: [{ id: 's500', fault: '"metadata" has an unexpected value' }] },
  ])
})

test('skips a malformed node, server group or trait, and malformed related rows', async () => {
  const node = { id: 'n1', hypervisor_hostname: 'one', state: 'up', status: 'enabled', service: { id: 's1', host: 'one' } }
  const nodes = await firstRead(
    bare({
      '/traits': { traits: [] },
      '/os-services': { services: [] },
      '/os-hypervisors/detail': { hypervisors: [node, { ...node, id: 'n2', service: null }] },
    }),
    nodeReader as unknown as KindReader<Entity>,
  )
  expect([nodes.rows.map(({ id }) => id), nodes.kept]).toEqual([['n1'], ['n2']])

  const group = { id: 'g1', name: 'apart', policy: 'affinity', members: [], project_id: 'p', user_id: 'u' }
  const groups = await firstRead(
    bare({ '/os-server-groups': { server_groups: [{ ...group, id: 'g2', policy: 'odd' }, group] } }),
    serverGroupReader as unknown as KindReader<Entity>,
  )
  expect([groups.rows.map(({ id }) => id), groups.kept]).toEqual([['g1'], ['g2']])

  const nothing = { transaction: async (work) => work({ find: async () => [] } as never) } as Records
  const placements = await firstRead(
    {
      ...bare({
        '/traits': { traits: ['CUSTOM_GOLD', null] },
        '/os-aggregates': {
          aggregates: [
            { id: 1, metadata: null },
            { id: 2, metadata: { 'trait:CUSTOM_GOLD': 'required' } },
          ],
        },
      }),
      records: nothing,
    },
    placementReader as unknown as KindReader<Entity>,
  )
  expect(placements.rows).toMatchObject([{ id: 'CUSTOM_GOLD', isolated: true }])
  expect(placements.kept).toEqual([null])
  expect(placements.unreadable.map(({ kind, count }) => [kind, count])).toEqual([
    ['placement', 1],
    ['aggregates', 1],
  ])
})

test('neither writes nor removes a row that becomes malformed, and updates it once it is readable', async () => {
  const row = (name: string): Entity => ({ id: 'a', name })
  let now: Entity | 'odd' = row('first')
  const reader: KindReader<Entity> = {
    ...{ kind: 'thing', service: 'compute', list: 'things', isBusy: () => false },
    async *all() {
      yield [row('first')]
    },
    some: async ({ unreadable }) => {
      if (now === 'odd') unreadable!('things', { id: 'a', fault: '"name" has an unexpected value' })
      return new Map([['a', now === 'odd' ? null : now]])
    },
    changedSince: async () => ['a'],
  }
  const stop = new AbortController()
  const intervals = { health: 20, poll: 20 }
  const told: string[] = []
  const counts: number[] = []
  for await (const item of createFeed({ reading: bare({}), readers: [reader], notifications: null, log, intervals }).follow(
    stop.signal,
  )) {
    if (item.op === 'health') counts.push(item.health.unreadable[0]?.count ?? 0)
    else told.push(item.op === 'put' ? String(item.entity['name']) : item.op)
    if (told.at(-1) === 'synced') now = 'odd'
    if (counts.at(-1) === 1) now = row('second')
    if (told.at(-1) === 'second' && counts.at(-1) === 0) stop.abort()
  }
  expect([...new Set(told)]).toEqual(['resync', 'first', 'synced', 'second'])
  expect(counts).toContain(1)
})
