import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@mainstay/contract/core/problems'
import { afterEach, expect, test } from 'vitest'
import type { FeedHealth, FeedItem } from '../../ports/feed'
import type { Entity } from '../../ports/records'
import type { Service } from '../client/service-client'
import type { KindReader, Reading } from '../kind-reader'
import type { BusListener } from './bus'
import { createFeed } from './feed'
import type { FeedIntervals } from './intervals'

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Rows of one kind in a fake cloud, and how they are read there. */
function fakeKind(kind: string, { service, tellsChanges }: { service: Service; tellsChanges: boolean }) {
  const rows = new Map<string, Entity>()
  const changedAt = new Map<string, number>()
  const its = {
    kind,
    rows,
    isDown: false,
    /** What makes reading this row fail, as long as it is there. */
    broken: null as string | null,
    reads: { all: 0, changes: 0, some: [] as string[] },
    put(id: string, more: Record<string, unknown> = {}) {
      rows.set(id, { id, status: 'ACTIVE', ...more })
      changedAt.set(id, Date.now())
    },
    remove(id: string) {
      rows.delete(id)
      changedAt.set(id, Date.now())
    },
  }
  const orFail = (): void => {
    if (its.isDown)
      throw new Problem('engine_unavailable', `The ${service} service does not answer`, { data: { service } })
  }
  const reader: KindReader<Entity> = {
    kind,
    service,
    list: `${kind}s`,
    async *all() {
      its.reads.all++
      const ids = [...rows.keys()]
      for (let at = 0; at === 0 || at < ids.length; at += 2) {
        await sleep(1)
        orFail()
        yield ids.slice(at, at + 2).flatMap((id) => rows.get(id) ?? [])
      }
    },
    async some(_, ids) {
      its.reads.some.push(...ids)
      await sleep(1)
      orFail()
      if (its.broken !== null && ids.includes(its.broken)) throw new Error('this row cannot be read')
      return new Map(ids.map((id) => [id, rows.get(id) ?? null]))
    },
    isBusy: ({ status }) => String(status).endsWith('ING'),
    shownBy: ({ shownBy: id }) => (typeof id === 'string' ? [{ kind: 'volume', id }] : []),
    ...(tellsChanges && {
      async changedSince(_: Reading, since: Date) {
        its.reads.changes++
        await sleep(1)
        orFail()
        return [...changedAt].flatMap(([id, at]) => (at >= since.getTime() ? [id] : []))
      },
    }),
  }
  return { ...its, its, reader }
}

const running: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of running.splice(0)) await stop()
})

/** A cloud of three kinds, a bus that a test speaks on, and an index that is written as the feed says. */
function start(
  options: {
    bus?: boolean
    exchanges?: string[]
    intervals?: Partial<FeedIntervals>
    fill?: (cloud: Cloud) => void
  } = {},
) {
  const server = fakeKind('server', { service: 'compute', tellsChanges: true })
  const volume = fakeKind('volume', { service: 'volume', tellsChanges: false })
  const image = fakeKind('image', { service: 'image', tellsChanges: true })
  const cloud: Cloud = { server: server.its, volume: volume.its, image: image.its }
  options.fill?.(cloud)
  const index = new Map<string, Map<string, Entity>>([server, volume, image].map(({ kind }) => [kind, new Map()]))
  const told = new Map<string, Set<string>>()
  const items: FeedItem[] = []
  let health: FeedHealth | null = null
  let bus: BusListener | null = null
  let isBusUp = options.bus ?? false
  const exchanges = new Set(options.exchanges ?? ['nova', 'cinder', 'glance'])

  function write(item: FeedItem): void {
    items.push(item)
    if (item.op === 'health') health = item.health
    else if (item.op === 'resync') told.set(item.kind, new Set())
    else if (item.op === 'remove') index.get(item.kind)!.delete(item.id)
    else if (item.op === 'put') {
      told.get(item.kind)?.add(item.entity.id)
      index.get(item.kind)!.set(item.entity.id, item.entity)
    } else {
      for (const id of index.get(item.kind)!.keys()) if (!told.get(item.kind)!.has(id)) index.get(item.kind)!.delete(id)
    }
  }

  const controller = new AbortController()
  const feed = createFeed({
    reading: {} as Reading,
    readers: [server.reader, volume.reader, image.reader],
    notifications: options.bus === undefined ? null : 'amqp://bus/',
    log,
    intervals: {
      ...{
        debounce: 2,
        poll: 20,
        pollBeside: 60_000,
        overlap: 50,
        whole: 20,
        resync: 60_000,
        busy: 10,
        busyAtMost: 20,
      },
      ...{ retry: 10, retryAtMost: 30, outage: 40, health: 20, busAtStart: 200 },
      ...options.intervals,
    },
    async follow(_, listener, __, signal) {
      bus = listener
      if (isBusUp) listener.attached(exchanges)
      else listener.lost('connection refused')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  })
  const following = (async () => {
    for await (const item of feed.follow(controller.signal)) write(item)
  })()
  running.push(async () => {
    controller.abort()
    await following
  })

  return {
    cloud,
    index,
    items,
    health: () => health,
    part: (name: string) => health?.parts.find((it) => it.name === name),
    announce(event: string, payload: Record<string, unknown>) {
      if (isBusUp) bus?.heard({ event, payload })
    },
    busGoes() {
      isBusUp = false
      bus!.lost('The connection to the message bus ended')
    },
    busComes() {
      isBusUp = true
      bus!.attached(exchanges)
    },
    /** Row by row. */
    isEqual: () =>
      Object.values(cloud).every(
        ({ kind, rows }) => JSON.stringify(sorted(rows)) === JSON.stringify(sorted(index.get(kind)!)),
      ),
  }
}
type Cloud = Record<'server' | 'volume' | 'image', ReturnType<typeof fakeKind>['its']>
const sorted = (rows: Map<string, Entity>) => [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1))

