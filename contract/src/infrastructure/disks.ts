import * as z from 'zod'
import { crud } from '../core/crud'
import { kind } from '../core/kind'
import { HostDisk, SmartStatus } from './node-facts'
import { nodeKind } from './nodes'

/** Role of a disk. `system` and its combinations: the disk contains the operating system. */
export const DiskRole = z.enum(['none', 'cs', 'mds', 'journal', 'mds-journal', 'system', 'cs-system', 'mds-system'])
export type DiskRole = z.infer<typeof DiskRole>

export const JournalType = z.enum(['external_cache', 'inner_cache', 'no_cache'])

/** Settings of the storage service on a disk. Null: no storage service uses the disk. */
export const DiskServiceParams = z.object({
  tier: z.number().int().min(0).max(3).nullable(),
  journal_type: JournalType.nullable(),
  /** ID of the disk that holds the cache. */
  journal_disk_id: z.string().nullable(),
  journal_tier: z.number().int().nullable(),
})
export type DiskServiceParams = z.infer<typeof DiskServiceParams>

/** A disk of a node (S2§3 "Disk"). Sizes in bytes. */
export const Disk = z.object({
  id: z.string(),
  node_id: z.string(),
  device: z.string(),
  role: DiskRole,
  type: HostDisk.shape.type,
  space: z.object({ used: z.number().int().nullable(), size: z.number().int() }),
  physical_size: z.number().int(),
  model: z.string().nullable(),
  serial_number: z.string().nullable(),
  lun_id: z.string().nullable(),
  service_id: z.string().nullable(),
  service_status: z.string().nullable(),
  service_params: DiskServiceParams,
  /** `unknown` if the disk does not report SMART data or smartctl is missing. */
  smart_status: SmartStatus,
  /** `unavail`: its node cannot be reached. */
  disk_status: z.enum(['ok', 'failed', 'unavail', 'releasing']),
  /** In °C. */
  temperature: z.number().nullable(),
  zoned: z.boolean(),
  nvme: z.boolean(),
  /** Whether the disk is frozen. The field keeps the spelling that existing clients use. */
  friezed: z.boolean(),
  /** Users of the disk, such as mount points, LVM or RAID. Empty if the disk is unused. */
  holders: z.array(z.string()),
  /** Problems of the disk, such as `smart_failed`. */
  issues: z.array(z.string()),
})
export type Disk = z.infer<typeof Disk>

export const diskKind = kind({
  name: 'disk',
  entity: Disk,
  visibility: 'system',
  parent: { kind: nodeKind, field: 'node_id', goesAlong: true },
  status: 'disk_status',
  filters: ['id', 'device', 'type', 'role', 'disk_status', { name: 'tier', path: 'service_params.tier' }],
  sortKeys: ['device', 'type', 'role', 'disk_status', { name: 'size', path: 'space.size' }],
  defaultSort: 'device:asc',
  search: ['device', 'model', 'serial_number', 'id'],
  permissions: { collection: 'node_disks', item: 'node_disks' },
})

export const disks = crud(diskKind, { path: '/api/v2/nodes/:node_id/disks', called: ['a disk', 'disks'] })
