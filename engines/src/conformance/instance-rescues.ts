import type { Instance } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { describe, expect, test } from 'vitest'
import { refusal, settled, suiteOf, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/**
 * Returns the volumes without their names, because a cloud may set the names shortly after the instance becomes active.
 */
const disksOf = ({ volumes }: Pick<Instance, 'volumes'>) =>
  volumes.map(({ id, device, boot_index }) => ({ id, device, boot_index }))

/** Conformance tests for rescuing instances. */
export function describeRescues(start: StartCloud): void {
  describe(suiteOf('instances: rescue'), () => {
    const fixture = instanceFixture(start)

    test(
      'rescues an unbootable instance with an image, and then returns it to its own boot disk',
      slowTest,
      async ({ skip }) => {
        const { cloud } = fixture
        const { instances } = cloud.compute
        skip(fixture.cannot('rescue'))
        const { id, volumes } = await fixture.running({
          name: 'broken',
          volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
        })
        await instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
        await settled(cloud, id, 'SHUTOFF')
        expect(await refusal(instances.rescue(cloud.member, id, null))).toMatchObject({
          fields: { image_id: [expect.any(String)] },
        })
        expect(await refusal(instances.rescue(cloud.member, id, 'no-such-image'))).toMatchObject({
          fields: { image_id: [expect.any(String)] },
        })
        expect(await refusal(instances.unrescue(cloud.member, id))).toMatchObject({ code: 'invalid_state' })

        expect(await instances.rescue(cloud.member, id, fixture.image.id)).toMatchObject({ task_state: 'rescuing' })
        const rescued = await settled(cloud, id, 'RESCUE')
        expect(disksOf(rescued)).toEqual(disksOf({ volumes }))
        // the instance's own disk is blank, so it must have booted from the image
        await fixture.guestIsUp(id)
        if (cloud.capabilities.console_protocols.includes('vnc')) {
          const { stream, close } = await instances.openConsole(cloud.member, id, 'vnc')
          await new Promise((resolve, reject) => stream.once('data', resolve).once('error', reject))
          close()
        }
        expect(await refusal(instances.reboot(cloud.member, id, { hard: true }))).toMatchObject({
          code: 'invalid_state',
          data: { status: 'RESCUE' },
        })
        expect(await refusal(instances.unrescue(cloud.stranger, id))).toMatchObject({ code: 'not_found' })

        expect(await instances.unrescue(cloud.member, id)).toMatchObject({ task_state: 'unrescuing' })
        expect(disksOf(await settled(cloud, id, 'ACTIVE'))).toEqual(disksOf({ volumes }))
        await fixture.remove(id)
      },
    )

    test('rescues with the original image by default, and ends the rescue at power-off', slowTest, async ({ skip }) => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      skip(fixture.cannot('rescue'))
      const { id } = await fixture.stopped({ name: 'rescued' })
      await instances.rescue(cloud.member, id, null)
      await settled(cloud, id, 'RESCUE')
      await instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      await settled(cloud, id, 'SHUTOFF')
      await instances.start(cloud.member, id)
      await settled(cloud, id, 'ACTIVE')
      await fixture.remove(id)
    })
  })
}
