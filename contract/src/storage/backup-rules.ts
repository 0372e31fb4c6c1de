import { says, type RuleText } from '../core/said'

/** Statuses of a recovery point (product notes 05 §A6). */
export const backupStatuses = [
  'creating',
  'available',
  'restoring',
  'verifying',
  'deleting',
  'error',
  'error_restoring',
  'error_deleting',
] as const
export type BackupStatus = (typeof backupStatuses)[number]

const inProgress = ['creating', 'restoring', 'verifying', 'deleting']
export const backupInProgress = ({ status }: { status: string }): boolean => inProgress.includes(status)
export const backupIsErrored = ({ status }: { status: string }): boolean => status.startsWith('error')

/** The fields of a recovery point that the rules depend on. */
interface Point {
  status: string
  has_dependents: boolean
}

export type BackupAction = 'restore' | 'verify' | 'delete'
const allowedIn: Record<BackupAction, (status: string) => boolean> = {
  // a failed restore can be retried, for example after freeing disk space
  restore: (status) => status === 'available' || status === 'error_restoring',
  verify: (status) => status === 'available' || status === 'error_restoring',
  delete: (status) => status === 'available' || status.startsWith('error'),
}
export const backupCan = (action: BackupAction, { status, has_dependents }: Point): boolean =>
  allowedIn[action](status) && !(action === 'delete' && has_dependents)

/** Returns the error message for an action that `backupCan` does not currently allow. */
export const whyBackupNotNow = ({ status, has_dependents }: Point): RuleText =>
  has_dependents && !backupInProgress({ status })
    ? says('storage.backup_has_children')
    : says('storage.backup_not_now', { status })

/** Names of recovery points that start with this are not counted or removed by a plan, even if it created them. */
export const MANUAL_PREFIX = 'manual-'

/** Whether a recovery point counts towards the number that its plan keeps. */
export const isRotated = ({ backup_plan_id, name }: { backup_plan_id: string | null; name: string }): boolean =>
  backup_plan_id !== null && !name.startsWith(MANUAL_PREFIX)

/** Maximum number of incremental recovery points after a full one. */
export const MAX_INCREMENTS = 7

/** Number of full recovery points among this many of a volume. */
export const fullPoints = (points: number): number => Math.ceil(points / (MAX_INCREMENTS + 1))

/** Statuses in which the content of a recovery point is stored, unless it is damaged. */
export const restorableStatuses: readonly string[] = ['available', 'restoring', 'verifying', 'error_restoring']
export const isRestorable = ({ status }: { status: string }): boolean => restorableStatuses.includes(status)
