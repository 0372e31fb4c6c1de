import * as z from 'zod'
import { crud } from '../core/crud'
import { create, endpoints, update } from '../core/endpoint'
import { someId } from '../core/example'
import { kind } from '../core/kind'
import { Description, Id, ResourceName, Time } from '../core/names'
import { StoragePolicyName } from './volumes'

/**
 * State of the file systems in a recovery point. `guest`: the guest froze them. `crash`: as after a power failure, with
 * all volumes captured at the same moment. `spread`: as after a power failure, with the volumes captured one after
 * another.
 */
export const BackupConsistency = z.enum(['guest', 'crash', 'spread'])

/**
 * Result of a test restore. `confirmed`: the guest agent of the virtual machine answered, so its system started. `started`:
 * the virtual machine ran, but nothing in it confirmed that. `failed`: the volumes could not be restored, or the virtual
 * machine did not keep running.
 */
export const RestoreTest = z.object({
  at: Time,
  result: z.enum(['confirmed', 'started', 'failed']),
  reason: z.string().nullable().describe('Why the test failed. Null: it did not.'),
})
export type RestoreTest = z.infer<typeof RestoreTest>

/** A recovery point: the content of a volume at one moment, stored outside the volume. Sizes in bytes. */
export const VolumeBackup = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  status: z.string(),
  /** Progress in percent while the recovery point is being created. */
  progress: z.number().nullable(),
  fault: z.string().nullable(),
  volume_id: z.string(),
  /** Name of the volume when the recovery point was created. The volume may no longer exist. */
  volume_name: z.string(),
  /** Size of the volume. */
  size: z.number().int(),
  stored_size: z
    .number()
    .int()
    .nullable()
    .describe('Space that the recovery point uses where it is stored. Null: not known.'),
  is_incremental: z.boolean().describe('Whether only the changes since the recovery point `parent_id` are stored.'),
  parent_id: z.string().nullable(),
  has_dependents: z
    .boolean()
    .describe('Whether other recovery points need this one. It cannot be deleted before them.'),
  /** Same for all recovery points that were created together. */
  instant_id: z.string(),
  consistency: BackupConsistency,
  /** Time at which the content was captured. */
  taken_at: Time,
  /** Virtual machine that the volume was attached to. */
  server_id: z.string().nullable(),
  server_name: z.string().nullable(),
  device: z.string().nullable().describe('Device of the volume in the virtual machine, such as `vda`.'),
  storage_policy_name: z.string(),
  backup_plan_id: z.string().nullable(),
  backup_plan_name: z.string().nullable(),
  verified_at: Time.nullable().describe('When the stored files were last read back and found to be intact.'),
  damaged_by: z
    .string()
    .nullable()
    .describe('ID of the damaged recovery point, this one or an earlier one that it needs. Null: no damage is known.'),
  restore_test: RestoreTest.nullable().describe('The last test restore of the virtual machine. Null: there was none.'),
  project_id: z.string(),
  domain_id: z.string(),
  user_id: z.string(),
  created_at: Time,
  updated_at: Time,
})
export type VolumeBackup = z.infer<typeof VolumeBackup>

/** Fields of every call that creates recovery points. */
const named = {
  name: ResourceName,
  description: Description.default(''),
  /** Stores the whole content, even if the changes since the last recovery point would be enough. */
  full: z.boolean().default(false),
}

export const VolumeBackupDraft = z
  .strictObject({ volume_id: Id, ...named })
  .meta({ examples: [{ volume_id: someId('volume'), name: 'before-update' }] })
export type VolumeBackupDraft = z.infer<typeof VolumeBackupDraft>

/** Recovery points of all volumes of a virtual machine. */
export const InstantDraft = z.strictObject(named).meta({ examples: [{ name: 'before-update' }] })
export type InstantDraft = z.infer<typeof InstantDraft>

export const RestoreDraft = z
  .strictObject({
    name: ResourceName,
    /** Default: the policy of the original volume. */
    storage_policy: StoragePolicyName.optional(),
  })
  .meta({ examples: [{ name: 'restored' }] })
export type RestoreDraft = z.infer<typeof RestoreDraft>

/** A recovery point that is being restored to a new volume. */
export const Restoration = VolumeBackup.extend({ restored_volume_id: z.string() })
export type Restoration = z.infer<typeof Restoration>

/** A check that is made before a restore. `reason` tells users why the check failed. */
export const RestoreCheck = z.object({
  name: z.enum(['chain', 'target', 'quota', 'space']),
  ok: z.boolean().nullable().describe('Null: not known in this cloud.'),
  reason: z.string().nullable(),
})
export type RestoreCheck = z.infer<typeof RestoreCheck>

export const volumeBackupKind = kind({
  name: 'volume_backup',
  entity: VolumeBackup,
  visibility: 'project',
  status: 'status',
  filters: [
    'id',
    'name',
    'volume_id',
    'volume_name',
    { name: 'status', type: 'id' },
    'instant_id',
    'parent_id',
    'server_id',
    'server_name',
    'backup_plan_id',
    'backup_plan_name',
    'is_incremental',
    { name: 'damaged_by', type: 'id' },
    'size',
    'stored_size',
    'taken_at',
    'created_at',
    'project_id',
  ],
  sortKeys: ['name', 'id', 'status', 'volume_name', 'server_name', 'size', 'stored_size', 'taken_at', 'created_at'],
  defaultSort: 'taken_at:desc',
  search: ['name', 'id', 'volume_name', 'server_name', 'backup_plan_name'],
  permissions: { collection: 'compute_volume_backups', item: 'compute_volume_backups' },
})

const path = '/api/v2/compute/volume_backups'
export const volumeBackups = endpoints({
  ...crud(volumeBackupKind, {
    path,
    called: ['a recovery point', 'recovery points'],
    draft: VolumeBackupDraft,
    delete: true,
    accepted: ['create', 'delete'],
    summaries: {
      create:
        'Create a recovery point of a volume. If the volume is in use, its file systems are frozen by the guest agent, or look as they would after a power failure (`consistency`).',
      delete: 'Delete a recovery point. Recovery points that need it have to be deleted first.',
    },
  }),
  createInstant: {
    verb: 'POST',
    path: '/api/v2/compute/servers/:id/backups',
    needs: create('compute_volume_backups'),
    summary: 'Create recovery points of all volumes of a virtual machine at the same moment',
    body: InstantDraft,
    status: 202,
    reply: z.array(VolumeBackup),
  },
  restore: {
    verb: 'POST',
    path: `${path}/:id/restore`,
    needs: update('compute_volume_backups'),
    summary: 'Restore a recovery point to a new volume. The original volume is not changed.',
    body: RestoreDraft,
    status: 202,
    reply: Restoration,
  },
  checkRestore: {
    verb: 'POST',
    path: `${path}/:id/restore-check`,
    needs: update('compute_volume_backups'),
    summary: 'Check whether a recovery point can be restored now, without restoring it',
    query: z.object({
      instant: z
        .enum(['true', 'false'])
        .default('false')
        .describe('`true`: with all recovery points that were created together with it.'),
    }),
    reply: z.object({
      checks: z.array(RestoreCheck),
      estimated_seconds: z
        .number()
        .int()
        .nullable()
        .describe('Estimated from the last restores. Null: there are none to estimate it from.'),
    }),
  },
  verify: {
    verb: 'POST',
    path: `${path}/:id/verify`,
    needs: update('compute_volume_backups'),
    summary: 'Read the stored files of a recovery point, and of those that it needs, and compare their checksums',
    status: 202,
    reply: VolumeBackup,
  },
})
