import { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import type { FakeServer } from '../../testing/fake-cloud/servers'
import { instanceReader } from './reader'

let fixture: ComputeFixture
beforeEach(async () => {
  fixture = await startComputeFixture()
})
afterEach(() => fixture.close())

async function allRows(): Promise<Instance[]> {
  const rows: Instance[] = []
  for await (const page of instanceReader.all(fixture.engine.reading)) rows.push(...page)
  return rows
}

describe('instance reader', () => {
  test('combines a server with its volumes, network, port and image', async () => {
    const { id } = fixture.cinder.add({
      name: 'root',
      size: 2,
      volume_image_metadata: { image_id: 'i1', image_name: 'tiny', os_distro: 'debian', os_admin_user: 'root' },
    })
    const server = fixture.nova.add({ tags: ['blue'], 'OS-EXT-STS:task_state': 'a-new-one', status: 'NEWLY' })
    fixture.nova.attach(server, id, '/dev/vda', true)
    fixture.neutron.add({ device_id: server.id, device_owner: 'compute:nova' })
    fixture.neutron.add({ device_id: server.id, device_owner: 'network:dhcp' })
    const [row] = await allRows()
    expect(row).toEqual(Instance.parse(row))
    expect(row).toMatchObject({
      ...{ status: 'UNKNOWN', task_state: null, host: 'node-1', host_status: 'UP' },
      ...{ image_id: 'i1', image_name: 'tiny', os_distro: 'debian', username: 'root' },
      volumes: [{ id, name: 'root', size: 2 * GiB, boot_index: 0, device: 'vda', delete_on_termination: true }],
      networks: [{ id: 'n1', name: 'private' }],
      network_data: [{ network_id: 'n1', network_name: 'private', fixed_ips: [{ ip_address: '10.0.0.10' }] }],
      statistics: { metrics: { block_capacity: 2 * GiB } },
    })
    expect((await instanceReader.some(fixture.engine.reading, [server.id, 'gone'])).get(server.id)).toEqual(row)
  })

  test('includes the fault of an instance in the error state', async () => {
    const { id } = await fixture.add({
      status: 'ERROR',
      fault: { code: 500, message: 'No valid host was found. ', created: '2026-11-21T20:00:03Z' },
    })
    expect(fixture.indexed(id)).toMatchObject({
      fault: { code: 'no_valid_host', message: 'No valid host was found. ' },
    })
  })

  test('rereads an instance in the error state for a minute, until its fault is known', async () => {
    const [now, before] = [Date.now(), Date.now() - 61_000].map((at) => new Date(at).toISOString().slice(0, 19) + 'Z')
    const isAsked = async (change: Partial<FakeServer>) => {
      const { id } = fixture.nova.add(change)
      const row = (await instanceReader.some(fixture.engine.reading, [id])).get(id)!
      return instanceReader.isBusy(row)
    }
    const fault = { code: 500, message: 'No valid host was found. ', created: now! }
    expect(await isAsked({ status: 'ERROR', updated: now! })).toBe(true)
    expect(await isAsked({ status: 'ERROR', updated: before! })).toBe(false)
    expect(await isAsked({ status: 'ERROR', updated: now!, fault })).toBe(false)
    expect(await isAsked({ status: 'ACTIVE', updated: now! })).toBe(false)
  })

  test('returns null for deleted and soft-deleted servers', async () => {
    const [deleted, soft] = [fixture.nova.add({ status: 'DELETED' }), fixture.nova.add({ status: 'SOFT_DELETED' })]
    const found = await instanceReader.some(fixture.engine.reading, [deleted.id, soft.id, 'gone'])
    expect([...found.values()]).toEqual([null, null, null])
    expect(await allRows()).toEqual([])
  })

  test('keeps a server in an unreachable cell, with only a few fields', async () => {
    const { id } = fixture.nova.add()
    const bare: Record<string, unknown> = {
      id,
      status: 'UNKNOWN',
      tenant_id: 'p-demo',
      created: '2026-11-21T20:00:00Z',
    }
    fixture.nova.servers.set(id, bare as FakeServer)
    const row = (await instanceReader.some(fixture.engine.reading, [id])).get(id)
    expect(row).toMatchObject({ id, status: 'UNKNOWN', volumes: [] })
    expect(row).toEqual(Instance.parse(row))
  })

  test('lists servers changed since a given time, including deleted ones', async () => {
    const { id } = fixture.nova.add()
    const since = new Date('2026-11-21T20:00:00Z')
    expect(await instanceReader.changedSince!(fixture.engine.reading, since)).toEqual([id])
    expect(fixture.cloud.received.at(-1)!.query.get('changes-since')).toBe(since.toISOString())
  })
})
