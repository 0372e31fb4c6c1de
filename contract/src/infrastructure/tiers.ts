import * as z from 'zod'
import { endpoints, read } from '../core/endpoint'
import { Time } from '../core/names'
import { FailureDomainName, TierStore } from './locations'
import { Statement } from './node-rules'

/** Share of a tier at which a warning is shown, and at which the tier counts as full. */
export const TIER_NEARLY_FULL = 0.8
export const TIER_FULL = 0.95

/** A storage tier. Sizes in bytes. */
export const StorageTier = z.object({
  tier: z.number().int().min(0).max(3),
  store: TierStore,
  folder: z.string().nullable().describe('Folder that contains the data. Null in Ceph.'),
  devices: z.array(z.string()).describe('Disks that contain the folder.'),
  device_classes: z
    .array(z.string())
    .describe(
      'Device classes of the tier in Ceph: `tier0` to `tier3`, or `nvme` (0), `ssd` (1), `hdd` (2), others (3).',
    ),
  devices_unknown: Statement.nullable().describe('Why the disks are not known. Null if they are known.'),
  total: z.number(),
  used: z.number().describe('Includes everything that is stored on the same file system, and all copies in Ceph.'),
  free: z.number(),
  copies: z
    .number()
    .int()
    .nullable()
    .describe(
      'Smallest number of copies of any data. With erasure coding, the number of parts that can be lost, plus one. Null: no pool of Ceph uses the tier.',
    ),
  failure_domain: FailureDomainName.nullable().describe(
    'Smallest level across which the copies are distributed. Null: no pool of Ceph uses the tier.',
  ),
  encrypted: z.boolean().describe('Whether new data is encrypted.'),
  growth: z
    .number()
    .int()
    .nullable()
    .describe('Change of `used` per day, from up to 30 days of metrics. Null: not known.'),
  growth_unknown: Statement.nullable().describe('Why the growth is not known. Null if it is known.'),
  full_at: Time.nullable().describe(
    'When `used` will reach 95% of `total`, or the current time if it already has. Null: not within 10 years, or the growth is not known.',
  ),
})
export type StorageTier = z.infer<typeof StorageTier>

export const storageTiers = endpoints({
  list: {
    verb: 'GET',
    path: '/api/v2/infrastructure/tiers',
    needs: read('clusters'),
    summary: 'List the tiers of the storage cluster, with their space and the time when they will be full',
    reply: z.object({
      tiers: z.array(StorageTier),
      reason: Statement.nullable().describe('Why no tier is known. Null if there are tiers.'),
    }),
  },
})
