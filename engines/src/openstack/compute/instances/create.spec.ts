import { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import { networkRefusal } from '../../testing/fake-cloud/networks'
import { serverRefusal } from '../../testing/fake-cloud/servers'

let fixture: ComputeFixture
beforeEach(async () => {
  fixture = await startComputeFixture()
})
afterEach(() => fixture.close())

describe('creating instances', () => {
  test('returns the row with status BUILD immediately and starts a task', async () => {
    const [made] = await fixture.create({ description: 'The first', tags: ['blue'], metadata: { role: 'web' } })
    expect(made).toEqual(Instance.parse(made))
    expect(made).toMatchObject({
      ...{ name: 'web', description: 'The first', status: 'BUILD', task_state: 'scheduling', tags: ['blue'] },
      flavor: { id: 'f1', original_name: 'm1.nano', vcpus: 1, ram: 64 },
      ...{ metadata: { role: 'web' }, project_id: 'p-demo', user_id: 'u-demo', ha_enabled: false },
    })
    expect(fixture.indexed(made!.id)).toEqual(made)
    expect(fixture.begun).toMatchObject([{ name: 'compute.server.create', subject: { kind: 'server', id: made!.id } }])
    expect(fixture.makings()[0]).toMatchObject({ token: { user: { name: 'demo' } } })
  })

  test('creates the disks in boot order, with sizes in GiB', async () => {
    const disc = fixture.glance.add({ status: 'active', disk_format: 'iso', size: GiB + 1 })
    const existing = fixture.cinder.add({})
    const volumes = [
      { source: 'iso' as const, id: disc.id, boot_index: 0 },
      { source: 'blank' as const, size: 3 * GiB, boot_index: 7 },
      { source: 'volume' as const, id: existing.id },
    ]
    await fixture.create({ volumes })
    expect(fixture.makings()[0]!.server['block_device_mapping_v2']).toEqual([
      {
        ...{ source_type: 'image', uuid: disc.id, volume_size: 2, device_type: 'cdrom', boot_index: 0 },
        ...{ destination_type: 'volume', delete_on_termination: true },
      },
      {
        ...{ source_type: 'blank', volume_size: 3, boot_index: 1 },
        ...{ destination_type: 'volume', delete_on_termination: true },
      },
      {
        ...{ source_type: 'volume', uuid: existing.id, boot_index: -1 },
        ...{ destination_type: 'volume', delete_on_termination: false },
      },
    ])
  })

  test('numbers the instances of a request and returns them in that order', async () => {
    const made = await fixture.create({ name: 'many', count: 3 })
    expect(made.map(({ name }) => name)).toEqual(['many-1', 'many-2', 'many-3'])
    expect(fixture.makings()[0]!.server).toMatchObject({ min_count: 3, max_count: 3, return_reservation_id: true })
    expect(fixture.begun).toHaveLength(3)
  })

  test('passes user data on a config drive if the instance has no network', async () => {
    await fixture.create({ networks: [], user_data: 'IyEv\nYmlu' })
    expect(fixture.makings()[0]!.server).toMatchObject({ networks: 'none', user_data: 'IyEvYmlu', config_drive: true })
  })

  test('reserves a chosen address first, and releases it if the request is refused', async () => {
    const networks = (ip_address: string) => [{ id: 'n1', fixed_ips: [{ ip_address }], mac: '52:54:00:12:34:56' }]
    await fixture.create({ networks: networks('10.0.0.77') })
    const [port] = fixture.neutron.ports.values()
    expect(port).toMatchObject({ mac_address: '52:54:00:12:34:56', project_id: 'p-demo' })
    expect(fixture.makings()[0]!.server['networks']).toEqual([{ port: port!.id }])
    expect(await refusal(fixture.create({ networks: networks('10.0.0.77') }))).toMatchObject({
      code: 'ip_address_in_use',
      fields: { 'networks.0.fixed_ips': [expect.any(String)] },
    })
    expect(await refusal(fixture.create({ networks: networks('192.0.2.7') }))).toMatchObject({
      code: 'validation',
      fields: { 'networks.0.fixed_ips': [expect.any(String)] },
    })
    fixture.cloud.on('compute', 'POST', '/servers', () => serverRefusal(400, 'badRequest', 'Not this one'))
    expect(await refusal(fixture.create({ networks: networks('10.0.0.78') }))).toMatchObject({ code: 'validation' })
    expect([...fixture.neutron.ports.values()].map(({ id }) => id)).toEqual([port!.id])
  })

  test('uses an existing port that is free as a network interface, and does not delete it', async () => {
    await fixture.create({ networks: [{ id: 'n1', fixed_ips: [{ ip_address: '10.0.0.77' }] }] })
    const [port] = fixture.neutron.ports.values()
    const networks = [{ port_id: port!.id }]
    const refused = (why: string) => ({ fields: { 'networks.0.port_id': [why] } })
    port!.device_id = 'another machine'
    expect(await refusal(fixture.create({ networks }))).toMatchObject(refused('This port is in use'))
    port!.device_id = ''
    await fixture.create({ networks })
    expect(fixture.makings()[1]!.server['networks']).toEqual([{ port: port!.id }])
    expect(await refusal(fixture.create({ networks: [{ port_id: 'none' }] }))).toMatchObject(
      refused('This port does not exist'),
    )
    expect(fixture.neutron.ports.has(port!.id)).toBe(true)
  })

  test('changes the security groups of an existing port in the project, and restores them on failure', async () => {
    const port = fixture.neutron.add({ security_groups: ['before'], port_security_enabled: true } as object)
    const sent: unknown[] = []
    fixture.cloud.on('network', 'PUT', '/ports/:id', ({ params, body }) => {
      sent.push([params['id'], (body as { port: unknown }).port])
      return { body: {} }
    })
    const own = { port_id: port.id, security_groups: ['web'] }
    expect(await refusal(fixture.create({ networks: [own, { port_id: 'none' }] }))).toMatchObject({
      fields: { 'networks.1.port_id': ['This port does not exist'] },
    })
    expect(sent).toEqual([
      [port.id, { security_groups: ['web'] }],
      [port.id, { security_groups: ['before'], port_security_enabled: true }],
    ])
    await fixture.create({ networks: [own] })
    expect(sent).toHaveLength(3)
    const foreign = fixture.neutron.add({ project_id: 'somebody else' })
    expect(await refusal(fixture.create({ networks: [{ port_id: foreign.id }] }))).toMatchObject({
      fields: { 'networks.0.port_id': ['This port does not exist'] },
    })
  })

  test("refuses a chosen address on another project's network", async () => {
    const notTheirs = networkRefusal(403, 'PolicyNotAuthorized', '(rule:create_port) is disallowed by policy')
    fixture.cloud.on('network', 'POST', '/ports', () => notTheirs)
    const networks = [{ id: 'n1', fixed_ips: [{ ip_address: '10.0.0.77' }] }]
    expect(await refusal(fixture.create({ networks }))).toMatchObject({
      code: 'forbidden',
      fields: { 'networks.0.fixed_ips': ['Only the project that owns this network can choose addresses in it'] },
    })
  })

  test('names the volumes that the cloud creates for the instance', async () => {
    const [made] = await fixture.create()
    const server = fixture.nova.servers.get(made!.id)!
    const { id } = fixture.cinder.add({ name: '', size: 1 })
    fixture.nova.attach(server, id, '/dev/vda', true)
    const blank = fixture.cinder.add({ name: `${server.id}-blank-vol` })
    fixture.nova.attach(server, blank.id, '/dev/vdb', true)
    const named = fixture.cinder.add({ name: 'mine' })
    fixture.nova.attach(server, named.id, '/dev/vdc')
    Object.assign(server, { status: 'ACTIVE' })
    fixture.nova.task(server, null)
    await fixture.runTask()
    const names = [id, blank.id, named.id].map((volume) => fixture.cinder.volumes.get(volume)!.name)
    expect(names).toEqual(['web-boot', 'web-disk-2', 'mine'])
    expect(fixture.indexed(made!.id)).toMatchObject({
      volumes: [
        { id, name: 'web-boot', size: GiB, boot_index: 0, device: 'vda', delete_on_termination: true },
        { name: 'web-disk-2' },
        { name: 'mine' },
      ],
    })
  })

  test.each([
    ['flavor', { flavor: 'no-such-flavor' }],
    ['key_name', { key_name: 'no-such-key' }],
    ['networks.0.id', { networks: [{ id: 'no-such-network' }] }],
    ['volumes.0.id', { volumes: [{ source: 'image' as const, id: 'no-such-image', size: GiB }] }],
    ['volumes.0.id', { volumes: [{ source: 'volume' as const, id: 'no-such-volume', boot_index: 0 }] }],
  ])('refuses a missing object at %s and creates nothing', async (field, change) => {
    expect(await refusal(fixture.create(change))).toMatchObject({ fields: { [field]: [expect.any(String)] } })
    expect([fixture.makings(), [...fixture.neutron.ports]]).toEqual([[], []])
  })

  test("refuses user data above the cloud's limit, and states the limit", async () => {
    const script = (bytes: number) => ({ user_data: Buffer.alloc(bytes, '#').toString('base64') })
    expect(await refusal(fixture.create(script(48 * 1024)))).toMatchObject({
      fields: { user_data: ['The cloud accepts at most 65535 base64 characters'] },
    })
    await fixture.create(script(48 * 1024 - 3))
  })

  test('refuses images and sizes that do not fit, with an error on the field at fault', async () => {
    const disc = fixture.glance.add({ status: 'active', disk_format: 'iso', size: GiB })
    const large = fixture.glance.add({ status: 'active', disk_format: 'qcow2', virtual_size: 3 * GiB, min_ram: 4096 })
    const from = (id: string, size = 3 * GiB) => ({ volumes: [{ source: 'image' as const, id, size }] })
    expect(await refusal(fixture.create(from(disc.id)))).toMatchObject({
      fields: { 'volumes.0.id': [expect.any(String)] },
    })
    expect(await refusal(fixture.create(from(large.id, GiB)))).toMatchObject({
      fields: { 'volumes.0.size': ['This image requires at least 3 GiB'] },
    })
    expect(await refusal(fixture.create(from(large.id)))).toMatchObject({ fields: { flavor: [expect.any(String)] } })
    expect(await refusal(fixture.create({ count: 2, ...from(fixture.image().id, 600 * GiB) }))).toMatchObject({
      code: 'quota_exceeded',
      fields: { volumes: [expect.any(String)] },
      data: { resource: 'storage', limit: 1000 * GiB, used: GiB, requested: 1200 * GiB },
    })
  })
})
