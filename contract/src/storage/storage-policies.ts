import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'

/** How and where volumes are kept. A volume names its policy by `storage_policy_name`. Null: the engine does not tell it. */
export const StoragePolicy = z.object({
  id: z.string(),
  name: z.string(),
  /** From 0 on. */
  tier: z.number().int().nullable(),
  /** `raid1`: `m` copies, of which `n` must be written. `raid6`: `m` blocks of data and `n` of parity. */
  redundancy: z.object({ type: z.enum(['raid1', 'raid6']), m: z.number().int(), n: z.number().int() }).nullable(),
  /** Level of a location: copies are in different ones. */
  failure_domain: z.number().int().nullable(),
  /** Limits of each volume by their names, such as `total_iops_sec`. */
  qos: z.record(z.string(), z.number()),
  /** Operators alone see the others. */
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
