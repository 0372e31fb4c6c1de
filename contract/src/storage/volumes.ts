import * as z from 'zod'
import { GiB, TiB } from '../core/bytes'
import { create, endpoints, read, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { page, PageQuery } from '../core/paging'

/** Bounds of a volume's size (S1§9: 1 and 512): 1 GiB and 512 TiB. */
export const MIN_VOLUME_BYTES = 1 * GiB
export const MAX_VOLUME_BYTES = 512 * TiB

/** Of a volume; the cloud's own choice where it is left out. */
export const StoragePolicyName = z.string().min(1).max(255)

/** Bytes, whole GiB: a form takes GiB and sends bytes (S2§5). */
export const StorageSize = z
  .number()
  .int()
  .min(MIN_VOLUME_BYTES, 'Use at least 1 GiB')
  .max(MAX_VOLUME_BYTES, 'Use at most 512 TiB')
  .refine((bytes) => bytes % GiB === 0, 'Use whole GiB')

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
  /** While it is made from an image: percent. */
  progress: z.number().nullable(),
  fault: z.string().nullable(),
  size: z.number().int(),
  bootable: z.boolean(),
  attachments: z.array(VolumeAttachment),
  storage_policy_name: z.string(),
  /** Where it is kept; only a system scope is told. */
  'os-vol-host-attr:host': z.string().nullable().optional(),
  image_id: z.string().nullable(),
  image_name: z.string().nullable(),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type Volume = z.infer<typeof Volume>

export const VolumeDraft = z.strictObject({
  name: ResourceName,
  description: Description.default(''),
  size: StorageSize,
  /** Makes the volume from an image. */
  image_id: Id.nullable().default(null),
  bootable: z.boolean().default(false),
  storage_policy_name: StoragePolicyName.optional(),
})
export type VolumeDraft = z.infer<typeof VolumeDraft>

export const VolumeChange = z
  .strictObject({
    name: ResourceName,
    description: Description,
    bootable: z.boolean(),
    /** The one that it has. */
    storage_policy_name: StoragePolicyName,
  })
  .partial()
export type VolumeChange = z.infer<typeof VolumeChange>

export const volumeKind = kind({
  name: 'volume',
  entity: Volume,
  visibility: 'project',
  status: 'status',
  filters: {
    id: { path: 'id', type: 'id' },
    name: { path: 'name', type: 'text' },
    status: { path: 'status', type: 'id' },
    size: { path: 'size', type: 'number' },
    bootable: { path: 'bootable', type: 'boolean' },
    storage_policy: { path: 'storage_policy_name', type: 'id' },
    image_id: { path: 'image_id', type: 'id' },
    server_id: { path: 'derived.server_ids', type: 'tags' },
    attached: { path: 'derived.attached', type: 'boolean' },
    project_id: { path: 'project_id', type: 'id' },
  },
  sortKeys: {
    name: { path: 'name', type: 'text' },
    id: { path: 'id', type: 'id' },
    status: { path: 'status', type: 'text' },
    size: { path: 'size', type: 'number' },
    created_at: { path: 'created_at', type: 'time' },
    updated_at: { path: 'updated_at', type: 'time' },
  },
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

const base = '/api/v2/compute/volumes'
export const volumes = endpoints({
  list: {
    verb: 'GET',
    path: base,
    needs: read('compute_volumes'),
    summary: 'List volumes',
    query: PageQuery,
    reply: page(Volume),
  },
  create: {
    verb: 'POST',
    path: base,
    needs: create('compute_volumes'),
    summary: 'Create a volume',
    body: VolumeDraft,
    status: 202,
    reply: Volume,
  },
  view: { verb: 'GET', path: `${base}/:id`, needs: read('compute_volume'), summary: 'Read a volume', reply: Volume },
  update: {
    verb: 'PATCH',
    path: `${base}/:id`,
    needs: update('compute_volume'),
    summary: 'Change a volume',
    body: VolumeChange,
    reply: Volume,
  },
  delete: {
    verb: 'DELETE',
    path: `${base}/:id`,
    needs: remove('compute_volume'),
    summary: 'Delete a volume',
    status: 202,
    reply: Volume,
  },
  extend: {
    verb: 'POST',
    path: `${base}/:id/extend`,
    needs: update('compute_volume'),
    summary: 'Make a volume larger',
    body: z.strictObject({ event: z.string().max(255).optional(), size: StorageSize }),
    status: 202,
    reply: Volume,
  },
  resetState: {
    verb: 'POST',
    path: `${base}/:id/reset-state`,
    needs: create('compute_volume_reset_state'),
    summary: 'Set the status anew',
    body: z.strictObject({ event: z.string().max(255).optional() }).default({}),
    reply: Volume,
  },
})
