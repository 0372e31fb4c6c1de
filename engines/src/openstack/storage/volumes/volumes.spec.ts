import { GiB } from '@mainstay/contract/core/bytes'
import { Volume, volumeKind, type VolumeDraft } from '@mainstay/contract/storage/volumes'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { VolumesPort } from '../../../ports/storage'
import { startEngineFixture, type EngineFixture } from '../../testing/engine-fixture'
import { fakeImages, type FakeImages } from '../../testing/fake-cloud/images'
import { cinderRefusal } from '../../testing/fake-cloud/refusals'
import { fakeVolumes, type FakeVolumes } from '../../testing/fake-cloud/volumes'
import { volumeCommands } from './commands'
import { volumeReader } from './shape'

let fixture: EngineFixture
let cinder: FakeVolumes
let glance: FakeImages
let volumes: VolumesPort

beforeEach(async () => {
  fixture = await startEngineFixture([volumeReader])
  cinder = fakeVolumes(fixture.cloud)
  glance = fakeImages(fixture.cloud)
  cinder.addImage = (image) => glance.add(image).id
  fixture.cloud.on('compute', 'GET', '/servers/:id', ({ params }) => ({
    body: { server: { id: params['id'], name: `name of ${params['id']}` } },
  }))
  volumes = volumeCommands(fixture.engine)
})
afterEach(() => fixture.close())

const create = (change: Partial<VolumeDraft> = {}, scope = fixture.member) =>
  volumes.create(scope, { name: 'data', description: '', size: GiB, image_id: null, bootable: false, ...change })
const indexed = (id: string) => fixture.index.get(`volume/${id}`)
const add = async (volume: Parameters<typeof cinder.add>[0]) =>
  fixture.engine.refresh(volumeReader, cinder.add(volume).id)
const actionsOf = (id: string) =>
  fixture.cloud.received.filter(({ path }) => path === `/volumes/${id}/action`).map(({ body }) => body)
const attachment = { server_id: 's1', device: '/dev/vdb', attached_at: '2026-11-21T21:00:00.000000' }

