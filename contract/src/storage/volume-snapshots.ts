import * as z from 'zod'
import { Image } from '../compute/images'
import { crud } from '../core/crud'
import { create, endpoints, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { VolumeImageDraft } from './volumes'

/** The content of a volume at one moment, kept on the same storage. `size` in bytes. */
export const VolumeSnapshot = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.string(),
  fault: z.string().nullable(),
  volume_id: z.string(),
  /** Size of the volume when the snapshot was created. It counts towards the storage quota. */
  size: z.number().int(),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type VolumeSnapshot = z.infer<typeof VolumeSnapshot>

export const VolumeSnapshotDraft = z
  .strictObject({ volume_id: Id, name: ResourceName, description: Description.default('') })
  .meta({ examples: [{ volume_id: someId('volume'), name: 'before-update' }] })
export type VolumeSnapshotDraft = z.infer<typeof VolumeSnapshotDraft>

export const VolumeSnapshotChange = z
  .strictObject({ name: ResourceName, description: Description })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type VolumeSnapshotChange = z.infer<typeof VolumeSnapshotChange>

export const volumeSnapshotKind = kind({
  name: 'volume_snapshot',
  entity: VolumeSnapshot,
  visibility: 'project',
  status: 'status',
  filters: ['id', 'name', 'volume_id', { name: 'status', type: 'id' }, 'size', 'created_at', 'project_id'],
  sortKeys: ['name', 'id', 'status', 'size', 'created_at', 'updated_at'],
  defaultSort: 'created_at:desc',
  permissions: { collection: 'compute_volume_snapshots', item: 'compute_volume_snapshot' },
})

const path = '/api/v2/compute/volume_snapshots'
export const volumeSnapshots = endpoints({
  ...crud(volumeSnapshotKind, {
    path,
    called: ['a volume snapshot', 'volume snapshots'],
    draft: VolumeSnapshotDraft,
    change: VolumeSnapshotChange,
    delete: true,
    accepted: ['create', 'delete'],
    summaries: {
      create:
        'Create a snapshot of a volume. If the volume is in use, its file systems look as they would after a power failure.',
    },
  }),
  revert: {
    verb: 'POST',
    path: `${path}/:id/revert`,
    needs: update('compute_volume_snapshot'),
    summary:
      'Revert a volume to its newest snapshot. Everything written to the volume since then is lost. The volume must be detached or its virtual machine must be stopped.',
    status: 202,
    reply: VolumeSnapshot,
  },
  uploadToImage: {
    verb: 'POST',
    path: `${path}/:id/upload-to-image`,
    needs: create('compute_volume_upload_to_image'),
    summary: 'Create an image from a volume snapshot',
    body: VolumeImageDraft,
    status: 202,
    reply: Image,
  },
  resetState: {
    verb: 'POST',
    path: `${path}/:id/reset-state`,
    needs: create('compute_volume_reset_state'),
    summary: 'Reset the status of a volume snapshot',
    body: z.strictObject({ event: z.string().max(255).optional() }).default({}),
    reply: VolumeSnapshot,
  },
})
