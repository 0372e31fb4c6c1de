import { serverGroupPolicies, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, until, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for server groups. */
export function describeServerGroups(start: StartCloud): void {
  describe(suiteOf('server groups'), () => {
    const fixture = instanceFixture(start)

    test.each(serverGroupPolicies)(
      'creates a group with the policy %s and without members',
      slowTest,
      async (policy) => {
        const { cloud } = fixture
        const made = await cloud.compute.serverGroups.create(cloud.member, { name: `kept ${policy}`, policy })
        expect(made).toMatchObject({ policy, members: [], project_id: cloud.member.project_id })
        await cloud.compute.serverGroups.delete(cloud.member, made.id)
      },
    )

    test('a group lists its instances until they are deleted', slowTest, async () => {
      const { cloud } = fixture
      const { serverGroups } = cloud.compute
      const group = await serverGroups.create(cloud.member, { name: 'together', policy: 'affinity' })
      const membersAre = (ids: string[]) =>
        until('the members of the group', async () => {
          const row = await cloud.row<ServerGroup>('server_group', group.id)
          return row?.members.toSorted().join() === ids.toSorted().join()
        })
      const one = await fixture.running({ name: 'one', server_group: group.id })
      await membersAre([one.id])
      const other = await fixture.running({ name: 'other', server_group: group.id })
      await membersAre([one.id, other.id])
      await fixture.remove(one.id)
      await membersAre([other.id])
      await fixture.remove(other.id)
      await membersAre([])
      await serverGroups.delete(cloud.member, group.id)
    })

    test('refuses an unknown group or a group in another project with a field error', slowTest, async () => {
      const { cloud } = fixture
      const foreign = await cloud.compute.serverGroups.create(cloud.stranger, { name: 'foreign', policy: 'affinity' })
      for (const server_group of ['no-such-group', foreign.id])
        expect(await refusal(fixture.create({ name: 'nowhere', server_group }))).toMatchObject({
          fields: { server_group: [expect.any(String)] },
        })
      await cloud.compute.serverGroups.delete(cloud.stranger, foreign.id)
    })
  })
}
