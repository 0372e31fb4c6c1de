import { describe, expect, test } from 'vitest'
import { can, refusal, settled, suiteOf, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for power actions. */
export function describeInstancePower(start: StartCloud): void {
  describe(suiteOf('instances: power'), () => {
    const fixture = instanceFixture(start)

    test('stops, starts, pauses, suspends and reboots an instance', slowTest, async () => {
      const { cloud } = fixture
      const { id } = await fixture.running({ name: 'power' })
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
      await fixture.remove(id)
    })

    test('the guest responds to the power button on both shutdown and reboot', slowTest, async () => {
      const { cloud } = fixture
      const { id } = await fixture.running({ name: 'obeys' })
      await fixture.guestIsUp(id)
      expect(await cloud.compute.instances.reboot(cloud.member, id, { hard: false })).toMatchObject({
        status: 'REBOOT',
      })
      await settled(cloud, id, 'ACTIVE')
      await cloud.compute.instances.stop(cloud.member, id, { hard: false, timeoutSeconds: 60 })
      await settled(cloud, id, 'SHUTOFF')
      await fixture.remove(id)
    })

    test('a shutdown without a timeout can be cancelled if the engine supports it', slowTest, async () => {
      const { cloud } = fixture
      const { id } = await fixture.running({ name: 'fault-acpi' })
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
      await fixture.remove(id)
    })
  })
}
