import { describe, expect, test } from 'vitest'
import { Secret } from '../ports/secret'
import { refusal, suiteOf, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for operations that only some engines support: guest passwords and migration. */
export function describeInstanceOperations(start: StartCloud): void {
  describe(suiteOf('instances: passwords, nodes'), () => {
    const fixture = instanceFixture(start)

    test('refuses unsupported actions, and supported actions in the wrong state', slowTest, async () => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      const { id, status } = await fixture.running({ name: 'asked' })
      const calls = [
        ['setPassword', () => instances.setPassword(cloud.member, id, new Secret('a new password'))],
        ['evacuate', () => instances.evacuate(cloud.operator, id, null)],
        ['stopMigration', () => instances.stopMigration(cloud.operator, id)],
      ] as const
      for (const [action, call] of calls) {
        const expected = fixture.cannot(action) ? { code: 'unsupported' } : { code: 'invalid_state', data: { status } }
        expect(await refusal(call()), action).toMatchObject(expected)
      }
      if (fixture.cannot('migrate')) {
        const refused = await refusal(instances.migrate(cloud.operator, id, { node: null, cold: false }))
        expect(refused).toMatchObject({ code: 'unsupported' })
      }
      expect(await cloud.row('server', id)).toMatchObject({ status: 'ACTIVE', task_state: null })
      await fixture.remove(id)
    })

    test('does not reveal instances in other projects', slowTest, async () => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      const { id } = await fixture.running({ name: 'private' })
      for (const one of [id, 'no-such-id']) {
        const calls = [
          () => instances.setPassword(cloud.stranger, one, new Secret('a new password')),
          () => instances.migrate(cloud.stranger, one, { node: null, cold: false }),
          () => instances.stopMigration(cloud.stranger, one),
          () => instances.evacuate(cloud.stranger, one, null),
          () => instances.rescue(cloud.stranger, one, null),
          () => instances.shelve(cloud.stranger, one),
        ]
        for (const call of calls) expect(await refusal(call())).toMatchObject({ code: 'not_found' })
      }
      await fixture.remove(id)
    })
  })
}
