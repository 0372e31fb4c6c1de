import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FeedHealth } from '../../ports/feed'
import type { Entity } from '../../ports/records'
import { Secret } from '../../ports/secret'
import type { ServiceClient } from '../client/service-client'
import { createCloud, type Cloud } from '../client/cloud'
import { imageReader } from '../compute/images/shape'
import { instanceReader } from '../compute/instances/reader'
import type { KindReader, Reading } from '../kind-reader'
import { networkReader } from '../networking/networks/reader'
import { volumeReader } from '../storage/volumes/shape'
import { startFaultProxy, type Fault, type FaultProxy } from '../testing/fault-proxy'
import { noLog } from '../testing/client-fixture'
import { startFakeCloud, type FakeCloud } from '../testing/fake-cloud/cloud'
import { fakeImages, type FakeImages } from '../testing/fake-cloud/images'
import { fakeNetworks } from '../testing/fake-cloud/networks'
import { fakeCompute } from '../testing/fake-cloud/compute'
import type { FakeServer, FakeServers } from '../testing/fake-cloud/servers'
import { fakeVolumes, type FakeVolumes } from '../testing/fake-cloud/volumes'
import { createFeed } from './feed'

/* Runs the feed between a fake cloud and an in-memory index, and injects faults between the feed and the cloud. */

const readers = [instanceReader, volumeReader, imageReader, networkReader] as readonly KindReader<Entity>[]

let fake: FakeCloud
let nova: FakeServers
let cinder: FakeVolumes
let glance: FakeImages
let gone: { id: string; name: string }[]
let proxy: FaultProxy
let direct: Cloud
let through: Cloud
let health: FeedHealth | null
let index: Map<string, Entity>
let stop: () => Promise<void>

const callerOf = (cloud: Cloud): ServiceClient => {
  const user = { name: 'mainstay', domain: { id: 'default' } }
  return cloud.callerFor(
    cloud.passwordTokens({ user, password: new Secret('service-secret') }, { project: { id: 'p-admin' } }),
  )
}
const readingOf = (caller: ServiceClient): Reading => ({ caller, domainOf: async () => 'default' })

/** Deadlines, shorter than the usual 30 s. The longer one gives a healthy cloud enough time on a busy machine. */
const [usualMs, ofSilenceMs] = [10_000, 500]
let deadlineMs = usualMs
const impatient = (caller: ServiceClient): ServiceClient => ({
  ...caller,
  get: (service, path, schema, options) => caller.get(service, path, schema, { ...options, deadlineMs }),
  pages: (service, path, key, item, options) => caller.pages(service, path, key, item, { ...options, deadlineMs }),
})

async function heal(): Promise<void> {
  await proxy.heal()
  deadlineMs = usualMs
}

beforeEach(async () => {
  deadlineMs = usualMs
  fake = await startFakeCloud()
  cinder = fakeVolumes(fake)
  nova = fakeCompute(fake, cinder)
  glance = fakeImages(fake)
  fakeNetworks(fake)
  const network = { id: 'n1', name: 'private', status: 'ACTIVE', project_id: 'p-demo' }
  fake.list('network', '/networks', 'networks', [network])
  fake.on('network', 'GET', '/networks/:id', () => ({ body: { network } }))
  fake.list('network', '/subnets', 'subnets', [])
  fake.list('network', '/rbac-policies', 'rbac_policies', [])
  // lists of changes include deleted servers
  gone = []
  fake.on('compute', 'GET', '/servers', ({ query }) => ({
    body: { servers: [...nova.servers.values(), ...(query.has('changes-since') ? gone : [])] },
  }))
  glance.add({ name: 'boots', status: 'active' })
  for (const name of ['web', 'db', 'mail']) nova.attach(nova.add({ name }), cinder.add({ name }).id, '/dev/vda')
  proxy = await startFaultProxy(fake.endpoints)
  direct = createCloud({ authUrl: fake.authUrl, log: noLog })
  through = createCloud({ authUrl: proxy.authUrl, overrides: proxy.overrides, log: noLog, restMs: 50 })
  index = new Map()
  health = null
  stop = follow()
  await until(isEqual)
})
afterEach(async () => {
  await stop()
  await through.close()
  await direct.close()
  await proxy.close()
  await fake.close()
})

function follow(): () => Promise<void> {
  const controller = new AbortController()
  const feed = createFeed({
    reading: readingOf(impatient(callerOf(through))),
    readers,
    notifications: null,
    log: noLog,
    intervals: {
      ...{ poll: 40, overlap: 200, whole: 40, resync: 60_000, busy: 20, retry: 20, retryAtMost: 60 },
      ...{ outage: 100, health: 20 },
    },
  })
  const told = new Map<string, Set<string>>()
  const [begun, read, seen] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  /** Mirrors the server: drops observations that are older than the row's last observation or the last full read. */
  const isNews = (kind: string, row: string, observedAt: number): boolean => {
    if (observedAt < Math.max(read.get(kind) ?? 0, seen.get(row) ?? 0)) return false
    seen.set(row, observedAt)
    return true
  }
  const running = (async () => {
    for await (const item of feed.follow(controller.signal)) {
      if (item.op === 'health') health = item.health
      else if (item.op === 'resync') {
        told.set(item.kind, new Set())
        begun.set(item.kind, item.observed_at!)
      } else if (item.op === 'remove') {
        const row = `${item.kind}/${item.id}`
        if (isNews(item.kind, row, item.observed_at!)) index.delete(row)
      } else if (item.op === 'put') {
        const row = `${item.kind}/${item.entity.id}`
        told.get(item.kind)?.add(row)
        if (isNews(item.kind, row, item.observed_at!)) index.set(row, item.entity)
      } else if (item.op === 'synced') {
        for (const row of index.keys())
          if (row.startsWith(`${item.kind}/`) && !told.get(item.kind)!.has(row)) index.delete(row)
        read.set(item.kind, begun.get(item.kind)!)
      }
    }
  })()
  return async () => {
    controller.abort()
    await running
  }
}

