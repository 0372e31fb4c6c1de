import { createHash } from 'node:crypto'
import path from 'node:path'
import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import {
  BACKUP_HOUR,
  BACKUP_OVERDUE_MS,
  BACKUPS_KEPT,
  BackupKey,
  BackupPlace,
  BackupRun,
  StoredBackup,
  TYPED_BACK,
  type ManagementBackup,
  type ManagementBackupChange,
} from '@mainstay/contract/infrastructure/management-backup'
import { Secret } from '@mainstay/engines/ports/secret'
import * as z from 'zod'
import type { Change, Setting, StoredSetting } from '../../../settings/settings'

/** Name of the job and the task that create a backup. */
export const BACKUP_JOB = 'management.backup.create'
/** Jobs on the same subject run one at a time. */
export const backupSubject = { kind: 'management_backup', id: 'management', name: 'management' }

const Value = z.object({
  hour: z.number(),
  keep: z.number(),
  place: BackupPlace.nullable(),
  /** Name of the file that marks the folder; null for a bucket. */
  marker: z.string().nullable(),
  key: BackupKey.nullable(),
  /** A new key that has not been confirmed yet, with the hash of its last characters. */
  pending: BackupKey.extend({ ending: z.string() }).nullable(),
  backups: z.array(StoredBackup),
  runs: z.array(BackupRun),
})
export type BackupSetting = z.infer<typeof Value>

/** Setting that stores the backup configuration. Its secret is the secret access key of the bucket. */
export const backupSetting: Setting<BackupSetting> = { name: 'management_backup', shape: Value }

export const nothingSet: BackupSetting = {
  ...{ hour: BACKUP_HOUR, keep: BACKUPS_KEPT, place: null, marker: null, key: null, pending: null },
  ...{ backups: [], runs: [] },
}

export const isReady = ({ place, key }: BackupSetting): boolean => place !== null && key !== null

/** Returns the last planned time that is not after `now`, and the next one. */
export function plannedTimes({ hour }: Pick<BackupSetting, 'hour'>, now: Date): { last: Date; next: Date } {
  const today = new Date(now)
  today.setUTCHours(hour, 0, 0, 0)
  const day = 24 * 3600_000
  return today <= now
    ? { last: today, next: new Date(today.getTime() + day) }
    : { last: new Date(today.getTime() - day), next: today }
}

/**
 * Whether the last planned backup has not been attempted yet. After backups are set up, the first one waits for the
 * next planned time.
 */
export const isDue = (value: BackupSetting, now: Date): boolean => {
  const [run] = value.runs
  const since = run ? Date.parse(run.started_at) : Date.parse(value.key?.created_at ?? now.toISOString())
  return isReady(value) && since < plannedTimes(value, now).last.getTime()
}

/** Whether backups are configured, but the last one is too old. */
export function isOverdue(value: BackupSetting, now: Date): boolean {
  const since = value.backups[0]?.created_at ?? value.key?.created_at
  return isReady(value) && since !== undefined && now.getTime() - Date.parse(since) > BACKUP_OVERDUE_MS
}

/** Converts the setting to the form that is returned to callers. */
export function shown(
  kept: StoredSetting<BackupSetting> | null,
  { tasks, isOnSameDisk, now }: { tasks: ManagementBackup['tasks']; isOnSameDisk: boolean; now: Date },
): ManagementBackup {
  const value = kept?.value ?? nothingSet
  const { hour, keep, place, key, backups, runs } = value
  return {
    ...{ last_backup_date: backups[0]?.created_at ?? null, last_backup_location: backups[0]?.location ?? null },
    ...{ ready: isReady(value), tasks, overdue: isOverdue(value, now), hour, keep, place, key, backups, runs },
    has_secret_access_key: kept !== null && (kept.secret !== null || kept.isSealedElsewhere),
    on_same_disk: isOnSameDisk,
    next_backup_date: isReady(value) ? plannedTimes(value, now).next.toISOString() : null,
  }
}

/**
 * Applies a change. A stored secret key is used only for the endpoint and the access key that it was stored for.
 * Throws a `validation` error on the field.
 */
export function changed(
  kept: StoredSetting<BackupSetting> | null,
  { secret_access_key, ...change }: ManagementBackupChange,
): Required<Change<BackupSetting>> {
  const before = kept?.value ?? nothingSet
  const place = change.place ?? before.place
  const value: BackupSetting = {
    ...before,
    ...{ hour: change.hour ?? before.hour, keep: change.keep ?? before.keep, place },
  }
  if (place?.kind !== 's3') {
    if (secret_access_key !== undefined) throw fieldProblem('secret_access_key', 'infrastructure.secret_without_bucket')
    return { value, secret: null }
  }
  if (secret_access_key !== undefined) return { value, secret: new Secret(secret_access_key) }
  const isSame =
    before.place?.kind === 's3' &&
    before.place.endpoint === place.endpoint &&
    before.place.access_key_id === place.access_key_id
  if (!isSame || !kept?.secret) throw fieldProblem('secret_access_key', 'infrastructure.backup_secret_missing')
  return { value, secret: kept.secret }
}

const endingOf = (recipient: string, ending: string): string =>
  createHash('sha256').update(`${recipient} ${ending.toUpperCase()}`).digest('hex')

/**
 * Adds a new key that has to be confirmed. Only its public half and a hash of the last characters of the secret half
 * are stored.
 */
export const withPendingKey = (
  value: BackupSetting,
  { recipient, identity, by }: { recipient: string; identity: string; by: string },
): BackupSetting => ({
  ...value,
  pending: {
    ...{ recipient, created_at: new Date().toISOString(), created_by: by },
    ending: endingOf(recipient, identity.slice(-TYPED_BACK)),
  },
})

/**
 * Replaces the current key with the new one. Throws if another key has been created since, or if the last characters
 * are wrong.
 */
export function withConfirmedKey(value: BackupSetting, given: { recipient: string; ending: string }): BackupSetting {
  const { pending } = value
  if (pending?.recipient !== given.recipient) throw problem('infrastructure.backup_key_replaced')
  if (pending.ending !== endingOf(given.recipient, given.ending.slice(-TYPED_BACK)))
    throw fieldProblem('ending', 'infrastructure.backup_key_ending')
  const { ending: _, ...key } = pending
  return { ...value, key, pending: null }
}

/** Returns the file name for a backup that starts now. */
export const backupName = (now: Date): string =>
  `mainstay-${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z.tar.gz.age`

/** Files of the data folder that are backed up, if they exist. */
export const filesToBackUp = [
  path.join('tls', 'certificate.pem'),
  path.join('tls', 'key.pem'),
  'image-catalogue.json',
  path.join('engine', 'records'),
]
/** The key that secrets in the database are encrypted with. */
export const SEALING_KEY_FILE = 'sealing.key'
