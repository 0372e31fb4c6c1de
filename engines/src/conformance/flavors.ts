import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal, suiteOf, type CloudUnderTest, type StartCloud } from './cloud'

/** What every engine must do with flavors. */
export function describeFlavors(start: StartCloud): void {
  describe(suiteOf('flavors'), () => {
    let cloud: CloudUnderTest
    beforeAll(async () => {
      cloud = await start()
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    test('a flavor is made once by its name, and deleted', async () => {
      const { flavors } = cloud.compute
      const draft = { name: `conformance-2x ${randomUUID()}`, vcpus: 2, ram: 512, swap: 0 }
      const made = await flavors.create(cloud.operator, draft)
      expect(made).toMatchObject({ ...draft, is_public: true })
      expect(await cloud.row('flavor', made.id)).toMatchObject(draft)
      expect(await refusal(flavors.create(cloud.operator, draft))).toMatchObject({
        code: 'duplicate_name',
        fields: { name: [expect.any(String)] },
      })
      await flavors.delete(cloud.operator, made.id)
      expect(await cloud.row('flavor', made.id)).toBeNull()
      expect(await refusal(flavors.delete(cloud.operator, made.id))).toMatchObject({ code: 'not_found' })
    })
  })
}
