import {
  booleans,
  ignored,
  isFalse,
  jsonParams,
  renamed,
  sizeFilter,
  sizes,
  unpaged,
  type CallTolerances,
} from '../core/tolerance'
import { domainQuotas, quotas } from '../compute/quotas'
import { storagePolicies } from './storage-policies'
import { volumeSnapshots } from './volume-snapshots'
import { volumes } from './volumes'

export const storageTolerances: CallTolerances = [
  [
    volumes.list,
    {
      query: [renamed({ volume_type: 'storage_policy' }), sizeFilter('size')],
    },
  ],
  [
    volumes.create,
    {
      body: [
        sizes('size'),
        renamed({ imageRef: 'image_id' }),
        booleans('bootable'),
        ignored(['network_install'], isFalse),
      ],
    },
  ],
  // volumes have no placements, so removing them has no effect
  [volumes.update, { body: [ignored(['no_placements']), ignored(['network_install'], isFalse), booleans('bootable')] }],
  ...[volumes.extend, volumes.clone].map((call) => [call, { body: [sizes('size')] }] as const),
  ...[quotas.view, domainQuotas.view].map((call) => [call, { query: [jsonParams] }] as const),
  [volumeSnapshots.list, { query: [jsonParams] }],
  [storagePolicies.list, { query: [unpaged] }],
]
