import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@mainstay/contract/core/problems'
import { afterEach } from 'vitest'
import type { FeedHealth, FeedItem } from '../../ports/feed'
import type { Entity } from '../../ports/records'
import type { BusListener } from '../feed/bus'
import { createFeed } from '../feed/feed'
import type { FeedIntervals } from '../feed/intervals'
import type { Service } from '../client/service-client'
import type { KindReader, Reading } from '../kind-reader'
import { noLog } from './client-fixture'

/** Creates rows of one kind in a fake cloud, with their reader. */
export function fakeKind(
  kind: string,
  { service, tellsChanges, shownAs }: { service: Service; tellsChanges: boolean; shownAs?: (row: Entity) => unknown },
) {
  const rows = new Map<string, Entity>()
  const changedAt = new Map<string, number>()
  const its = {
    kind,
    rows,
    isDown: false,
    /** ID of a row that cannot be read. */
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
      throw new Problem('engine_unavailable', `The ${service} service does not respond`, { data: { service } })
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
    ...(shownAs && { shownAs }),
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

/**
 * Starts a cloud with three kinds of rows, a bus controlled by the test, and an index that applies the feed's items.
 */
export function startFeed(
  options: {
    bus?: boolean
    exchanges?: string[]
    intervals?: Partial<FeedIntervals>
    fill?: (cloud: Cloud) => void
    /** Returns the server data that volumes include; by default, the server's name. */
    serverShownAs?: (row: Entity) => unknown
  } = {},
) {
  const server = fakeKind('server', {
    ...{ service: 'compute', tellsChanges: true },
    ...(options.serverShownAs && { shownAs: options.serverShownAs }),
  })
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
    log: noLog,
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
    /** Whether the index has the same rows as the cloud. */
    isEqual: () =>
      Object.values(cloud).every(
        ({ kind, rows }) => JSON.stringify(sorted(rows)) === JSON.stringify(sorted(index.get(kind)!)),
      ),
  }
}
type Cloud = Record<'server' | 'volume' | 'image', ReturnType<typeof fakeKind>['its']>
const sorted = (rows: Map<string, Entity>) => [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1))

export async function until(look: () => unknown, patienceMs = 30_000): Promise<void> {
  const end = Date.now() + patienceMs
  while (!look()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${String(look)}`)
    await sleep(2)
  }
}

export const fill = ({ server, volume, image }: Cloud): void => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) server.put(id)
  volume.put('v1')
  image.put('m1')
}
export const countAll = (cloud: Cloud) => Object.values(cloud).reduce((sum, { reads }) => sum + reads.all, 0)
