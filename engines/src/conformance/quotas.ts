import { GiB } from '@mainstay/contract/core/bytes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal, suiteOf, type CloudUnderTest, type StartCloud } from './cloud'

/** Conformance tests for project quotas. */
export function describeQuotas(start: StartCloud): void {
  describe(suiteOf('quotas'), () => {
    let cloud: CloudUnderTest
    beforeAll(async () => {
      cloud = await start()
    })
    afterAll(() => cloud.close())

    test('returns and immediately enforces new limits, and keeps the other limits', async () => {
      const { storage, compute, member, operator } = cloud
      const read = () => storage.quotas(member, member.project_id)
      const before = await read()
      const { limit: instances } = (await compute.quotas(member, member.project_id)).instances
      const set = storage.quotaLimits.setOfProject.bind(null, operator, member)
      expect(storage.quotaLimits.ofProjects).toEqual(
        expect.arrayContaining(['instances', 'vcpus', 'ram', 'volumes', 'storage']),
      )
      const draft = {
        name: 'Too much',
        description: '',
        size: 2 * GiB,
        image_id: null,
        bootable: false,
      }
      const limit = Math.ceil(before.storage.used / GiB) * GiB + GiB
      try {
        await set({ storage: limit })
        expect(await read()).toMatchObject({ storage: { limit }, volumes: { limit: before.volumes.limit } })
        expect(await refusal(storage.volumes.create(member, draft))).toMatchObject({
          code: 'quota_exceeded',
          data: { resource: 'storage' },
        })
        await set({ instances: instances + 1, storage: -1 })
        expect((await compute.quotas(member, member.project_id)).instances.limit).toBe(instances + 1)
        expect((await read()).storage.limit).toBe(-1)
      } finally {
        await set({ instances, storage: before.storage.limit })
      }
    })
  })
}