async function until(look: () => unknown, patienceMs = 30_000): Promise<void> {
  const end = Date.now() + patienceMs
  while (!look()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${String(look)}`)
    await sleep(2)
  }
}

const fill = ({ server, volume, image }: Cloud): void => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) server.put(id)
  volume.put('v1')
  image.put('m1')
}
const countAll = (cloud: Cloud) => Object.values(cloud).reduce((sum, { reads }) => sum + reads.all, 0)

test('everything is told at the start, each kind between its beginning and its end', async () => {
  const { isEqual, items, health } = start({ fill })
  await until(isEqual)
  await until(() => health()?.behind_ms !== null)
  for (const kind of ['server', 'volume', 'image']) {
    const ops = items.filter((item) => 'kind' in item && item.kind === kind).map(({ op }) => op)
    expect([ops[0], ops[ops.indexOf('synced') - 1]]).toEqual(['resync', 'put'])
  }
  expect(health()).toMatchObject({ by: 'polling' })
})

test('without a bus changes are asked for, and a kind that cannot tell them is read again', async () => {
  const { cloud, isEqual } = start({ fill })
  await until(isEqual)
  const { all } = cloud.server.reads
  cloud.server.put('a', { name: 'renamed' })
  cloud.server.remove('b')
  cloud.volume.put('v2')
  cloud.volume.remove('v1')
  await until(isEqual)
  expect(cloud.server.reads.all).toBe(all)
})

test('what is announced is read anew, once for many words about it, and nothing else is', async () => {
  const { cloud, isEqual, announce, health } = start({ bus: true, fill })
  await until(isEqual)
  await until(() => health()?.by === 'notifications')
  const reads = countAll(cloud)
  cloud.server.put('a', { name: 'renamed' })
  for (let word = 0; word < 5; word++) announce('instance.update', { uuid: 'a' })
  await until(isEqual)
  cloud.server.remove('b')
  announce('instance.delete.end', { uuid: 'b' })
  await until(isEqual)
  expect(cloud.server.reads.some).toEqual(['a', 'b'])
  expect(countAll(cloud)).toBe(reads)
})

test('a service that nobody can hear yet is asked, until something of it is announced', async () => {
  const { cloud, isEqual, announce, health } = start({ bus: true, exchanges: ['nova', 'openstack'], fill })
  await until(isEqual)
  await until(() => health()?.by === 'notifications')
  cloud.image.put('first of all')
  cloud.volume.put('first of all')
  await until(isEqual)
  // by another exchange than its own
  announce('image.update', { id: 'm1' })
  await until(() => cloud.image.reads.some.includes('m1'))
  const { changes } = cloud.image.reads
  const { all } = cloud.volume.reads
  await until(() => cloud.volume.reads.all > all + 3)
  expect(cloud.image.reads.changes).toBeLessThanOrEqual(changes + 1)
})

test('what shows a row by its name is read with it when the name has changed', async () => {
  const { cloud, isEqual, announce, health } = start({ bus: true, fill })
  cloud.server.put('a', { name: 'before', shownBy: 'v1' })
  await until(() => health()?.by === 'notifications')
  await until(isEqual)
  cloud.server.put('a', { name: 'before', status: 'SHUTOFF', shownBy: 'v1' })
  announce('instance.update', { uuid: 'a' })
  await until(isEqual)
  expect(cloud.volume.reads.some).toEqual([])
  cloud.server.put('a', { name: 'after', shownBy: 'v1' })
  announce('instance.update', { uuid: 'a' })
  await until(() => cloud.volume.reads.some.length > 0)
  expect(cloud.volume.reads.some).toEqual(['v1'])
})

test('a change that comes while its row is being read is read again', async () => {
  const { cloud, isEqual, announce } = start({ bus: true, fill })
  await until(isEqual)
  for (let round = 0; round < 50; round++) {
    cloud.server.put('a', { round })
    announce('instance.update', { uuid: 'a' })
    await sleep(Math.random() * 4)
  }
  await until(isEqual)
})

test('a row that is on its way is asked for again until it has arrived, though nobody announces it', async () => {
  const { cloud, isEqual, announce } = start({ bus: true, fill })
  await until(isEqual)
  cloud.server.put('a', { status: 'STOPPING' })
  announce('instance.update', { uuid: 'a' })
  await until(isEqual)
  cloud.server.put('a', { status: 'SHUTOFF' })
  await until(isEqual)
  const reads = cloud.server.reads.some.length
  await sleep(50)
  expect(cloud.server.reads.some).toHaveLength(reads)
})

test('a bus that goes is replaced by asking, and what was missed is read when it is back', async () => {
  const { cloud, isEqual, announce, busGoes, busComes, health, part } = start({ bus: true, fill })
  await until(isEqual)
  busGoes()
  await until(() => part('notifications')?.reachable === false)
  expect(health()).toMatchObject({ by: 'polling' })
  expect(part('notifications')?.message).toContain('message bus')
  cloud.server.put('a', { name: 'while it was away' })
  cloud.volume.remove('v1')
  announce('instance.update', { uuid: 'a' })
  await until(isEqual)
  const { all } = cloud.image.reads
  busComes()
  await until(() => part('notifications')?.reachable === true && health()?.by === 'notifications')
  await until(() => cloud.image.reads.all > all)
  cloud.image.put('m2')
  announce('image.create', { id: 'm2' })
  await until(isEqual)
})

test('a bus that never comes up does not keep the cloud from being followed', async () => {
  const { cloud, isEqual } = start({ bus: false, fill })
  await until(isEqual)
  cloud.server.put('a', { name: 'renamed' })
  await until(isEqual)
})

test('a service that is down holds up its own kinds only, says so, and is made up for when it is back', async () => {
  const { cloud, isEqual, announce, part, health } = start({ bus: true, fill })
  await until(isEqual)
  const since = part('compute')!.since
  cloud.server.isDown = true
  cloud.server.put('a', { name: 'while it was down' })
  announce('instance.update', { uuid: 'a' })
  // of this one nobody hears
  cloud.server.remove('b')
  cloud.image.put('m2')
  announce('image.create', { id: 'm2' })
  await until(() => part('compute')?.reachable === false)
  expect(part('compute')).toMatchObject({ message: 'The compute service does not answer' })
  expect(part('compute')!.since >= since).toBe(true)
  expect(part('images')).toMatchObject({ reachable: true, message: null })
  await until(() => health()!.behind_ms! > 40)
  await sleep(60)
  cloud.server.isDown = false
  await until(() => part('compute')?.reachable)
  await until(isEqual)
  await until(() => health()!.behind_ms! < 30)
})

test('a service that is down from the start is read when it comes up', async () => {
  const { cloud, isEqual, health, part } = start({
    fill(it) {
      fill(it)
      it.volume.isDown = true
    },
  })
  await until(() => part('volumes')?.reachable === false)
  expect(health()?.behind_ms).toBeNull()
  cloud.volume.isDown = false
  await until(isEqual)
  await until(() => part('volumes')?.reachable && health()?.behind_ms !== null)
})

test('a cloud whose database is of yesterday is followed back there by the next full read', async () => {
  const { cloud, isEqual } = start({ bus: true, fill, intervals: { resync: 60 } })
  await until(isEqual)
  // nobody announces it: rows are as they were, some are gone, some are there again
  cloud.server.rows.set('a', { id: 'a', status: 'ACTIVE', name: 'of yesterday' })
  cloud.server.rows.delete('b')
  cloud.server.rows.set('old', { id: 'old', status: 'SHUTOFF' })
  cloud.volume.rows.clear()
  await until(isEqual)
})

test('a row that cannot be read keeps no other from being read', async () => {
  const { cloud, index, announce } = start({ bus: true, fill })
  await until(() => index.get('server')!.size === 5)
  cloud.server.broken = 'a'
  for (const id of ['a', 'b', 'c']) {
    cloud.server.put(id, { name: 'renamed' })
    announce('instance.update', { uuid: id })
  }
  await until(() => ['b', 'c'].every((id) => index.get('server')!.get(id)?.['name'] === 'renamed'))
})

test('who writes slowly holds those up who read, and the feed ends when it is told to', async () => {
  const cloud = fakeKind('server', { service: 'compute', tellsChanges: false })
  for (let id = 0; id < 5_000; id++) cloud.its.put(String(id).padStart(4, '0'))
  let given = 0
  const reader: KindReader<Entity> = {
    ...cloud.reader,
    async *all() {
      for (const row of cloud.rows.values()) {
        given++
        yield [row]
      }
    },
  }
  const controller = new AbortController()
  const feed = createFeed({ reading: {} as Reading, readers: [reader], notifications: null, log })
  let written = 0
  for await (const item of feed.follow(controller.signal)) {
    if (item.op === 'put' && ++written === 10) {
      await sleep(50)
      expect(given).toBeLessThan(3_000)
      controller.abort()
    }
  }
  expect(written).toBe(10)
})
