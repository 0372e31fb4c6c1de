import * as z from 'zod'
import { crud } from '../core/crud'
import { endpoints, remove, update } from '../core/endpoint'
import { kind } from '../core/kind'
import { Id, Time } from '../core/names'

/** Kinds of which rows go into the recycle bin when they are deleted. */
export const recycledKinds = ['server', 'volume'] as const
export type RecycledKind = (typeof recycledKinds)[number]

/**
 * A virtual machine or a volume that was deleted and can be restored until `expires_at`. It has the id that it had, and will
 * have again. Sizes in bytes.
 */
export const RecycledItem = z.object({
  id: z.string(),
  kind: z.enum(recycledKinds),
  name: z.string(),
  description: z.string(),
  /** `recycled`: it can be restored. `deleting`: it is just being deleted for good. */
  status: z.enum(['recycled', 'deleting']),
  /** Why the last try to delete it for good failed. */
  fault: z.string().nullable(),
  /** Of all disks that are kept of it. */
  size: z.number().int(),
  /** Of a virtual machine: the disks that were deleted with it, and the addresses that it had. Others may use them now. */
  volumes: z.array(z.object({ id: z.string(), name: z.string(), size: z.number().int() })),
  addresses: z.array(z.string()),
  /** Of a virtual machine, null of a volume. */
  flavor_name: z.string().nullable(),
  /** Name of the user. */
  deleted_by: z.string(),
  deleted_at: Time,
  /** When it is deleted for good. */
  expires_at: Time,
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
})
export type RecycledItem = z.infer<typeof RecycledItem>

/** What the bin holds of each quota: only what takes space. */
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

/** A thing that a restored object had before and could not get back, because it is gone or taken. */
export const LeftOut = z.object({
  kind: z.enum(['network', 'floating_ip', 'volume', 'image', 'server_group']),
  name: z.string(),
})
export type LeftOut = z.infer<typeof LeftOut>

export const Restored = z.object({
  id: z.string(),
  kind: z.enum(recycledKinds),
  name: z.string(),
  /** What is missing, because it is gone or in use. */
  left_out: z.array(LeftOut),
  /** The network cards that got other addresses, because theirs are taken. */
  new_addresses: z.array(z.object({ network: z.string(), before: z.array(z.string()), now: z.array(z.string()) })),
})
export type Restored = z.infer<typeof Restored>

const path = '/api/v2/compute/recycle-bin'

export const recycleBin = endpoints({
  ...crud(recycledItemKind, {
    path,
    called: ['what was deleted and can be restored', 'what was deleted and can be restored'],
    delete: true,
    accepted: ['delete'],
    summaries: { delete: 'Delete for good what is in the recycle bin' },
  }),
  restore: {
    verb: 'POST',
    path: `${path}/:id/restore`,
    needs: update('compute_recycled_item'),
    summary: 'Restore from the recycle bin, with its ID, its disks and those of its addresses that are free',
    body: z.strictObject({}).default({}),
    status: 202,
    reply: Restored,
  },
  empty: {
    verb: 'DELETE',
    path,
    needs: remove('compute_recycle_bin'),
    summary: 'Delete for good all that is in the recycle bin of a project',
    query: z.strictObject({
      project_id: Id.optional().describe('Left out: the project that the caller acts in'),
    }),
    status: 202,
    /** How many are being deleted. */
    reply: z.object({ count: z.number().int() }),
  },
})

/** Of calls that delete what the recycle bin takes. */
export const PermanentQuery = z.strictObject({
  permanent: z
    .enum(['true', 'false'])
    .default('false')
    .describe('`true`: deletes for good, and nothing goes into the recycle bin'),
})
