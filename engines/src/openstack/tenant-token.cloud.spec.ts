import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openCloudUnderTest } from '../../../server/src/testing/cloud-under-test'
import { gone, imageDraft, instanceDraft, settled, until } from '../conformance/cloud'
import { rawDisk } from '../conformance/images'

/** Directory with the logs of the cloud's services, if this machine can read them. */
const logs = process.env['MAINSTAY_CLOUD_LOGS'] ?? ''
const servicesThatAct = ['nova-api', 'neutron-server', 'cinder-api', 'glance-api']

/** Returns the user IDs in the lines of a service's log that contain this request ID. */
function usersIn(service: string, requestId: string): string[] {
  const lines = readFileSync(path.join(logs, `${service}.log`), 'utf8').split('\n')
  const ours = lines.filter((line) => line.includes(requestId))
  return ours.flatMap((line) => /\[\S+ req-\S+ ([0-9a-f]{32}) /.exec(line)?.[1] ?? [])
}

test.skipIf(!existsSync(logs))(
  "uses the tenant's own token for compute, networks, volumes and images, according to their logs",
  { timeout: 900_000 },
  async () => {
    const cloud = await openCloudUnderTest()
    onTestFinished(cloud.close, 600_000)
    const id = randomUUID()
    const member = { ...cloud.member, request_id: id }
    const image = await cloud.compute.images.create(member, imageDraft({ name: 'own' }), Readable.from([rawDisk()]))
    const volume = await cloud.storage.volumes.create(member, {
      name: 'own',
      description: '',
      size: 1024 ** 3,
      image_id: null,
      bootable: false,
    })
    const draft = instanceDraft(cloud, image, {
      name: 'own',
      volumes: [{ source: 'blank', size: 1024 ** 3, boot_index: 0 }],
    })
    const [instance] = await cloud.compute.instances.create(member, draft)
    await settled(cloud, instance!.id, 'ACTIVE')
    await cloud.networking.interfaces.attach(member, instance!.id, { id: cloud.network, fixed_ips: [], mac: null })
    await cloud.compute.instances.delete(member, instance!.id, null)
    await gone(cloud, 'server', instance!.id)
    await until('the volume to be made', async () => (await cloud.row('volume', volume.id))?.['status'] === 'available')
    await cloud.storage.volumes.delete(member, volume.id)

    for (const service of servicesThatAct) {
      const users = usersIn(service, id)
      expect(users, `who asked ${service}`).toContain(cloud.fixture.ours.userId)
      expect(users, `who asked ${service}`).not.toContain(cloud.fixture.operator.userId)
    }
  },
)
