import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { locations } from '@mainstay/contract/infrastructure/locations'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { storageTiers } from '@mainstay/contract/infrastructure/tiers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { startServer, type TestServer } from '../../../server/src/testing/start-server'
import { openLocalLink } from '../hosts/local-link'
import { openCeph, type Ceph } from './ceph'
import { cephCommands, type CephCommands, type CephPlace } from './commands'

/* Tests the commands with a real Ceph cluster: `npm run test:ceph`. */

const conf = process.env['MAINSTAY_CEPH_CONF'] ?? ''
const place = { conf, keyring: null, user: 'client.admin' }
const host = hostname().split('.')[0]!
const folder = mkdtempSync(path.join(tmpdir(), 'mainstay-ceph-'))
let ceph: Ceph
let commands: CephCommands

beforeAll(() => {
  if (conf === '') throw new Error('No Ceph cluster is configured for the test. Start it with npm run test:ceph')
  ceph = openCeph(place)
  commands = cephCommands(place, openLocalLink)
})
afterAll(async () => {
  await commands.close()
  await ceph.close()
  rmSync(folder, { recursive: true })
})

it('reads the tier of the OSD: its space, and the protection of the pools on it', async () => {
  const [tier, ...others] = await ceph.tiers()
  expect(others).toEqual([])
  expect(tier).toMatchObject({ copies: 1, failure_domain: 'disk', encrypted: false })
  expect(tier!.device_classes).toHaveLength(1)
  expect(tier!.used).toBeGreaterThan(0)
  expect(tier!.free).toBeGreaterThan(1024 ** 3)
})

it('follows a device class that chooses the tier', async () => {
  const [{ device_classes: classes } = { device_classes: [] }] = await ceph.tiers()
  const setClass = async (name: string) => {
    await commands.change(['osd', 'crush', 'rm-device-class', 'osd.0'])
    await commands.change(['osd', 'crush', 'set-device-class', name, 'osd.0'])
  }
  await setClass('tier0')
  expect(await ceph.occupied()).toEqual([{ tier: 0, disks: 1, hosts: 1, racks: 1, rows: 1, rooms: 1 }])
  await setClass(classes[0]!)
})

it('refuses to remove a bucket that is not empty, and creates a bucket that exists only once', async () => {
  const room = { name: 'room-spec', type: 'room' }
  await ceph.addBucket(room, { name: 'default', type: 'root' })
  await ceph.addBucket(room, { name: 'default', type: 'root' })
  await ceph.addBucket({ name: 'rack-spec', type: 'rack' }, room)
  await expect(ceph.removeBucket('room-spec')).rejects.toMatchObject({ reason: 'not_empty' })
  await ceph.removeBucket('rack-spec')
  await ceph.removeBucket('room-spec')
  await ceph.removeBucket('room-spec')
  expect((await ceph.tree()).named('room-spec')).toBeUndefined()
})

describe('a cluster that cannot be used', () => {
  const fails = async (given: Partial<CephPlace>) => {
    const other = openCeph({ ...place, ...given })
    const began = performance.now()
    const error: unknown = await other.occupied().catch((thrown: unknown) => thrown)
    expect(performance.now() - began).toBeLessThan(20_000)
    await other.close()
    return error
  }
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text)
    return path.join(folder, name)
  }

  it('explains a missing configuration file', async () => {
    expect(await fails({ conf: path.join(folder, 'none.conf') })).toMatchObject({ code: 'engine_unavailable' })
  })

  it('explains monitors that do not respond', async () => {
    const away = file('away.conf', `[global]\nmon host = [v2:127.0.0.1:1/0]\nkeyring = ${path.join(folder, 'key')}\n`)
    file('key', '[client.admin]\n\tkey = AQD/V0pnAAAAABAAq1mYw3vH5yIY5Sj2vVZ3Qw==\n')
    expect(await fails({ conf: away })).toMatchObject({
      ...{ code: 'engine_unavailable', message: expect.stringMatching(/is not responding: /) as string },
    })
  })

  it('explains a key that is not accepted, and a user without permissions', async () => {
    const wrong = file('wrong', '[client.admin]\n\tkey = AQD/V0pnAAAAABAAq1mYw3vH5yIY5Sj2vVZ3Qw==\n')
    expect(await fails({ keyring: wrong })).toMatchObject({
      message: expect.stringMatching(/does not accept the user client\.admin/) as string,
    })
    const user = 'client.spec'
    const [made] = await commands.read(z.array(z.object({ key: z.string() })), [
      ...['auth', 'get-or-create', user, 'mon', 'allow command "mon stat"'],
    ])
    const keyring = file('limited', `[${user}]\n\tkey = ${made!.key}\n`)
    expect(await fails({ user, keyring })).toMatchObject({ code: 'unsupported' })
    await commands.change(['auth', 'rm', user])
  })
})

describe('with a server', () => {
  const as = 'superuser'
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ ceph })
  })
  afterAll(() => server.close())

  it('keeps locations and the CRUSH map the same, in both directions, and estimates a move', async () => {
    const tiers = (await server.call(storageTiers.list, { as })).tiers.filter(({ store }) => store === 'ceph')
    expect(tiers).toHaveLength(1)
    const here = (await server.call(nodes.list, { as })).data[0]!
    await server.tools.nodeWatch.close()
    await server.tools.inventory.transaction((tx) => tx.put('node', { ...here, host }))

    const room = await server.call(locations.create, { as, params: { level: 'rooms' }, body: { name: 'Hamburg' } })
    const [row] = await server.call(locations.createRows, { as, params: { id: room.id }, body: { name: 'A' } })
    const [rack] = await server.call(locations.createRacks, { as, params: { id: row!.id }, body: { name: 'A1' } })
    const move = { node_ids: [here.id], to: rack!.id }
    const estimate = await server.call(locations.estimateMove, { as, body: move })
    expect(estimate.hosts).toBe(1)
    expect(estimate.least).toBeGreaterThan(0)
    await server.call(locations.assignNodes, { as, params: { id: rack!.id }, body: { node_ids: [here.id] } })
    const tree = await ceph.tree()
    expect(tree.pathOf(tree.named(host)!).map(({ name }) => name)).toEqual([
      ...[host, `rack-${rack!.id}`, `row-${row!.id}`, `room-${room.id}`, 'default'],
    ])
    expect((await server.call(locations.estimateMove, { as, body: move })).hosts).toBe(0)

    // moved back with another tool
    await commands.change(['osd', 'crush', 'move', host, 'root=default'])
    await server.tools.scheduler.look()
    await expect
      .poll(async () => (await server.call(nodes.view, { as, params: { id: here.id } })).rackId, { timeout: 90_000 })
      .not.toBe(rack!.id)
    for (const [level, one] of [
      ['racks', rack!],
      ['rows', row!],
      ['rooms', room],
    ] as const)
      await server.call(locations.delete, { as, params: { level, id: one.id } })
    expect((await ceph.tree()).nodes.filter(({ type }) => ['room', 'row', 'rack'].includes(type))).toEqual([])
  })
})
