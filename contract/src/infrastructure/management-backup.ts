import * as z from 'zod'
import { create, endpoints, read, update } from '../core/endpoint'
import { isVisible, NOT_VISIBLE, Time } from '../core/names'
import { says } from '../core/said'
import { TaskState } from '../core/tasks'

/* Backup of the platform's own records. It contains neither disks of virtual machines nor objects in buckets. */

/** Default hour of the daily backup, UTC, and number of backups to keep (product notes 08 §G). */
export const BACKUP_HOUR = 3
export const BACKUPS_KEPT = 7
/** A backup older than this is reported as overdue. */
export const BACKUP_OVERDUE_MS = 24 * 3600_000
/** Number of recent runs that are shown. */
export const BACKUP_RUNS = 14

const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, says('core.enter_value'))
    .max(most, says('core.too_long', { most }))
    .regex(isVisible, NOT_VISIBLE)

const Folder = z.strictObject({
  kind: z.literal('folder'),
  /** Absolute path on the host of the server, such as a mounted NFS share. */
  path: line(1024).regex(/^\//, says('infrastructure.absolute_path')),
})
const Bucket = z.strictObject({
  kind: z.literal('s3'),
  endpoint: z.url({ protocol: /^https?$/, error: says('infrastructure.s3_endpoint') }).max(1024),
  region: line(64).default('us-east-1'),
  bucket: line(63),
  /** Beginning of the object keys, such as `mainstay/`. */
  prefix: z.string().trim().max(512).regex(isVisible, NOT_VISIBLE).default(''),
  access_key_id: line(128),
})

/** Where backups are stored. */
export const BackupPlace = z.discriminatedUnion('kind', [Folder, Bucket])
export type BackupPlace = z.infer<typeof BackupPlace>

/**
 * The key that backups are encrypted with: an age recipient (X25519). The server knows only this public half; the
 * secret half is shown once.
 */
export const BackupKey = z.object({ recipient: z.string(), created_at: Time, created_by: z.string() })
export type BackupKey = z.infer<typeof BackupKey>

/** A backup in the backup location. Size in bytes. */
export const StoredBackup = z.object({
  name: z.string(),
  location: z.string(),
  created_at: Time,
  size: z.number().int(),
  /** SHA-256 of the file, in hex. */
  sha256: z.string(),
  /** Time when the stored file was last read back and compared with the original. */
  verified_at: Time,
  /** Version of the platform, which is required to restore the backup. */
  version: z.string(),
  recipient: z.string(),
})
export type StoredBackup = z.infer<typeof StoredBackup>

export const BackupRun = z.object({ started_at: Time, ended_at: Time, error: z.string().nullable() })
export type BackupRun = z.infer<typeof BackupRun>

/** Configuration and state of the management backup. */
export const ManagementBackup = z.object({
  last_backup_date: Time.nullable(),
  last_backup_location: z.string().nullable(),
  /** Whether backups can be created, which requires a location and a key. */
  ready: z.boolean(),
  /** Backups that are being created. */
  tasks: z.array(z.object({ id: z.string(), name: z.string(), state: TaskState, progress: z.number().nullable() })),
  /** Whether the last backup is older than 24 hours, although backups are configured. */
  overdue: z.boolean(),
  /** Hour of the daily backup, 0–23, UTC. */
  hour: z.number().int(),
  /** Number of backups to keep. */
  keep: z.number().int(),
  place: BackupPlace.nullable(),
  has_secret_access_key: z.boolean(),
  /** Whether the folder is on the same disk as the data folder, and would be lost with it. */
  on_same_disk: z.boolean(),
  key: BackupKey.nullable(),
  next_backup_date: Time.nullable(),
  /** Newest first. */
  backups: z.array(StoredBackup),
  /** Newest first. */
  runs: z.array(BackupRun),
})
export type ManagementBackup = z.infer<typeof ManagementBackup>

export const ManagementBackupChange = z
  .strictObject({
    hour: z.int().min(0).max(23),
    keep: z
      .int()
      .min(1, says('core.between', { least: 1, most: 100 }))
      .max(100, says('core.between', { least: 1, most: 100 })),
    place: BackupPlace,
    /** Secret key of the bucket. Never returned. If omitted, the stored one is kept, unless the endpoint changes. */
    secret_access_key: line(256),
  })
  .partial()
  .meta({ examples: [{ hour: 3, keep: 7 }] })
export type ManagementBackupChange = z.infer<typeof ManagementBackupChange>

/** A new key. Returned only once. */
export const NewBackupKey = z.object({
  recipient: z.string(),
  /** Secret half of the key: an age identity, `AGE-SECRET-KEY-1…`. */
  identity: z.string(),
})

/** Number of characters at the end of the key that users must type to confirm that they saved the key. */
export const TYPED_BACK = 4

const path = '/api/v2/backup'
export const managementBackup = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read('management_backup'),
    summary: 'Get the configuration and state of the management backup',
    reply: ManagementBackup,
  },
  create: {
    verb: 'POST',
    path,
    needs: create('management_backup'),
    summary: 'Create a management backup now. It contains all records, but no disks and no objects in buckets.',
    body: z
      .strictObject({})
      .default({})
      .meta({ examples: [{}] }),
    status: 202,
    reply: z.object({ task_id: z.string() }),
  },
  update: {
    verb: 'PATCH',
    path,
    needs: update('management_backup'),
    summary: 'Update when and where management backups are stored. A new place is tested with a small file first.',
    body: ManagementBackupChange,
    reply: ManagementBackup,
  },
  createKey: {
    verb: 'POST',
    path: `${path}/key`,
    needs: update('management_backup'),
    summary: 'Create a new key for management backups. It is returned only once, and used after it is confirmed.',
    body: z.strictObject({}).default({}),
    reply: NewBackupKey,
  },
  confirmKey: {
    verb: 'POST',
    path: `${path}/key/confirm`,
    needs: update('management_backup'),
    summary: 'Confirm a new key by its last four characters. From then on, new backups require it.',
    body: z
      .strictObject({ recipient: z.string().max(100), ending: z.string().trim().max(100) })
      .meta({ examples: [{ recipient: 'age1…', ending: 'A1B2' }] }),
    reply: ManagementBackup,
  },
})
