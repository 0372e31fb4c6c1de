import type { Volume } from '@mainstay/contract/storage/volumes'
import { describe, expect, test } from 'vitest'
import { gone, refusal, settled, suiteOf, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for shelving instances. */
export function describeShelving(start: StartCloud): void {
  describe(suiteOf('instances: shelving'), () => {
    const fixture = instanceFixture(start)

    test(
      'a shelved instance is shut down, keeps its volume and address, and is unchanged after unshelving',
      slowTest,
      async ({ skip }) => {
        const { cloud } = fixture
        const { instances } = cloud.compute
        skip(fixture.cannot('shelve'))
        const before = await fixture.running({ name: 'shelved' })
        const { id } = before
        await fixture.guestIsUp(id)
        expect(await instances.shelve(cloud.member, id)).toMatchObject({ task_state: 'shelving' })
        const shelved = await settled(cloud, id, 'SHELVED_OFFLOADED')
        expect(shelved.network_data).toEqual(before.network_data)
        expect(shelved.volumes).toMatchObject(before.volumes.map((volume) => ({ id: volume.id })))
        // the volume stays reserved for its instance
        const volumeId = before.volumes[0]!.id
        expect((await cloud.row<Volume>('volume', volumeId))?.status).not.toBe('available')
        expect(['volume_in_use', 'invalid_state']).toContain(
          (await refusal(cloud.storage.volumes.delete(cloud.member, volumeId))).code,
        )
        expect(await refusal(instances.start(cloud.member, id))).toMatchObject({
          code: 'invalid_state',
          data: { status: 'SHELVED_OFFLOADED' },
        })
        expect(await refusal(instances.openConsole(cloud.member, id, 'vnc'))).toMatchObject({
          code: 'console_unavailable',
        })
        expect(await refusal(instances.unshelve(cloud.stranger, id))).toMatchObject({ code: 'not_found' })

        expect(await instances.unshelve(cloud.member, id)).toMatchObject({ task_state: 'unshelving' })
        const back = await settled(cloud, id, 'ACTIVE')
        expect(back.network_data).toEqual(before.network_data)
        expect(await refusal(instances.unshelve(cloud.member, id))).toMatchObject({ code: 'invalid_state' })
        await fixture.remove(id)
      },
    )

    test('shelves a stopped instance, and deletes the shelved instance with its volume', slowTest, async ({ skip }) => {
      const { cloud } = fixture
      skip(fixture.cannot('shelve'))
      const { id, volumes } = await fixture.stopped({ name: 'away' })
      await cloud.compute.instances.shelve(cloud.member, id)
      await settled(cloud, id, 'SHELVED_OFFLOADED')
      await fixture.remove(id)
      await gone(cloud, 'volume', volumes[0]!.id)
    })
  })
}
