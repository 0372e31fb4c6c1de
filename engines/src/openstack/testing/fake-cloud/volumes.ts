import { randomUUID } from 'node:crypto'
import { fakeBackups, type FakeBackups } from './backups'
import { recordedRow } from './recorded-rows'
import type { FakeCloud, Received, Reply } from './cloud'
import { cinderRefusal } from './refusals'
import { fakeSnapshots, type FakeSnapshots } from './snapshots'

export type FakeVolume = Record<string, unknown> & {
  id: string
  name: string
  status: string
  size: number
  attachments: { server_id: string; device: string; attached_at: string }[]
}

export interface FakeVolumes extends FakeSnapshots, FakeBackups {
  volumes: Map<string, FakeVolume>
  types: { id: string; name: string; 'os-volume-type-access:is_public': boolean }[]
  /** Quota in GiB. Like the real volume service, the fake rejects requests that exceed it. */
  quotaGiB: number
  add(volume: Partial<FakeVolume>): FakeVolume
  /** Adds an image to the fake image service when a volume is uploaded to it; returns the image ID. */
  addImage(image: Record<string, unknown>): string
  /** Completes all pending operations. */
  settle(): void
}

/** Statuses in which the service deletes a volume. */
const deletable = ['available', 'error', 'error_restoring', 'error_extending', 'error_managing']

/** Statuses of operations that `settle` completes. */
const passing = ['creating', 'extending', 'uploading', 'reverting', 'backing-up', 'restoring-backup']

/**
 * Serves the parts of the volume service that the commands use: https://docs.openstack.org/api-ref/block-storage/v3/
 */
