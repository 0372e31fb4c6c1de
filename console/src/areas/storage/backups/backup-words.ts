import {
  backupCan,
  backupInProgress,
  backupIsErrored,
  isRestorable,
  type BackupAction,
  type BackupStatus,
} from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Key } from '../../../i18n/catalogues'
import { formatNow } from '../../../i18n/use-format'
import type { Translate } from '../../../i18n/use-t'
import type { Status } from '../../../patterns/table/columns'

const statusKeys: Readonly<Record<BackupStatus, Key<'storage'>>> = {
  creating: 'backups.is.creating',
  available: 'backups.is.available',
  restoring: 'backups.is.restoring',
  verifying: 'backups.is.verifying',
  deleting: 'backups.is.deleting',
  error: 'backups.is.error',
  error_restoring: 'backups.is.errorRestoring',
  error_deleting: 'backups.is.errorDeleting',
}

const consistencyKeys: Readonly<Record<VolumeBackup['consistency'], Key<'storage'>>> = {
  guest: 'backups.consistency.guest',
  crash: 'backups.consistency.crash',
  spread: 'backups.consistency.spread',
}

export const backupStatusText = (status: string, t: Translate<'storage'>): string =>
  status in statusKeys ? t(statusKeys[status as BackupStatus]) : status

export const consistencyText = ({ consistency }: Pick<VolumeBackup, 'consistency'>, t: Translate<'storage'>): string =>
  t(consistencyKeys[consistency])

export const backupTypeText = (
  { is_incremental }: Pick<VolumeBackup, 'is_incremental'>,
  t: Translate<'storage'>,
): string => t(is_incremental ? 'backups.type.incremental' : 'backups.type.full')

/** The status of a recovery point, with the progress while it is being created. */
export function backupStatus(point: Pick<VolumeBackup, 'status' | 'progress'>, t: Translate<'storage'>): Status {
  const { status, progress } = point
  const text = backupStatusText(status, t)
  if (backupInProgress(point))
    return { tone: 'busy', text, detail: progress ? formatNow().percent(progress / 100, 0) : undefined }
  if (backupIsErrored(point)) return { tone: 'bad', text }
  return { tone: status === 'available' ? 'ok' : 'idle', text }
}

/** What is known about the stored files: tested, read back, stored, or damaged. */
export function restorability(
  point: Pick<VolumeBackup, 'status' | 'verified_at' | 'damaged_by' | 'restore_test'>,
  t: Translate<'storage'>,
): Status {
  const { status, verified_at, damaged_by, restore_test } = point
  if (damaged_by !== null) return { tone: 'bad', text: t('backups.damaged') }
  if (status === 'verifying') return { tone: 'busy', text: t('backups.readingBack') }
  if (!isRestorable(point))
    return { tone: 'idle', text: t(mayBeRemoved(status) ? 'backups.unknown' : 'backups.notStored') }
  if (restore_test?.result === 'failed') return { tone: 'warn', text: t('backups.verdict.testFailed') }
  if (restore_test?.result === 'confirmed')
    return { tone: 'ok', text: t('backups.tested', { date: formatNow().date(restore_test.at) }) }
  return verified_at === null
    ? { tone: 'idle', text: t('backups.stored') }
    : { tone: 'ok', text: t('backups.readBack', { date: formatNow().date(verified_at) }) }
}

/** Whether the stored files may already have been removed. */
const mayBeRemoved = (status: string) => status === 'deleting' || status === 'error_deleting'

/** Why an action is currently not available; undefined if it is. */
export function whyBarred(action: BackupAction, point: VolumeBackup, t: Translate<'storage'>): string | undefined {
  if (action === 'restore' && point.damaged_by !== null) return t('backups.damagedBarred')
  if (backupCan(action, point)) return undefined
  if (action === 'delete' && point.has_dependents && !backupInProgress(point)) return t('backups.hasDependents')
  return t('backups.barred', { status: backupStatusText(point.status, t) })
}
