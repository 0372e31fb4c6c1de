import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  activeImage,
  can,
  gone,
  instanceDraft,
  refusal,
  settled,
  suiteOf,
  until,
  type CloudUnderTest,
  type StartCloud,
} from './cloud'
import { unhurried } from './instance-scene'

/** What every engine must do with instances. */
export function describeInstances(start: StartCloud): void {
  describe(suiteOf('instances'), () => {
    let cloud: CloudUnderTest
    let image: Image

    const create = async (change: Parameters<typeof instanceDraft>[2] = {}, scope = cloud.member) =>
      (await cloud.compute.instances.create(scope, instanceDraft(cloud, image, change)))[0]!
    const running = async (change: Parameters<typeof instanceDraft>[2] = {}) =>
      settled(cloud, (await create(change)).id, 'ACTIVE')

    beforeAll(async () => {
      cloud = await start()
      image = await activeImage(cloud)
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    test(
      'a created instance is answered in BUILD and becomes active with a volume and an address',
      unhurried,
      async () => {
        const built = await create({ name: 'first', tags: ['blue'], description: 'The first' })
        expect(built).toMatchObject({
          name: 'first',
          status: 'BUILD',
          tags: ['blue'],
          project_id: cloud.member.project_id,
        })
        const row = await settled(cloud, built.id, 'ACTIVE')
        expect(row.volumes).toMatchObject([{ size: GiB, boot_index: 0, device: 'vda', delete_on_termination: true }])
        expect(row.network_data).toMatchObject([
          { network_id: cloud.network, mac_addr: expect.stringMatching(/^([\da-f]{2}:){5}[\da-f]{2}$/) },
        ])
        expect(row.network_data[0]!.fixed_ips).toHaveLength(1)
        const volume = await cloud.row<Volume>('volume', row.volumes[0]!.id)
        expect(volume).toMatchObject({
          status: 'in-use',
          bootable: true,
          attachments: [{ server_id: row.id, device: 'vda' }],
        })
        await cloud.compute.instances.delete(cloud.member, row.id, null)
        await gone(cloud, 'server', row.id)
        await gone(cloud, 'volume', volume!.id)
      },
    )

    test('several instances of one call get numbered names and addresses of their own', unhurried, async () => {
      const made = await cloud.compute.instances.create(
        cloud.member,
        instanceDraft(cloud, image, { name: 'many', count: 3 }),
      )
      expect(made.map(({ name }) => name)).toEqual(['many-1', 'many-2', 'many-3'])
      const rows = await Promise.all(made.map(({ id }) => settled(cloud, id, 'ACTIVE')))
      const addresses = rows.map((row) => row.network_data[0]!.fixed_ips[0]!.ip_address)
      expect(new Set(addresses).size).toBe(3)
      for (const { id } of rows) await cloud.compute.instances.delete(cloud.member, id, null)
      for (const { id } of rows) await gone(cloud, 'server', id)
    })

    test('a stopped instance is SHUTOFF and becomes ACTIVE when it is started', unhurried, async () => {
      const { id } = await running({ name: 'power' })
      const stopping = await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      expect(stopping.task_state).toBe('powering-off')
      await settled(cloud, id, 'SHUTOFF')
      expect(
        await refusal(cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })),
      ).toMatchObject({
        code: 'invalid_state',
        data: { status: 'SHUTOFF' },
      })
      await cloud.compute.instances.start(cloud.member, id)
      await settled(cloud, id, 'ACTIVE')
      await cloud.compute.instances.pause(cloud.member, id)
      await settled(cloud, id, 'PAUSED')
      await cloud.compute.instances.unpause(cloud.member, id)
      await settled(cloud, id, 'ACTIVE')
      await cloud.compute.instances.suspend(cloud.member, id)
      await settled(cloud, id, 'SUSPENDED')
      await cloud.compute.instances.resume(cloud.member, id)
      await settled(cloud, id, 'ACTIVE')
      const rebooting = await cloud.compute.instances.reboot(cloud.member, id, { hard: true })
      expect(rebooting).toMatchObject({
        status: 'HARD_REBOOT',
        task_state: expect.stringMatching(/^(rebooting_hard|reboot_(pending|started)_hard)$/),
      })
      await settled(cloud, id, 'ACTIVE')
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
    })

    test('a guest obeys the power button, on shutting down as on rebooting', unhurried, async () => {
      const { id } = await running({ name: 'obeys' })
      await until('the guest to be up', async () =>
        /ready/.test((await cloud.compute.instances.consoleLog(cloud.member, id, 100_000)).toString()),
      )
      expect(await cloud.compute.instances.reboot(cloud.member, id, { hard: false })).toMatchObject({
        status: 'REBOOT',
      })
      await settled(cloud, id, 'ACTIVE')
      await cloud.compute.instances.stop(cloud.member, id, { hard: false, timeoutSeconds: 60 })
      await settled(cloud, id, 'SHUTOFF')
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
    })

    test(
      'a shutdown that is waited for as long as it takes can be cancelled, where the engine can wait',
      unhurried,
      async () => {
        const { id } = await running({ name: 'fault-acpi' })
        const { instances } = cloud.compute
        const waiting = { hard: false, timeoutSeconds: -1 }
        await instances.pause(cloud.member, id)
        await settled(cloud, id, 'PAUSED')
        await instances.unpause(cloud.member, id)
        await settled(cloud, id, 'ACTIVE')
        if (can(cloud, 'cancelShutdown')) {
          await instances.stop(cloud.member, id, waiting)
          expect(await refusal(instances.start(cloud.member, id))).toMatchObject({ code: 'invalid_state' })
          const kept = await instances.cancelStop(cloud.member, id)
          expect(kept).toMatchObject({ status: 'ACTIVE', task_state: null })
          await instances.stop(cloud.member, id, waiting)
        } else {
          expect(await refusal(instances.stop(cloud.member, id, waiting))).toMatchObject({ code: 'unsupported' })
          expect(await refusal(instances.cancelStop(cloud.member, id))).toMatchObject({ code: 'unsupported' })
        }
        await instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
        await settled(cloud, id, 'SHUTOFF')
        await instances.delete(cloud.member, id, null)
        await gone(cloud, 'server', id)
      },
    )

    test('volumes and network cards come and go while it runs and while it is off', unhurried, async () => {
      const { id } = await running({ name: 'grows' })
      await until('the guest to be up', async () =>
        /ready/.test((await cloud.compute.instances.consoleLog(cloud.member, id, 100_000)).toString()),
      )
      const { id: volumeId } = await cloud.compute.volumes.create(cloud.member, {
        name: 'extra',
        description: '',
        size: GiB,
        image_id: null,
        bootable: false,
      })
      const volumeIs = (status: string) =>
        until(`the volume to be ${status}`, async () => {
          const row = await cloud.row<Volume>('volume', volumeId)
          return row?.status === status ? row : null
        })
      await volumeIs('available')
      for (const power of ['on', 'off'] as const) {
        if (power === 'off') {
          await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
          await settled(cloud, id, 'SHUTOFF')
        }
        const attached = await cloud.compute.instances.attachVolume(cloud.member, id, volumeId, false)
        expect(attached.volumes.map(({ device }) => device)).toEqual(['vda', 'vdb'])
        await volumeIs('in-use')
        expect(await refusal(cloud.compute.instances.attachVolume(cloud.member, id, volumeId, false))).toMatchObject({
          code: 'volume_in_use',
        })
        expect(await refusal(cloud.compute.volumes.delete(cloud.member, volumeId))).toMatchObject({
          code: 'volume_in_use',
        })
        const larger = (power === 'on' ? 2 : 3) * GiB
        await cloud.compute.volumes.extend(cloud.member, volumeId, larger)
        expect(await volumeIs('in-use')).toMatchObject({ size: larger, fault: null })
        await cloud.compute.instances.detachVolume(cloud.member, id, volumeId)
        expect(await volumeIs('available')).toMatchObject({ attachments: [] })
        await until('the disk to be gone', async () => (await cloud.row<Instance>('server', id))!.volumes.length === 1)

        const carded = await cloud.compute.instances.attachInterface(cloud.member, id, {
          id: cloud.network,
          fixed_ips: [],
          mac: null,
        })
        const port = carded.network_data[1]!
        await until('the card to be there', async () => (await cloud.compute.stat(cloud.operator)).servers.total > 0)
        await cloud.compute.instances.detachInterface(cloud.member, id, port.port_id)
        await until(
          'the card to be gone',
          async () => (await cloud.row<Instance>('server', id))!.network_data.length === 1,
        )
      }
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
      await volumeIs('available')
      await cloud.compute.volumes.delete(cloud.member, volumeId)
      await gone(cloud, 'volume', volumeId)
    })

    test('the volume that a running instance boots from cannot be taken away', unhurried, async () => {
      const { id, volumes } = await running({ name: 'boots' })
      expect(await refusal(cloud.compute.instances.detachVolume(cloud.member, id, volumes[0]!.id))).toMatchObject({
        code: 'volume_in_use',
      })
      await cloud.compute.instances.delete(cloud.member, id, [])
      await gone(cloud, 'server', id)
      await until(
        'the volume to be free',
        async () => (await cloud.row<Volume>('volume', volumes[0]!.id))?.status === 'available',
      )
      const again = await running({
        name: 'boots-again',
        volumes: [{ source: 'volume', id: volumes[0]!.id, boot_index: 0 }],
      })
      await cloud.compute.instances.delete(cloud.member, again.id, [volumes[0]!.id])
      await gone(cloud, 'server', again.id)
      await gone(cloud, 'volume', volumes[0]!.id)
    })

    test('a chosen address is given once, and only one of the subnet', unhurried, async () => {
      const address = cloud.address(77)
      const networks = (ip_address: string) => [{ id: cloud.network, fixed_ips: [{ ip_address }] }]
      const row = await running({ name: 'chosen', networks: networks(address) })
      expect(row.network_data[0]!.fixed_ips[0]!.ip_address).toBe(address)
      expect(await refusal(create({ name: 'chosen too', networks: networks(address) }))).toMatchObject({
        code: 'ip_address_in_use',
        fields: { 'networks.0.fixed_ips': [expect.any(String)] },
      })
      expect(await refusal(create({ name: 'elsewhere', networks: networks('192.0.2.7') }))).toMatchObject({
        code: 'validation',
        fields: { 'networks.0.fixed_ips': [expect.any(String)] },
      })
      await cloud.compute.instances.delete(cloud.member, row.id, null)
      await gone(cloud, 'server', row.id)
      const second = await create({ name: 'chosen again', networks: networks(address) })
      await settled(cloud, second.id, 'ACTIVE')
      await cloud.compute.instances.delete(cloud.member, second.id, null)
      await gone(cloud, 'server', second.id)
    })

    test('a stopped instance gets another flavor and keeps its power state', unhurried, async () => {
      const { id } = await running({ name: 'resized' })
      expect(await refusal(cloud.compute.instances.resize(cloud.member, id, cloud.largerFlavor))).toMatchObject({
        code: 'invalid_state',
      })
      await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      await settled(cloud, id, 'SHUTOFF')
      await cloud.compute.instances.resize(cloud.member, id, cloud.largerFlavor)
      expect((await settled(cloud, id, 'SHUTOFF')).flavor.id).toBe(cloud.largerFlavor)
      expect(await refusal(cloud.compute.instances.resize(cloud.member, id, 'no-such-flavor'))).toMatchObject({
        fields: { flavor: expect.anything() },
      })
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
    })

    test('name, description and tags change at once', unhurried, async () => {
      const { id } = await running({ name: 'before' })
      expect(
        await cloud.compute.instances.update(cloud.member, id, { name: 'after', description: 'New' }),
      ).toMatchObject({ name: 'after', description: 'New' })
      expect((await cloud.compute.instances.setTag(cloud.member, id, 'red')).tags).toEqual(['red'])
      expect((await cloud.compute.instances.setTag(cloud.member, id, 'red')).tags).toEqual(['red'])
      expect((await cloud.compute.instances.removeTag(cloud.member, id, 'red')).tags).toEqual([])
      expect(await refusal(cloud.compute.instances.removeTag(cloud.member, id, 'red'))).toMatchObject({
        code: 'not_found',
      })
      const stat = await cloud.compute.instances.stat(cloud.member, id)
      expect(stat).toMatchObject({ block_capacity: GiB, disks: [expect.anything()] })
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
    })

    test('the screen of a running instance speaks RFB, and there is none of a stopped one', unhurried, async () => {
      const { id } = await running({ name: 'screen' })
      const screen = await cloud.compute.instances.openScreen(cloud.member, id)
      const hello = await new Promise<Buffer>((resolve, reject) =>
        screen.stream.once('data', resolve).once('error', reject),
      )
      expect(hello.toString('latin1')).toMatch(/^RFB 003\.00\d\n/)
      screen.close()
      await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      await settled(cloud, id, 'SHUTOFF')
      expect(await refusal(cloud.compute.instances.openScreen(cloud.member, id))).toMatchObject({
        code: 'console_unavailable',
      })
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
    })

    test(
      'another project gets the same answer as for what is not there, an operator acts on everything',
      unhurried,
      async () => {
        const { id } = await running({ name: 'private' })
        const { instances } = cloud.compute
        const calls = [
          (scope: typeof cloud.member) => instances.update(scope, id, { name: 'mine now' }),
          (scope: typeof cloud.member) => instances.delete(scope, id, null),
          (scope: typeof cloud.member) => instances.stop(scope, id, { hard: true, timeoutSeconds: 0 }),
          (scope: typeof cloud.member) => instances.setTag(scope, id, 'seen'),
          (scope: typeof cloud.member) => instances.openScreen(scope, id),
          (scope: typeof cloud.member) => instances.consoleLog(scope, id, 100),
          (scope: typeof cloud.member) => instances.stat(scope, id),
          (scope: typeof cloud.member) => instances.resetState(scope, id, null),
          (scope: typeof cloud.member) =>
            instances.attachInterface(scope, id, { id: cloud.network, fixed_ips: [], mac: null }),
        ]
        for (const call of calls) expect(await refusal(call(cloud.stranger))).toMatchObject({ code: 'not_found' })
        expect(await refusal(instances.start(cloud.member, 'no-such-id'))).toMatchObject({ code: 'not_found' })
        expect(await instances.setTag(cloud.operator, id, 'seen')).toMatchObject({ tags: ['seen'] })
        expect(await instances.resetState(cloud.operator, id, 'error')).toMatchObject({ status: 'ERROR' })
        expect(await instances.resetState(cloud.operator, id, null)).toMatchObject({ status: 'ACTIVE', fault: null })
        await instances.delete(cloud.member, id, null)
        await gone(cloud, 'server', id)
      },
    )

    test('what a draft names and is not there is refused at its field, and nothing is made', async () => {
      const before = await cloud.compute.quotas(cloud.member, cloud.member.project_id)
      const refused = async (change: Parameters<typeof instanceDraft>[2], field: string) =>
        expect(await refusal(create(change))).toMatchObject({ fields: { [field]: [expect.any(String)] } })
      await refused({ flavor: 'no-such-flavor' }, 'flavor')
      await refused({ key_name: 'no-such-key' }, 'key_name')
      await refused({ networks: [{ id: 'no-such-network' }] }, 'networks.0.id')
      await refused({ volumes: [{ source: 'image', id: 'no-such-image', size: GiB }] }, 'volumes.0.id')
      await refused({ volumes: [{ source: 'volume', id: 'no-such-volume', boot_index: 0 }] }, 'volumes.0.id')
      await refused({ count: 2, volumes: [{ source: 'image', id: image.id, size: 100 * 1024 * GiB }] }, 'volumes')
      expect(await refusal(create({}, cloud.stranger))).toMatchObject({
        fields: { 'volumes.0.id': [expect.any(String)] },
      })
      expect(await cloud.compute.quotas(cloud.member, cloud.member.project_id)).toEqual(before)
    })
  })
}