export function fakeVolumes(cloud: FakeCloud): FakeVolumes {
  const volumes = new Map<string, FakeVolume>()
  const { settleSnapshots, whyNoVolume, revert, snapshotsOf, ...kept } = fakeSnapshots(cloud, volumes, (more) =>
    beyondQuota(more),
  )
  const { settleBackups, ...backups } = fakeBackups(cloud, volumes)
  // the volume service returns times without a time zone
  const now = () => new Date().toISOString().replace('Z', '000')
  const fake: FakeVolumes = {
    volumes,
    ...kept,
    ...backups,
    types: [
      { id: 'type-ceph', name: 'ceph', 'os-volume-type-access:is_public': true },
      { id: 'type-hidden', name: 'hidden', 'os-volume-type-access:is_public': false },
    ],
    quotaGiB: 1000,
    addImage: () => randomUUID(),
    add(volume) {
      const made = {
        ...recordedRow('volume'),
        id: randomUUID(),
        name: '',
        description: null,
        status: 'available',
        size: 1,
        bootable: 'false',
        attachments: [],
        volume_type: 'ceph',
        user_id: 'u-demo',
        'os-vol-tenant-attr:tenant_id': 'p-demo',
        'os-vol-host-attr:host': 'secret-host@ceph#ceph',
        created_at: now(),
        updated_at: null,
        ...volume,
      }
      volumes.set(made.id, made)
      return made
    },
    settle() {
      for (const volume of volumes.values()) {
        if (volume.status === 'deleting') volumes.delete(volume.id)
        if (passing.includes(volume.status)) volume.status = volume.attachments.length > 0 ? 'in-use' : 'available'
      }
      settleSnapshots()
      settleBackups()
    },
  }
  const { add } = fake
  const on = (verb: string, path: string, answer: (volume: FakeVolume, call: Received) => Reply) =>
    cloud.on('volume', verb, path, (call) => {
      const volume = volumes.get(call.params['id'] ?? '')
      if (!volume) return cinderRefusal(404, 'itemNotFound', `Volume ${call.params['id']} could not be found.`)
      return answer(volume, call)
    })
  const sizeOf = (rows: Iterable<{ size: number }>) => [...rows].reduce((sum, { size }) => sum + size, 0)
  const usedGiB = () => sizeOf(volumes.values()) + sizeOf(kept.snapshots.values())
  const beyondQuota = (more: number): Reply | null => {
    const used = usedGiB()
    if (used + more <= fake.quotaGiB) return null
    const numbers = `Requested ${more}G, quota is ${fake.quotaGiB}G and ${used}G has been consumed.`
    const message = `VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota. ${numbers}`
    return cinderRefusal(413, 'overLimit', message)
  }

  const amount = (limit: number, in_use: number) => ({ limit, in_use, reserved: 0 })
  cloud.on('volume', 'GET', '/os-quota-sets/:id', () => ({
    body: {
      quota_set: {
        volumes: amount(10, volumes.size),
        gigabytes: amount(fake.quotaGiB, usedGiB()),
        backup_gigabytes: amount(fake.backupQuota.limit, sizeOf(fake.backups.values())),
      },
    },
  }))
  // `is_public=None` also lists private types
  cloud.on('volume', 'GET', '/types', ({ query }) => ({
    body: {
      volume_types: fake.types.filter(
        (it) => it['os-volume-type-access:is_public'] || query.get('is_public') === 'None',
      ),
    },
  }))
  cloud.on('volume', 'GET', '/types/:id', ({ params }) => {
    const volume_type = fake.types.find(({ id }) => id === params['id'])
    return volume_type
      ? { body: { volume_type } }
      : cinderRefusal(404, 'itemNotFound', `Volume type ${params['id']} could not be found.`)
  })
  cloud.on('volume', 'POST', '/volumes', ({ body, token }) => {
    type Draft = { name: string; size: number; imageRef?: string; snapshot_id?: string }
    const { volume: draft } = body as { volume: Draft }
    const made = { status: 'creating', 'os-vol-tenant-attr:tenant_id': token?.project?.id ?? '', ...draft }
    return whyNoVolume(draft) ?? beyondQuota(draft.size) ?? { status: 202, body: { volume: add(made) } }
  })
  cloud.on('volume', 'GET', '/messages', ({ query }) => ({
    body: {
      messages: query.get('resource_uuid') ? [{ user_message: 'schedule allocate volume: No space left' }] : [],
    },
  }))
  on('GET', '/volumes/:id', (volume) => ({ body: { volume } }))
  cloud.on('volume', 'GET', '/volumes/detail', () => ({ body: { volumes: [...volumes.values()] } }))
  on('PUT', '/volumes/:id', (volume, { body }) => {
    Object.assign(volume, (body as { volume: object }).volume)
    return { body: { volume } }
  })
  on('DELETE', '/volumes/:id', (volume, { query }) => {
    const own = snapshotsOf(volume)
    if (!deletable.includes(volume.status) || (own.length > 0 && query.get('cascade') !== 'true')) {
      const words = 'must not be migrating, attached, belong to a group, have snapshots'
      const message = `Invalid volume: Volume status must be ${deletable.join(' or ')} and ${words}.`
      return cinderRefusal(400, 'badRequest', message)
    }
    for (const one of [volume, ...own]) one.status = 'deleting'
    return { status: 202 }
  })
  on('POST', '/volumes/:id/action', (volume, { body }) => {
    const action = body as Record<string, Record<string, unknown>>
    if (action['os-set_bootable']) volume['bootable'] = String(action['os-set_bootable']['bootable'])
    if (action['os-reset_status']) volume.status = String(action['os-reset_status']['status'])
    if (action['os-volume_upload_image']) {
      const { image_name: name, disk_format, force } = action['os-volume_upload_image']
      const isReady = volume.status === 'available' || (volume.status === 'in-use' && force === true)
      if (!isReady)
        return cinderRefusal(400, 'badRequest', `Invalid volume: Volume ${volume.id} status must be available`)
      const image_id = fake.addImage({
        name: String(name),
        disk_format,
        status: 'queued',
        owner: volume['os-vol-tenant-attr:tenant_id'],
      })
      volume.status = 'uploading'
      return { status: 202, body: { 'os-volume_upload_image': { id: volume.id, image_id, status: 'uploading' } } }
    }
    if (action['revert']) {
      const refused = revert(volume, String(action['revert']['snapshot_id']))
      if (refused) return refused
    }
    if (action['os-extend']) {
      const size = Number(action['os-extend']['new_size'])
      const refused = beyondQuota(size - volume.size)
      if (refused) return refused
      Object.assign(volume, { status: 'extending', size })
    }
    return { status: 202 }
  })
  return fake
}
