import type { Image } from '@mainstay/contract/compute/images'
import type { InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { Instance, InstanceDraft } from '@mainstay/contract/compute/instances'
import { afterAll, beforeAll } from 'vitest'
import type * as z from 'zod'
import { activeImage, can, gone, instanceDraft, settled, until, type CloudUnderTest, type StartCloud } from './cloud'

export type DraftChange = Partial<z.input<typeof InstanceDraft>>

/** Options for instance tests, which are slow on a real cloud. */
export const slowTest = { timeout: 600_000 }

/** Fixture for instance tests: a cloud, a bootable image, and helpers that create instances from the image. */
export interface InstanceFixture {
  readonly cloud: CloudUnderTest
  readonly image: Image
  /** Whether the engine does not support an action. Used to skip its test: `skip(fixture.cannot('rescue'))`. */
  cannot(action: InstanceAction): boolean
  create(change?: DraftChange, scope?: CloudUnderTest['member']): Promise<Instance>
  /** Creates an instance and waits until it is active. */
  running(change?: DraftChange): Promise<Instance>
  /** Creates an instance, waits until it is active, and powers it off. */
  stopped(change?: DraftChange): Promise<Instance>
  /** Waits until the guest responds to its power button. */
  guestIsUp(id: string): Promise<unknown>
  /** Deletes an instance with its volumes and waits until it is gone. */
  remove(id: string): Promise<void>
}

/** Starts the cloud before the tests in the enclosing block, and closes it after them. */
export function instanceFixture(start: StartCloud): InstanceFixture {
  let cloud: CloudUnderTest
  let image: Image
  beforeAll(async () => {
    cloud = await start()
    image = await activeImage(cloud)
  }, 300_000)
  afterAll(() => cloud.close(), 300_000)

  const fixture: InstanceFixture = {
    get cloud() {
      return cloud
    },
    get image() {
      return image
    },
    cannot: (action) => !can(cloud, action),
    create: async (change = {}, scope = cloud.member) =>
      (await cloud.compute.instances.create(scope, instanceDraft(cloud, image, change)))[0]!,
    running: async (change) => settled(cloud, (await fixture.create(change)).id, 'ACTIVE'),
    async stopped(change) {
      const { id } = await fixture.running(change)
      await cloud.compute.instances.stop(cloud.member, id, { hard: true, timeoutSeconds: 0 })
      return settled(cloud, id, 'SHUTOFF')
    },
    guestIsUp: (id) =>
      until('the guest to be up', async () =>
        /ready/.test((await cloud.compute.instances.consoleLog(cloud.member, id, 100_000)).toString()),
      ),
    async remove(id) {
      await cloud.compute.instances.delete(cloud.member, id, null)
      await gone(cloud, 'server', id)
    },
  }
  return fixture
}
