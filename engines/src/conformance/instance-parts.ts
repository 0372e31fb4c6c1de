import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { describe, expect, test } from 'vitest'
import { gone, refusal, settled, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for instance volumes, network interfaces and addresses. */
export function describeInstanceParts(start: StartCloud): void {
  describe(suiteOf('instances: volumes, cards'), () => {
    const fixture = instanceFixture(start)

    test('attaches and detaches volumes and network interfaces while running and while stopped', slowTest, async () => {
      const { cloud } = fixture
      const { id } = await fixture.running({ name: 'grows' })
      await fixture.guestIsUp(id)
      const { id: volumeId } = await cloud.storage.volumes.create(cloud.member, {
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
        expect(await refusal(cloud.storage.volumes.delete(cloud.member, volumeId))).toMatchObject({
          code: 'volume_in_use',
        })
        const larger = (power === 'on' ? 2 : 3) * GiB
        await cloud.storage.volumes.extend(cloud.member, volumeId, larger)
        await until('the volume to be larger', async () => (await volumeIs('in-use')).size === larger)
        expect(await volumeIs('in-use')).toMatchObject({ size: larger, fault: null })
        await cloud.compute.instances.detachVolume(cloud.member, id, volumeId)
        expect(await volumeIs('available')).toMatchObject({ attachments: [] })
        await until('the disk to be gone', async () => (await cloud.row<Instance>('server', id))!.volumes.length === 1)

        const carded = await cloud.networking.interfaces.attach(cloud.member, id, {
          id: cloud.network,
          fixed_ips: [],
          mac: null,
        })
        const port = carded.network_data[1]!
        await until('the card to be there', async () => (await cloud.compute.stat(cloud.operator)).servers.total > 0)
        await cloud.networking.interfaces.detach(cloud.member, id, port.port_id)
        await until(
          'the card to be gone',
          async () => (await cloud.row<Instance>('server', id))!.network_data.length === 1,
        )
      }
      await fixture.remove(id)
      await volumeIs('available')
      await cloud.storage.volumes.delete(cloud.member, volumeId)
      await gone(cloud, 'volume', volumeId)
    })

    test('refuses to detach the boot volume of a running instance', slowTest, async () => {
      const { cloud } = fixture
      const { id, volumes } = await fixture.running({ name: 'boots' })
      expect(await refusal(cloud.compute.instances.detachVolume(cloud.member, id, volumes[0]!.id))).toMatchObject({
        code: 'volume_in_use',
      })
      await cloud.compute.instances.delete(cloud.member, id, [])
      await gone(cloud, 'server', id)
      await until(
        'the volume to be free',
        async () => (await cloud.row<Volume>('volume', volumes[0]!.id))?.status === 'available',
      )
      const again = await fixture.running({
        name: 'boots-again',
        volumes: [{ source: 'volume', id: volumes[0]!.id, boot_index: 0 }],
      })
      await cloud.compute.instances.delete(cloud.member, again.id, [volumes[0]!.id])
      await gone(cloud, 'server', again.id)
      await gone(cloud, 'volume', volumes[0]!.id)
    })

    test('assigns a requested address only once, and only from the subnet', slowTest, async () => {
      const { cloud } = fixture
      const address = cloud.address(77)
      const networks = (ip_address: string) => [{ id: cloud.network, fixed_ips: [{ ip_address }] }]
      const row = await fixture.running({ name: 'chosen', networks: networks(address) })
      expect(row.network_data[0]!.fixed_ips[0]!.ip_address).toBe(address)
      expect(await refusal(fixture.create({ name: 'chosen too', networks: networks(address) }))).toMatchObject({
        code: 'ip_address_in_use',
        fields: { 'networks.0.fixed_ips': [expect.any(String)] },
      })
      expect(await refusal(fixture.create({ name: 'elsewhere', networks: networks('192.0.2.7') }))).toMatchObject({
        code: 'validation',
        fields: { 'networks.0.fixed_ips': [expect.any(String)] },
      })
      await fixture.remove(row.id)
      const second = await fixture.create({ name: 'chosen again', networks: networks(address) })
      await settled(cloud, second.id, 'ACTIVE')
      await fixture.remove(second.id)
    })
  })
}
