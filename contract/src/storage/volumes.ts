import { says } from '../core/said'
import * as z from 'zod'
import { someId } from '../core/example'
import { GiB, TiB } from '../core/bytes'
import { Image } from '../compute/images'
import { crud } from '../core/crud'
import { DeletionLock, deletionLockCalls } from '../core/deletion-locks'
import { create, endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { PermanentQuery } from './recycle-bin'

/** Limits on the volume size (S1§9: 1 and 512): 1 GiB and 512 TiB. */
export const MIN_VOLUME_BYTES = 1 * GiB
export const MAX_VOLUME_BYTES = 512 * TiB

/** Storage policy of a volume. Default: chosen by the cloud. */
export const StoragePolicyName = z.string().min(1).max(255)

/** In bytes, but a multiple of 1 GiB, which is the unit of forms (S2§5). */
export const StorageSize = z
  .number()
  .int()
  .min(MIN_VOLUME_BYTES, says('storage.volume_too_small', { least: 1 }))
  .max(MAX_VOLUME_BYTES, says('storage.volume_too_large', { most: 512 }))
  .refine((bytes) => bytes % GiB === 0, says('storage.whole_gib'))

export const VolumeAttachment = z.object({
  server_id: z.string(),
  server_name: z.string(),
  device: z.string().nullable(),
  attached_at: Time,
})

/** A virtual disk. `size` in bytes. */
export const Volume = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.string(),
  /** Progress in percent while the volume is being created from an image. */
  progress: z.number().nullable(),
  fault: z.string().nullable(),
  size: z.number().int(),
  bootable: z.boolean(),
  attachments: z.array(VolumeAttachment),
  storage_policy_name: z.string(),
  /** Storage host; returned only to system scopes. */
  'os-vol-host-attr:host': z.string().nullable().optional(),
  image_id: z.string().nullable(),
  image_name: z.string().nullable(),
  /** Omitted if the volume is not locked. */
  deletion_lock: DeletionLock.optional(),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type Volume = z.infer<typeof Volume>

export const VolumeDraft = z
  .strictObject({
    name: ResourceName,
    description: Description.default(''),
    size: StorageSize,
    /** Creates the volume from an image. */
    image_id: Id.nullable().default(null),
    /** Creates the volume from a snapshot. */
    snapshot_id: Id.nullish(),
    bootable: z.boolean().default(false),
    storage_policy_name: StoragePolicyName.optional(),
  })
  .refine(({ image_id, snapshot_id }) => image_id === null || !snapshot_id, {
    path: ['snapshot_id'],
    message: says('storage.one_source'),
  })
  .meta({
    examples: [
      { name: 'data', size: GiB },
      { name: 'root', size: 2 * GiB, image_id: someId('image') },
    ],
  })
export type VolumeDraft = z.infer<typeof VolumeDraft>

export const VolumeChange = z
  .strictObject({
    name: ResourceName,
    description: Description,
    bootable: z.boolean(),
    /** Must be the current policy. */
    storage_policy_name: StoragePolicyName,
  })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type VolumeChange = z.infer<typeof VolumeChange>

/** A copy of a volume. */
export const VolumeCloneDraft = z
  .strictObject({
    name: ResourceName,
    /** Default: the size of the volume, which is also the minimum. */
    size: StorageSize.optional(),
    storage_policy_name: StoragePolicyName.optional(),
  })
  .meta({ examples: [{ name: 'data-clone' }] })
export type VolumeCloneDraft = z.infer<typeof VolumeCloneDraft>

export const VolumeImageDraft = z
  .strictObject({ image_name: ResourceName })
  .meta({ examples: [{ image_name: 'golden' }] })

export const volumeKind = kind({
  name: 'volume',
  entity: Volume,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    { name: 'status', type: 'id' },
    'size',
    'bootable',
    { name: 'storage_policy', path: 'storage_policy_name', type: 'id' },
    'image_id',
    { name: 'server_id', path: 'derived.server_ids', type: 'tags' },
    { name: 'attached', path: 'derived.attached', type: 'boolean' },
    'project_id',
  ],
  sortKeys: ['name', 'id', 'status', 'size', 'created_at', 'updated_at'],
  derive: {
    version: 1,
    from: ({ attachments }) => ({
      server_ids: attachments.map((it) => it.server_id),
      attached: attachments.length > 0,
    }),
  },
  systemOnly: ['os-vol-host-attr:host'],
  permissions: { collection: 'compute_volumes', item: 'compute_volume' },
})

const path = '/api/v2/compute/volumes'
export const volumes = endpoints({
  ...crud(volumeKind, {
    path,
    called: ['a volume', 'volumes'],
    draft: VolumeDraft,
    change: VolumeChange,
    accepted: ['create'],
  }),
  delete: {
    verb: 'DELETE',
    path: `${path}/:id`,
    needs: remove('compute_volume'),
    summary: 'Delete a volume. It goes to the recycle bin, if that is enabled.',
    query: PermanentQuery.extend({
      cascade: z
        .enum(['true', 'false'])
        .default('false')
        .describe('`true`: delete its snapshots too, permanently. By default, a volume with snapshots is not deleted.'),
    }),
    status: 202,
    reply: Volume,
  },
  ...deletionLockCalls(volumeKind, { rowPath: `${path}/:id`, one: 'a volume' }),
  extend: {
    verb: 'POST',
    path: `${path}/:id/extend`,
    needs: update('compute_volume'),
    summary: 'Extend a volume',
    body: z
      .strictObject({ event: z.string().max(255).optional(), size: StorageSize })
      .meta({ examples: [{ size: 2 * GiB }] }),
    status: 202,
    reply: Volume,
  },
  clone: {
    verb: 'POST',
    path: `${path}/:id/clone`,
    needs: create('compute_volume_clone'),
    summary: 'Clone a volume',
    body: VolumeCloneDraft,
    status: 202,
    reply: Volume,
  },
  uploadToImage: {
    verb: 'POST',
    path: `${path}/:id/upload-to-image`,
    needs: create('compute_volume_upload_to_image'),
    summary: 'Create an image from a volume',
    body: VolumeImageDraft,
    status: 202,
    reply: Image,
  },
  resetState: {
    verb: 'POST',
    path: `${path}/:id/reset-state`,
    needs: create('compute_volume_reset_state'),
    summary: 'Reset the status of a volume',
    body: z.strictObject({ event: z.string().max(255).optional() }).default({}),
    reply: Volume,
  },
})