/** Returns all rows in the cloud, read without going through the proxy. */
async function truth(): Promise<Map<string, Entity>> {
  const rows = new Map<string, Entity>()
  const reading = readingOf(callerOf(direct))
  for (const reader of readers)
    for await (const page of reader.all(reading)) for (const row of page) rows.set(`${reader.kind}/${row.id}`, row)
  return rows
}

/** Compares the index with the cloud, row by row. */
async function isEqual(): Promise<boolean> {
  const [ours, theirs] = [index, await truth()].map((rows) => JSON.stringify([...rows].toSorted(byKey)))
  return ours === theirs && index.size > 0
}
const byKey = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1)

async function until(look: () => unknown, patienceMs = 30_000): Promise<void> {
  const end = Date.now() + patienceMs
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${String(look)}`)
    await sleep(10)
  }
}

const part = (name: string) => health?.parts.find((it) => it.name === name)
const someServer = (): FakeServer => [...nova.servers.values()][0]!

/** Changes some objects of each kind. */
function changeAll(): void {
  const [renamed, removed] = [...nova.servers.values()]
  renamed!.name = 'renamed'
  nova.servers.delete(removed!.id)
  gone.push(removed!)
  nova.add({ name: 'new' })
  cinder.add({ name: 'new' })
  glance.add({ name: 'new', status: 'active' })
}

const faults: [string, Fault][] = [
  ['refuses connections', { kind: 'refuse' }],
  ['closes the connection in the middle of its responses', { kind: 'reset' }],
  ['stops in the middle of its responses', { kind: 'hang' }],
  ['is slow', { kind: 'slow', ms: 2_000 }],
  ['returns 503', { kind: 'status', status: 503 }],
  ['returns a web page', { kind: 'html' }],
  ['returns half a response', { kind: 'half' }],
  ['returns a list of versions', { kind: 'versions' }],
]

describe.each(faults)('a cloud whose service %s', (_, fault) => {
  test('recovers with an index that matches the cloud', async () => {
    deadlineMs = ofSilenceMs
    await proxy.fault('compute', fault)
    await until(() => part('compute')?.reachable === false)
    changeAll()
    // other services are not affected
    const { id } = glance.add({ name: 'meanwhile', status: 'active' })
    await until(() => index.has(`image/${id}`))
    await until(() => part('images')?.reachable)
    expect(index.has(`server/${someServer().id}`)).toBe(true)
    await heal()
    await until(() => part('compute')?.reachable)
    await until(isEqual)
  })
})

test.each([
  ['volume', 'volumes'],
  ['image', 'images'],
  ['network', 'networks'],
] as const)('reports the %s service as down, and updates the index after recovery', async (service, name) => {
  deadlineMs = ofSilenceMs
  await proxy.fault(service, { kind: 'refuse' })
  await until(() => part(name)?.reachable === false)
  changeAll()
  await sleep(150)
  await heal()
  await until(() => part(name)?.reachable)
  await until(isEqual)
})

test('renews a token that expires during a full read, without losing rows', async () => {
  await proxy.fault('volume', { kind: 'expire' }, { times: 1 })
  changeAll()
  await until(isEqual)
})

test('recovers from an outage after which the cloud runs on an old copy of its database', async () => {
  const yesterday = structuredClone([...nova.servers])
  changeAll()
  await until(isEqual)
  deadlineMs = ofSilenceMs
  await proxy.faultAll({ kind: 'refuse' })
  await until(() => part('compute')?.reachable === false)
  const before = index.size
  nova.servers.clear()
  for (const [id, server] of yesterday) nova.servers.set(id, server)
  await sleep(150)
  expect(index.size).toBe(before)
  await heal()
  await until(isEqual)
})

test('dates a delayed response by the time of its request, so that deleted rows do not reappear', async () => {
  const disk = cinder.add({ name: 'disk' })
  const ofDisk = new RegExp(`/volumes/${disk.id}$`)
  let isAsked = false
  // paths are tested when a call arrives, so this records that the disk has been requested
  const path = Object.assign(new RegExp(ofDisk), {
    test: (text: string) => (isAsked ||= ofDisk.test(text)) && ofDisk.test(text),
  })
  await proxy.fault('volume', { kind: 'slow', ms: 2_000 }, { path, times: 1 })
  const added = nova.add({ name: 'new' })
  nova.attach(added, disk.id, '/dev/vda')
  // the disk is read after its server has been read
  await until(() => isAsked)
  nova.servers.delete(added.id)
  deadlineMs = ofSilenceMs
  await proxy.fault('compute', { kind: 'refuse' })
  await until(() => part('compute')?.reachable === false)
  await proxy.heal('compute')
  await until(() => part('compute')?.reachable)
  await until(() => proxy.passed.some((call) => ofDisk.test(call.path)))
  await sleep(100)
  await until(isEqual)
})