describe('volumes', () => {
  test("creates a volume with the caller's token, returns it immediately and starts a task", async () => {
    const made = await create({ description: 'Empty', size: 3 * GiB, bootable: true })
    expect(made).toEqual(Volume.parse(made))
    expect(made).toMatchObject({
      name: 'data',
      description: 'Empty',
      status: 'creating',
      size: 3 * GiB,
      bootable: true,
      storage_policy_name: 'ceph',
      project_id: 'p-demo',
      user_id: 'u-demo',
      attachments: [],
    })
    expect(indexed(made.id)).toEqual(made)
    // visible only to operators, like the host of an instance
    expect(volumeKind.systemOnly).toEqual(['os-vol-host-attr:host'])
    expect(made['os-vol-host-attr:host']).toBe('secret-host@ceph#ceph')
    expect(fixture.begun).toMatchObject([
      { name: 'compute.volume.create', subject: { id: made.id }, args: { until: 'settled' } },
    ])
    const sent = fixture.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/volumes')
    expect(sent).toMatchObject({ token: { user: { name: 'demo' } }, body: { volume: { size: 3 } } })
  })

  test('shows the source image', async () => {
    const { id } = glance.add({ name: 'cirros', status: 'active', disk_format: 'qcow2' })
    const made = await create({ image_id: id })
    expect(cinder.volumes.get(made.id)).toMatchObject({ imageRef: id })
    expect(
      await add({ bootable: 'true', volume_image_metadata: { image_id: id, image_name: 'cirros' } }),
    ).toMatchObject({ bootable: true, image_id: id, image_name: 'cirros' })
  })

  test.each([
    ['does not exist', null, 'image_id'],
    ['belongs to another project', { owner: 'p-other', status: 'active' }, 'image_id'],
    ['is not active', { status: 'saving' }, 'image_id'],
    ['is an ISO', { status: 'active', disk_format: 'iso' }, 'image_id'],
    ['is larger', { status: 'active', disk_format: 'qcow2', virtual_size: 2 * GiB }, 'size'],
    ['requires a larger volume', { status: 'active', disk_format: 'qcow2', min_disk: 5 }, 'size'],
  ])('refuses to create a volume from an image that %s', async (_, image, field) => {
    const image_id = image ? glance.add(image).id : 'no-such-image'
    expect(await refusal(create({ image_id }))).toMatchObject({ fields: { [field]: [expect.any(String)] } })
    expect(cinder.volumes.size).toBe(0)
  })

  test('refuses a size that exceeds the quota, and gives the numbers', async () => {
    cinder.quotaGiB = 10
    await create({ size: 4 * GiB })
    const expected = (requested: number) => ({
      code: 'quota_exceeded',
      fields: { size: [expect.stringContaining('quota')] },
      data: { resource: 'storage', limit: 10 * GiB, used: 4 * GiB, requested: requested * GiB },
    })
    expect(await refusal(create({ size: 7 * GiB }))).toMatchObject(expected(7))
    cinder.settle()
    const [id] = [...cinder.volumes.keys()] as [string]
    expect(await refusal(volumes.extend(fixture.member, id, 12 * GiB))).toMatchObject(expected(8))
  })

  test('renames a volume and makes it bootable', async () => {
    const { id } = await add({ name: 'before' })
    const change = { name: 'after', description: 'New', bootable: true }
    expect(await volumes.update(fixture.member, id, change)).toMatchObject(change)
    expect(indexed(id)).toMatchObject(change)
  })

  test('extends a volume but never shrinks it', async () => {
    const { id } = await add({ size: 2 })
    for (const size of [GiB, 2 * GiB])
      expect(await refusal(volumes.extend(fixture.member, id, size))).toMatchObject({
        code: 'validation',
        fields: { size: [expect.any(String)] },
      })
    expect(await volumes.extend(fixture.member, id, 5 * GiB)).toMatchObject({ status: 'extending' })
    expect(fixture.begun).toMatchObject([{ name: 'compute.volume.extend', subject: { id } }])
  })

  test("clones a volume in the caller's project, with at least the same size", async () => {
    const { id } = await add({ name: 'data', size: 2, bootable: 'true' })
    const copy = await volumes.clone(fixture.member, id, { name: 'data-clone', size: 3 * GiB })
    expect(copy).toMatchObject({ name: 'data-clone', size: 3 * GiB, status: 'creating' })
    expect(cinder.volumes.get(copy.id)).toMatchObject({ source_volid: id })
    expect(fixture.begun).toMatchObject([
      { name: 'compute.volume.clone', subject: { id: copy.id, name: 'data-clone' } },
    ])
    expect(await volumes.clone(fixture.member, id, { name: 'same' })).toMatchObject({ size: 2 * GiB })
    expect(await refusal(volumes.clone(fixture.member, id, { name: 'less', size: GiB }))).toMatchObject({
      fields: { size: [expect.any(String)] },
    })
    const elsewhere = { ...fixture.operator, project_id: 'p-admin' }
    expect(await refusal(volumes.clone(elsewhere, id, { name: 'mine' }))).toMatchObject({ code: 'unsupported' })
    cinder.volumes.get(id)!.status = 'extending'
    await fixture.engine.refresh(volumeReader, id)
    expect(await refusal(volumes.clone(fixture.member, id, { name: 'busy' }))).toMatchObject({ code: 'invalid_state' })
  })

  test('creates an image from a volume and refreshes it at the end of the task', async () => {
    const { id } = await add({ name: 'data', size: 2 })
    const image = await volumes.uploadToImage(fixture.member, id, 'golden')
    expect(image).toMatchObject({ name: 'golden', disk_format: 'raw', status: 'queued' })
    expect(actionsOf(id)).toEqual([
      {
        'os-volume_upload_image': {
          ...{ image_name: 'golden', disk_format: 'raw', container_format: 'bare', force: false },
        },
      },
    ])
    expect(indexed(id)).toMatchObject({ status: 'uploading' })
    expect(fixture.begun).toMatchObject([
      { name: 'compute.volume.upload_to_image', subject: { id }, args: { image: image.id } },
    ])
  })

  test('explains how to create an image from an attached volume if the cloud does not allow forcing it', async () => {
    const attachments = [{ server_id: 'another', device: '/dev/vda', attached_at: '2026-11-28T00:00:00Z' }]
    const { id } = await add({ status: 'in-use', attachments })
    const message = `Invalid volume: Volume ${id} status must be available`
    fixture.cloud.on('volume', 'POST', '/volumes/:id/action', () => cinderRefusal(400, 'badRequest', message))
    expect(await refusal(volumes.uploadToImage(fixture.member, id, 'golden'))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('clone it and create an image of the clone'),
    })
    expect(actionsOf(id)).toEqual([{ 'os-volume_upload_image': expect.objectContaining({ force: true }) }])
  })

  test('deletes a volume and tracks it until it is gone', async () => {
    const { id } = await add({ name: 'leaving' })
    expect(await volumes.delete(fixture.member, id)).toMatchObject({ id, status: 'deleting' })
    expect(fixture.begun).toMatchObject([{ name: 'compute.volume.delete', args: { until: 'gone' } }])
  })

  test('returns the status deleting for a volume that is already gone', async () => {
    const gone = await add({ name: 'quick' })
    cinder.volumes.clear()
    expect(await volumes.delete(fixture.member, gone.id)).toMatchObject({ name: 'quick', status: 'deleting' })
    expect(indexed(gone.id)).toBeUndefined()
  })

  test('reports why the cloud does not delete a volume', async () => {
    const { id } = await add({})
    const message =
      'Invalid volume: Volume status must be available or error or error_restoring or error_extending or error_managing and must not be migrating, attached, belong to a group, have snapshots.'
    fixture.cloud.on('volume', 'DELETE', '/volumes/:id', () => cinderRefusal(400, 'badRequest', message))
    expect(await refusal(volumes.delete(fixture.member, id))).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('have snapshots'),
    })
  })

  test('returns not_found for volumes in other projects', async () => {
    const { id } = await add({})
    const { stranger, member } = fixture
    for (const attempt of [
      () => volumes.update(stranger, id, { name: 'mine' }),
      () => volumes.extend(stranger, id, 2 * GiB),
      () => volumes.delete(stranger, id),
      () => volumes.resetState(stranger, id),
      () => volumes.delete(member, 'no-such-id'),
    ])
      expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
    expect(await volumes.delete(fixture.operator, id)).toMatchObject({ status: 'deleting' })
  })

  test("shows the cloud's reason for an error", async () => {
    expect(await add({ status: 'error' })).toMatchObject({ fault: 'schedule allocate volume: No space left' })
    expect(await add({ status: 'available' })).toMatchObject({ fault: null })
  })
})

