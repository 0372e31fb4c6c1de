import type { StoragePolicy } from '@mainstay/contract/storage/storage-policies'
import * as z from 'zod'
import { restReader } from '../rest-reader'

const WireType = z.object({
  id: z.string(),
  name: z.string(),
  'os-volume-type-access:is_public': z.boolean().nullish(),
  is_public: z.boolean().nullish(),
})

/** Volume types, including private ones. Their properties depend on the driver, so they are not shown. */
export const storagePolicyReader = restReader({
  kind: 'storage_policy',
  service: 'volume',
  path: '/types',
  key: ['volume_types', 'volume_type'],
  item: WireType,
  query: { is_public: 'None' },
  row: ({ id, name, 'os-volume-type-access:is_public': isOpen, is_public }): StoragePolicy => ({
    ...{ id, name, tier: null, redundancy: null, failure_domain: null, qos: {} },
    // volume types are public unless the cloud reports otherwise
    is_public: isOpen ?? is_public ?? true,
  }),
  isNeverAnnounced: true,
})
