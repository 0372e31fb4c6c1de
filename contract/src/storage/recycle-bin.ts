import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Id, Time } from '../core/names'

/** Kinds whose rows are moved to the recycle bin when they are deleted. */
export const recycledKinds = ['server', 'volume'] as const
export type RecycledKind = (typeof recycledKinds)[number]

/**
 * A deleted instance or volume that can be restored until `expires_at`. It keeps its ID, even after it is restored.
 * Sizes are in bytes.
 */
export const RecycledItem = z.object({
  id: z.string(),
  kind: z.enum(recycledKinds),
  name: z.string(),
  description: z.string(),
  /** `recycled`: can be restored. `deleting`: is being deleted permanently. */
  status: z.enum(['recycled', 'deleting']),
  /** Why the last attempt to delete it permanently failed. */
  fault: z.string().nullable(),
  /** Total size of all its volumes. */
  size: z.number().int(),
  /** For instances: volumes that were deleted with it, and its former IP addresses, which other objects may use now. */
  volumes: z.array(z.object({ id: z.string(), name: z.string(), size: z.number().int() })),
  addresses: z.array(z.string()),
  /** Flavor of a deleted instance; null for volumes. */
  flavor_name: z.string().nullable(),
  /** Username. */
  deleted_by: z.string(),
  deleted_at: Time,
  /** When the object will be deleted permanently. */
  expires_at: Time,
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
})
export type RecycledItem = z.infer<typeof RecycledItem>

/** Returns the quota usage of an item: only its storage counts. */
const held = ({ kind: of, volumes, size }: RecycledItem) => ({
  volumes: of === 'server' ? volumes.length : 1,
  storage: size,
})

export const recycledItemKind = kind({
  name: 'recycled_item',
  entity: RecycledItem,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    { name: 'kind', type: 'id' },
    { name: 'status', type: 'id' },
    { name: 'deleted_by', type: 'text' },
    'size',
    'deleted_at',
    'expires_at',
    'project_id',
    'domain_id',
  ],
  sortKeys: ['name', 'kind', 'size', 'deleted_by', 'deleted_at', 'expires_at'],
  defaultSort: 'deleted_at:desc',
  search: ['name', 'id', 'description', 'deleted_by', 'derived.inside'],
  derive: {
    version: 2,
    from: (item) => ({
      ...held(item),
      inside: [...item.volumes.map(({ name, id }) => `${name} ${id}`), ...item.addresses].join(' '),
    }),
  },
  sums: ['derived.volumes', 'derived.storage'],
  permissions: { collection: 'compute_recycle_bin', item: 'compute_recycled_item' },
})

/** A part that could not be restored, because it no longer exists or is in use. */
export const LeftOut = z.object({
  kind: z.enum(['network', 'floating_ip', 'volume', 'image', 'server_group']),
  name: z.string(),
})
export type LeftOut = z.infer<typeof LeftOut>

export const Restored = z.object({
  id: z.string(),
  kind: z.enum(recycledKinds),
  name: z.string(),
  /** Parts that could not be restored, because they no longer exist or are in use. */
  left_out: z.array(LeftOut),
  /** Network interfaces that got new addresses, because the old ones are in use. */
  new_addresses: z.array(z.object({ network: z.string(), before: z.array(z.string()), now: z.array(z.string()) })),
})
export type Restored = z.infer<typeof Restored>

const path = '/api/v2/compute/recycle-bin'

export const recycleBin = endpoints({
  ...crud(recycledItemKind, {
    path,
    called: ['an item in the recycle bin', 'items in the recycle bin'],
    delete: true,
    accepted: ['delete'],
    summaries: { delete: 'Delete an item in the recycle bin permanently' },
  }),
  restore: {
    verb: 'POST',
    path: `${path}/:id/restore`,
    needs: update('compute_recycled_item'),
    summary: 'Restore an item from the recycle bin. It keeps its ID, its volumes and, if still free, its IP addresses.',
    body: z.strictObject({}).default({}),
    status: 202,
    reply: Restored,
  },
  empty: {
    verb: 'DELETE',
    path,
    needs: remove('compute_recycle_bin'),
    summary: 'Empty the recycle bin of a project. Deletes all its items permanently.',
    query: z.strictObject({
      project_id: Id.optional().describe('Default: the current project.'),
    }),
    status: 202,
    /** Number of items that are being deleted. */
    reply: z.object({ count: z.number().int() }),
  },
})

/** Query for calls that delete objects which can be moved to the recycle bin. */
export const PermanentQuery = z.strictObject({
  permanent: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true`: delete permanently, without the recycle bin.'),
})