describe('attached volumes', () => {
  const attached = () => add({ name: '', status: 'in-use', attachments: [attachment] })

  test('shows the attachment, and uses the ID as the name if the volume has none', async () => {
    const volume = await attached()
    expect(volume).toMatchObject({
      name: volume.id,
      attachments: [
        { server_id: 's1', server_name: 'name of s1', device: 'vdb', attached_at: '2026-11-21T21:00:00.000Z' },
      ],
    })
  })

  test('refuses to delete an attached volume unless the cloud has since detached it', async () => {
    const { id } = await attached()
    expect(await refusal(volumes.delete(fixture.member, id))).toMatchObject({ code: 'volume_in_use' })
    Object.assign(cinder.volumes.get(id)!, { status: 'available', attachments: [] })
    expect(await volumes.delete(fixture.member, id)).toMatchObject({ status: 'deleting' })
  })

  test('extends an attached volume if the cloud supports it', async () => {
    const { id } = await attached()
    fixture.index.set('server/s1', { id: 's1', project_id: 'p-demo', status: 'ACTIVE', task_state: null })
    expect(await volumes.extend(fixture.member, id, 2 * GiB)).toMatchObject({ status: 'extending' })
    const sent = fixture.cloud.received.find(({ path }) => path.endsWith('/action'))
    expect(sent?.headers['openstack-api-version']).toBe('volume 3.42')
  })

  test('refuses to extend an attached volume in an older cloud', async () => {
    fixture.cloud.microversions.volume = '3.27'
    const { id } = await attached()
    expect(await refusal(volumes.extend(fixture.member, id, 2 * GiB))).toMatchObject({ code: 'unsupported' })
    expect(actionsOf(id)).toEqual([])
  })

  test.each([
    ['an instance uses it', [{ volumeId: 'VOLUME' }], { status: 'in-use', attach_status: 'attached' }],
    ['no instance uses it', [], { status: 'available', attach_status: 'detached' }],
  ])('resets the status of a volume to the actual one if %s', async (_, held, state) => {
    const { id } = await add({ status: 'error', attachments: [attachment] })
    fixture.cloud.on('compute', 'GET', '/servers/:id/os-volume_attachments', () => ({
      body: { volumeAttachments: held.map(() => ({ volumeId: id })) },
    }))
    expect(await volumes.resetState(fixture.operator, id)).toMatchObject({ status: state.status })
    expect(actionsOf(id)).toEqual([{ 'os-reset_status': state }])
  })
})

test('reads volumes in all projects page by page, with the names of their instances', async () => {
  const rows = Array.from({ length: 3 }, () => cinder.add({ status: 'in-use', attachments: [attachment] }))
  fixture.cloud.list('volume', '/volumes/detail', 'volumes', rows, 2)
  const servers = [{ id: 's1', name: 'web' }]
  fixture.cloud.list('compute', '/servers', 'servers', servers)
  const read: Volume[] = []
  for await (const page of volumeReader.all(fixture.engine.reading)) read.push(...page)
  expect(read.map(({ id, attachments }) => [id, attachments[0]?.server_name])).toEqual(
    rows.map(({ id }) => [id, 'web']),
  )
  const asked = fixture.cloud.received.find(({ path }) => path === '/volumes/detail')
  expect([asked?.query.get('all_tenants'), asked?.token?.user.name]).toEqual(['1', 'service'])
})

test.each([
  ['creating', true],
  ['extending', true],
  ['reserved', true],
  ['available', false],
  ['error', false],
  ['awaiting-transfer', false],
])('treats a volume that is %s as busy: %s', async (status, busy) => {
  expect(volumeReader.isBusy(await add({ status }))).toBe(busy)
})
