import { MAX_METADATA } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { describe, expect, test } from 'vitest'
import { refusal, suiteOf, type StartCloud } from './cloud'
import { instanceFixture, slowTest } from './instance-fixture'

/** Conformance tests for instance metadata. */
export function describeInstanceWords(start: StartCloud): void {
  describe(suiteOf('instances: metadata'), () => {
    const fixture = instanceFixture(start)

    test('sets metadata at creation, and adds, replaces and removes individual entries', slowTest, async () => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      const { id, metadata } = await fixture.running({ name: 'worded', metadata: { tier: 'web', 'cost centre': '7' } })
      expect(metadata).toEqual({ tier: 'web', 'cost centre': '7' })
      const words = async () => (await cloud.row<Instance>('server', id))!.metadata
      await instances.setMetadata(cloud.member, id, { tier: 'database', 'a.b:c_d-e': '' })
      expect(await words()).toEqual({ tier: 'database', 'cost centre': '7', 'a.b:c_d-e': '' })
      expect((await instances.removeMetadata(cloud.member, id, 'cost centre')).metadata).toEqual({
        tier: 'database',
        'a.b:c_d-e': '',
      })
      expect(await refusal(instances.removeMetadata(cloud.member, id, 'cost centre'))).toMatchObject({
        code: 'not_found',
      })
      expect(await refusal(instances.setMetadata(cloud.stranger, id, { seen: 'yes' }))).toMatchObject({
        code: 'not_found',
      })
      expect(await refusal(instances.removeMetadata(cloud.stranger, id, 'tier'))).toMatchObject({ code: 'not_found' })
      await fixture.remove(id)
    })

    test('limits the number of metadata entries per instance', slowTest, async () => {
      const { cloud } = fixture
      const { instances } = cloud.compute
      const { id } = await fixture.running({ name: 'wordy' })
      const many = Object.fromEntries(Array.from({ length: MAX_METADATA }, (_, at) => [`word ${at}`, String(at)]))
      expect((await instances.setMetadata(cloud.member, id, many)).metadata).toEqual(many)
      expect(await refusal(instances.setMetadata(cloud.member, id, { 'one more': '' }))).toMatchObject({
        code: 'quota_exceeded',
        fields: { metadata: [expect.any(String)] },
      })
      // replacing an entry does not count against the limit
      expect((await instances.setMetadata(cloud.member, id, { 'word 0': 'new' })).metadata['word 0']).toBe('new')
      await fixture.remove(id)
    })
  })
}
