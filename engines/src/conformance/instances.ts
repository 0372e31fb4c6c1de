import { GiB } from '@mainstay/contract/core/bytes'
import { Problem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { describe, expect, test } from 'vitest'
import { gone, instanceDraft, refusal, settled, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest, type DraftChange } from './instance-fixture'

/** Conformance tests for instances. */
export function describeInstances(start: StartCloud): void {
  describe(suiteOf('instances'), () => {
    const fixture = instanceFixture(start)

    test('a new instance is returned in BUILD, and becomes active with a volume and an address', slowTest, async () => {
      const { cloud } = fixture
      const built = await fixture.create({ name: 'first', tags: ['blue'], description: 'The first' })
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
      // a volume may appear in lists shortly after its instance
      const volume = await until('the volume to be in use', async () => {
        const found = await cloud.row<Volume>('volume', row.volumes[0]!.id)
        return found?.status === 'in-use' ? found : null
      })
      expect(volume).toMatchObject({
        bootable: true,
        attachments: [{ server_id: row.id, device: 'vda' }],
      })
      await fixture.remove(row.id)
      await gone(cloud, 'volume', volume.id)
    })

    test('instances created in one call get numbered names and different addresses', slowTest, async () => {
      const { cloud } = fixture
      const made = await cloud.compute.instances.create(
        cloud.member,
        instanceDraft(cloud, fixture.image, { name: 'many', count: 3 }),
      )
      expect(made.map(({ name }) => name)).toEqual(['many-1', 'many-2', 'many-3'])
      const rows = await Promise.all(made.map(({ id }) => settled(cloud, id, 'ACTIVE')))
      const addresses = rows.map((row) => row.network_data[0]!.fixed_ips[0]!.ip_address)
      expect(new Set(addresses).size).toBe(3)
      for (const { id } of rows) await cloud.compute.instances.delete(cloud.member, id, null)
      for (const { id } of rows) await gone(cloud, 'server', id)
    })

    test('resizes a stopped instance and leaves it stopped', slowTest, async () => {
      const { cloud } = fixture
      const { id } = await fixture.running({ name: 'resized' })
      expect(
        await refusal(cloud.compute.instances.resize(cloud.member, id, cloud.largerFlavor, { restart: false })),
      ).toMatchObject({
        code: 'invalid_state',
      })
      await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      await settled(cloud, id, 'SHUTOFF')
      await cloud.compute.instances.resize(cloud.member, id, cloud.largerFlavor, { restart: false })
      expect((await settled(cloud, id, 'SHUTOFF')).flavor.id).toBe(cloud.largerFlavor)
      expect(
        await refusal(cloud.compute.instances.resize(cloud.member, id, 'no-such-flavor', { restart: false })),
      ).toMatchObject({
        fields: { flavor: expect.anything() },
      })
      await fixture.remove(id)
    })

    test('changes name, description and tags immediately', slowTest, async () => {
      const { cloud } = fixture
      const { id } = await fixture.running({ name: 'before' })
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
      await fixture.remove(id)
    })

    test(
      'the VNC console, if supported, speaks RFB while the instance is running, and is unavailable otherwise',
      slowTest,
      async () => {
        const { cloud } = fixture
        const { id } = await fixture.running({ name: 'screen' })
        const opening = cloud.compute.instances.openConsole(cloud.member, id, 'vnc')
        if (cloud.capabilities.console_protocols.includes('vnc')) {
          const screen = await opening
          const hello = await new Promise<Buffer>((resolve, reject) =>
            screen.stream.once('data', resolve).once('error', reject),
          )
          expect(hello.toString('latin1')).toMatch(/^RFB 003\.00\d\n/)
          screen.close()
        } else expect(await refusal(opening)).toMatchObject({ code: 'console_unavailable' })
        await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
        await settled(cloud, id, 'SHUTOFF')
        expect(await refusal(cloud.compute.instances.openConsole(cloud.member, id, 'vnc'))).toMatchObject({
          code: 'console_unavailable',
        })
        await fixture.remove(id)
      },
    )

    test(
      'the serial console, if supported, transmits input and output while the instance is running',
      slowTest,
      async () => {
        const { cloud } = fixture
        const { id } = await fixture.running({ name: 'terminal' })
        await fixture.guestIsUp(id)
        const opened = await cloud.compute.instances
          .openConsole(cloud.member, id, 'serial')
          .catch((error: Problem) => error)
        if (opened instanceof Problem) {
          expect(cloud.capabilities.console_protocols).not.toContain('serial')
          expect(opened).toMatchObject({ code: 'console_unavailable' })
          return fixture.remove(id)
        }
        const { stream, close } = opened
        let read = ''
        stream.on('data', (bytes: Buffer) => (read += bytes.toString()))
        stream.write('echo $((6*7))\r')
        await until('what was typed to be echoed', async () => read.includes('echo $((6*7))'))
        await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
        close()
        await settled(cloud, id, 'SHUTOFF')
        expect(await refusal(cloud.compute.instances.openConsole(cloud.member, id, 'serial'))).toMatchObject({
          code: 'console_unavailable',
        })
        await fixture.remove(id)
      },
    )

    test(
      'an instance in another project is not found, but an operator can act on the instances of all projects',
      slowTest,
      async () => {
        const { cloud } = fixture
        const { id } = await fixture.running({ name: 'private' })
        const { instances } = cloud.compute
        const calls = [
          (scope: typeof cloud.member) => instances.update(scope, id, { name: 'mine now' }),
          (scope: typeof cloud.member) => instances.delete(scope, id, null),
          (scope: typeof cloud.member) => instances.stop(scope, id, { hard: true, timeoutSeconds: 0 }),
          (scope: typeof cloud.member) => instances.setTag(scope, id, 'seen'),
          (scope: typeof cloud.member) => instances.openConsole(scope, id, 'vnc'),
          (scope: typeof cloud.member) => instances.consoleLog(scope, id, 100),
          (scope: typeof cloud.member) => instances.stat(scope, id),
          (scope: typeof cloud.member) => instances.resetState(scope, id, null),
          (scope: typeof cloud.member) =>
            cloud.networking.interfaces.attach(scope, id, { id: cloud.network, fixed_ips: [], mac: null }),
        ]
        for (const call of calls) expect(await refusal(call(cloud.stranger))).toMatchObject({ code: 'not_found' })
        expect(await refusal(instances.start(cloud.member, 'no-such-id'))).toMatchObject({ code: 'not_found' })
        expect(await instances.setTag(cloud.operator, id, 'seen')).toMatchObject({ tags: ['seen'] })
        expect(await instances.resetState(cloud.operator, id, 'error')).toMatchObject({ status: 'ERROR' })
        expect(await instances.resetState(cloud.operator, id, null)).toMatchObject({ status: 'ACTIVE', fault: null })
        await fixture.remove(id)
      },
    )

    test('refuses unknown references in a draft with field errors, and creates nothing', slowTest, async () => {
      const { cloud } = fixture
      const quotas = () => cloud.compute.quotas(cloud.member, cloud.member.project_id)
      // a cloud may briefly count deleted instances
      await until('deleted instances to no longer be counted', async () => (await quotas()).instances.used === 0)
      const before = await quotas()
      const refused = async (change: DraftChange, field: string) =>
        expect(await refusal(fixture.create(change))).toMatchObject({ fields: { [field]: [expect.any(String)] } })
      await refused({ flavor: 'no-such-flavor' }, 'flavor')
      await refused({ key_name: 'no-such-key' }, 'key_name')
      await refused({ networks: [{ id: 'no-such-network' }] }, 'networks.0.id')
      await refused({ volumes: [{ source: 'image', id: 'no-such-image', size: GiB }] }, 'volumes.0.id')
      await refused({ volumes: [{ source: 'volume', id: 'no-such-volume', boot_index: 0 }] }, 'volumes.0.id')
      await refused(
        { count: 2, volumes: [{ source: 'image', id: fixture.image.id, size: 100 * 1024 * GiB }] },
        'volumes',
      )
      expect(await refusal(fixture.create({}, cloud.stranger))).toMatchObject({
        fields: { 'volumes.0.id': [expect.any(String)] },
      })
      expect(await quotas()).toEqual(before)
    })
  })
}
