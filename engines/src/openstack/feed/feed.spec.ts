import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Entity } from '../../ports/records'
import type { KindReader, Reading } from '../kind-reader'
import { noLog } from '../testing/client-fixture'
import { countAll, fakeKind, fill, startFeed, until } from '../testing/feed-fixture'
import { createFeed } from './feed'

test('sends all rows at startup, each kind between resync and synced', async () => {
  const { isEqual, items, health } = startFeed({ fill })
  await until(isEqual)
  await until(() => health()?.behind_ms !== null)
  for (const kind of ['server', 'volume', 'image']) {
    const ops = items.filter((item) => 'kind' in item && item.kind === kind).map(({ op }) => op)
    expect([ops[0], ops[ops.indexOf('synced') - 1]]).toEqual(['resync', 'put'])
  }
  expect(health()).toMatchObject({ by: 'polling' })
})

test('polls for changes if there is no bus, and fully reads a kind that cannot list its changes', async () => {
  const { cloud, isEqual } = startFeed({ fill })
  await until(isEqual)
  const { all } = cloud.server.reads
  cloud.server.put('a', { name: 'renamed' })
  cloud.server.remove('b')
  cloud.volume.put('v2')
  cloud.volume.remove('v1')
  await until(isEqual)
  expect(cloud.server.reads.all).toBe(all)
})

test('reads a changed row once for several notifications, and nothing else', async () => {
  const { cloud, isEqual, announce, health } = startFeed({ bus: true, fill })
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

test('polls a service that has no exchange until a notification arrives', async () => {
  const { cloud, isEqual, announce, health } = startFeed({ bus: true, exchanges: ['nova', 'openstack'], fill })
  await until(isEqual)
  await until(() => health()?.by === 'notifications')
  cloud.image.put('first of all')
  cloud.volume.put('first of all')
  await until(isEqual)
  // the notification arrives through another exchange
  announce('image.update', { id: 'm1' })
  await until(() => cloud.image.reads.some.includes('m1'))
  const { changes } = cloud.image.reads
  const { all } = cloud.volume.reads
  await until(() => cloud.volume.reads.all > all + 3)
  expect(cloud.image.reads.changes).toBeLessThanOrEqual(changes + 1)
})

test('refreshes rows that include the name of a renamed row', async () => {
  const { cloud, isEqual, announce, health } = startFeed({ bus: true, fill })
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

test('refreshes rows that include a property of another row when it changes, appears or disappears', async () => {
  const serverShownAs = ({ holder }: Entity) => holder
  const { cloud, isEqual, announce, health } = startFeed({ bus: true, fill, serverShownAs })
  const { some } = cloud.volume.reads
  cloud.server.put('a', { name: 'a', holder: 'x', shownBy: 'v1' })
  await until(() => health()?.by === 'notifications')
  await until(isEqual)
  const change = async (id: string, row: Record<string, unknown> | null) => {
    if (row) cloud.server.put(id, row)
    else cloud.server.remove(id)
    announce('instance.update', { uuid: id })
    await until(isEqual)
  }
  await change('a', { name: 'other', holder: 'x', shownBy: 'v1' })
  expect(some).toEqual([])
  // a different volume now includes the property
  await change('a', { name: 'other', holder: 'y', shownBy: 'v2' })
  await until(() => some.length === 2)
  expect(some.toSorted()).toEqual(['v1', 'v2'])
  await change('new', { name: 'new', holder: 'z', shownBy: 'v3' })
  await until(() => some.includes('v3'))
  await change('new', null)
  await until(() => some.filter((id) => id === 'v3').length === 2)
})

test('rereads a row that changes while it is being read', async () => {
  const { cloud, isEqual, announce } = startFeed({ bus: true, fill })
  await until(isEqual)
  for (let round = 0; round < 50; round++) {
    cloud.server.put('a', { round })
    announce('instance.update', { uuid: 'a' })
    await sleep(Math.random() * 4)
  }
  await until(isEqual)
})

test('rereads a busy row until it has settled, even without notifications', async () => {
  const { cloud, isEqual, announce } = startFeed({ bus: true, fill })
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

test('polls while the bus is down, and reads what was missed once it is back', async () => {
  const { cloud, isEqual, announce, busGoes, busComes, health, part } = startFeed({ bus: true, fill })
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

test('follows the cloud even if the bus never comes up', async () => {
  const { cloud, isEqual } = startFeed({ bus: false, fill })
  await until(isEqual)
  cloud.server.put('a', { name: 'renamed' })
  await until(isEqual)
})

test('reports a service that is down, delays only its kinds, and catches up afterwards', async () => {
  const { cloud, isEqual, announce, part, health } = startFeed({ bus: true, fill })
  await until(isEqual)
  const since = part('compute')!.since
  cloud.server.isDown = true
  cloud.server.put('a', { name: 'while it was down' })
  announce('instance.update', { uuid: 'a' })
  // the cloud sends no notification for this change
  cloud.server.remove('b')
  cloud.image.put('m2')
  announce('image.create', { id: 'm2' })
  await until(() => part('compute')?.reachable === false)
  expect(part('compute')).toMatchObject({ message: 'The compute service does not respond' })
  expect(part('compute')!.since >= since).toBe(true)
  expect(part('images')).toMatchObject({ reachable: true, message: null })
  await until(() => health()!.behind_ms! > 40)
  await sleep(60)
  cloud.server.isDown = false
  await until(() => part('compute')?.reachable)
  await until(isEqual)
  await until(() => health()!.behind_ms! < 30)
})

test('reads a service that is down at startup as soon as it comes up', async () => {
  const { cloud, isEqual, health, part } = startFeed({
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

test('follows a cloud that has been rolled back to an old database, at the next full read', async () => {
  const { cloud, isEqual } = startFeed({ bus: true, fill, intervals: { resync: 60 } })
  await until(isEqual)
  // without notifications: one row is older, one is gone, one is back
  cloud.server.rows.set('a', { id: 'a', status: 'ACTIVE', name: 'of yesterday' })
  cloud.server.rows.delete('b')
  cloud.server.rows.set('old', { id: 'old', status: 'SHUTOFF' })
  cloud.volume.rows.clear()
  await until(isEqual)
})

test('reads the other rows even if one cannot be read', async () => {
  const { cloud, index, announce } = startFeed({ bus: true, fill })
  await until(() => index.get('server')!.size === 5)
  cloud.server.broken = 'a'
  for (const id of ['a', 'b', 'c']) {
    cloud.server.put(id, { name: 'renamed' })
    announce('instance.update', { uuid: id })
  }
  await until(() => ['b', 'c'].every((id) => index.get('server')!.get(id)?.['name'] === 'renamed'))
})

test('slows readers down to the speed of the writer, and ends when aborted', async () => {
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
  const feed = createFeed({ reading: {} as Reading, readers: [reader], notifications: null, log: noLog })
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
