import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'

/**
 * Where and how volumes are stored. Volumes refer to it by `storage_policy_name`. Fields are null if the engine does
 * not report them.
 */
export const StoragePolicy = z.object({
  id: z.string(),
  name: z.string(),
  /** Starting at 0. */
  tier: z.number().int().nullable(),
  /** `raid1`: `m` copies, of which `n` must be written. `raid6`: `m` data blocks and `n` parity blocks. */
  redundancy: z.object({ type: z.enum(['raid1', 'raid6']), m: z.number().int(), n: z.number().int() }).nullable(),
  /** Level of the location hierarchy at which copies are kept apart. */
  failure_domain: z.number().int().nullable(),
  /** Limits per volume, by name, such as `total_iops_sec`. */
  qos: z.record(z.string(), z.number()),
  /** If false, only operators can see it. */
  is_public: z.boolean(),
})
export type StoragePolicy = z.infer<typeof StoragePolicy>

export const storagePolicyKind = kind({
  name: 'storage_policy',
  entity: StoragePolicy,
  visibility: 'project',
  shared: { path: 'is_public', equals: true },
  filters: ['id', 'name'],
  sortKeys: ['name'],
  permissions: { collection: 'compute_storage_policies', item: 'compute_storage_policies' },
})

export const storagePolicies = crud(storagePolicyKind, {
  path: '/api/v3/storage_policies',
  called: ['a storage policy', 'storage policies'],
})
