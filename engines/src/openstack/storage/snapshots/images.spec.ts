import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { VolumeSnapshotsPort } from '../../../ports/storage'
import type { Reply } from '../../testing/fake-cloud/cloud'
import { cinderRefusal } from '../../testing/fake-cloud/refusals'
import type { FakeVolume } from '../../testing/fake-cloud/volumes'
import { startSnapshotFixture, type SnapshotFixture } from '../../testing/snapshot-fixture'
import { snapshotCommands } from './commands'
import { snapshotReader } from './shape'

let fixture: SnapshotFixture
let cinder: SnapshotFixture['cinder']
let glance: SnapshotFixture['glance']
let snapshots: VolumeSnapshotsPort
let snapshot: string
beforeEach(async () => {
  fixture = await startSnapshotFixture()
  ;({ cinder, glance, snapshots } = fixture)
  const { id: volume_id } = await fixture.addVolume({ name: 'data', size: 2 })
  snapshot = (await fixture.addSnapshot({ volume_id, name: 'before-update' })).id
})
afterEach(() => fixture.close())

const uploads = 'compute.volume_snapshot.upload_to_image'
const deletes = 'compute.volume.delete'
const upload = (scope = fixture.member) => snapshots.uploadToImage(scope, snapshot, 'golden')
const temporary = () => [...cinder.volumes.values()].filter(({ name }) => name.startsWith('image of'))
const discarding = { name: deletes, hidden: true, subject: { kind: 'volume', name: 'image of before-update' } }
const nothingDone = 'The server stopped before the cloud accepted the command. Nothing was done. Try again.'
/** Answers requests to create a volume, after the cloud has created it in this status. */
const onCreation = (status: string, answer: (volume: FakeVolume) => Reply) =>
  fixture.cloud.on('volume', 'POST', '/volumes', ({ body, token }) =>
    answer(
      cinder.add({
        ...(body as { volume: Partial<FakeVolume> }).volume,
        ...{ status, 'os-vol-tenant-attr:tenant_id': token!.project!.id },
      }),
    ),
  )
/** Simulates a server that dies, or loses its database, while it sends a request. */
function dies(): Reply {
  fixture.intents.isCutOff = true
  return cinderRefusal(503, 'serviceUnavailable', 'The service is not there')
}

test("uploads a temporary volume with the caller's token, and deletes it once the image is complete", async () => {
  fixture.keepSettling()
  const image = await upload()
  expect(image).toMatchObject({ name: 'golden', project_id: 'p-demo' })
  const [volume] = temporary()
  expect(volume).toMatchObject({ snapshot_id: snapshot, size: 2, metadata: { mainstay_intent: 'intent-1' } })
  const sent = fixture.cloud.received.filter(({ verb, service }) => verb === 'POST' && service === 'volume')
  expect(sent.map(({ path, token }) => [path, token?.user.name])).toEqual([
    ['/volumes', 'demo'],
    [`/volumes/${volume!.id}/action`, 'demo'],
  ])
  expect(fixture.begun).toMatchObject([
    {
      ...{ name: uploads, subject: { kind: 'volume_snapshot', id: snapshot } },
      args: { volume: volume!.id, image: image.id },
    },
    discarding,
  ])
  await Promise.all([fixture.runTask(uploads), fixture.runTask(deletes)])
  expect(fixture.index.get(`image/${image.id}`)).toMatchObject({ status: 'active' })
  expect(temporary()).toEqual([])
  // another server may run the tasks again
  await Promise.all([fixture.runTask(uploads), fixture.runTask(deletes)])
})

test('fails the task with the reason if the image is not created, and deletes the volume', async () => {
  fixture.keepSettling({ images: false })
  const { id } = await upload()
  glance.images.delete(id)
  await expect(fixture.runTask(uploads)).rejects.toThrow('No space left')
  await fixture.runTask(deletes)
  expect(temporary()).toEqual([])
})

test('refuses snapshots that are busy or belong to other projects', async () => {
  expect(await refusal(upload(fixture.stranger))).toMatchObject({ code: 'not_found' })
  expect(await refusal(upload(fixture.operator))).toMatchObject({ code: 'unsupported' })
  cinder.snapshots.get(snapshot)!.status = 'restoring'
  await fixture.engine.refresh(snapshotReader, snapshot)
  expect(await refusal(upload())).toMatchObject({ code: 'invalid_state' })
  expect(temporary()).toEqual([])
})

describe('after a failure, deletes the temporary volume', () => {
  const leavesNothing = async () => {
    expect(fixture.begun).toMatchObject([discarding])
    fixture.keepSettling()
    await fixture.runTask()
    expect(temporary()).toEqual([])
    expect(glance.images.size).toBe(0)
  }

  test('if the cloud copies the snapshot too slowly', async () => {
    snapshots = snapshotCommands(fixture.engine, { look: 2, atMost: 20 })
    expect(await refusal(upload())).toMatchObject({
      ...{ code: 'unsupported', message: expect.stringContaining('Create a volume from the snapshot') },
    })
    await leavesNothing()
  })

  test('if the cloud cannot copy the snapshot', async () => {
    onCreation('error', (volume) => ({ status: 202, body: { volume } }))
    expect(await refusal(upload())).toMatchObject({ message: expect.stringContaining('No space left') })
    await leavesNothing()
  })

  test('if the cloud refuses the upload', async () => {
    fixture.keepSettling()
    const message = 'Maximum number of images allowed (10) exceeded'
    fixture.cloud.on('volume', 'POST', '/volumes/:id/action', () => cinderRefusal(413, 'overLimit', message))
    expect(await refusal(upload())).toMatchObject({ code: 'quota_exceeded' })
    await leavesNothing()
  })

  test('if the server dies while it creates the volume', async () => {
    onCreation('creating', dies)
    await refusal(upload())
    await expect(fixture.runIntent()).rejects.toThrow(nothingDone)
    await leavesNothing()
  })

  test('if the server dies before the upload', async () => {
    fixture.keepSettling()
    fixture.cloud.on('volume', 'POST', '/volumes/:id/action', dies)
    await refusal(upload())
    await expect(fixture.runIntent()).rejects.toThrow(nothingDone)
    await leavesNothing()
  })
})

test('tracks an upload that had begun when the server died', async () => {
  // an older image with the same name
  glance.add({ name: 'golden', status: 'active', created_at: '2026-01-01T00:00:00Z' })
  fixture.keepSettling()
  fixture.intents.isCutOff = true
  const { id: image } = await upload()
  expect(fixture.begun).toEqual([])
  await fixture.runIntent()
  expect(fixture.begun).toMatchObject([{ name: uploads, args: { image } }, discarding])
  await Promise.all([fixture.runTask(uploads), fixture.runTask(deletes)])
  expect(temporary()).toEqual([])
})
