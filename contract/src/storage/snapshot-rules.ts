import { says, type RuleText } from '../core/said'
import type { VolumeStatus } from './volume-rules'

/** Statuses of a volume snapshot (product notes 02 §B). */
export const snapshotStatuses = [
  'creating',
  'available',
  'restoring',
  'backing-up',
  'unmanaging',
  'deleting',
  'error',
  'error_deleting',
] as const
export type SnapshotStatus = (typeof snapshotStatuses)[number]

const inProgress = ['creating', 'restoring', 'backing-up', 'unmanaging', 'deleting']
export const snapshotInProgress = ({ status }: { status: string }): boolean => inProgress.includes(status)
export const snapshotIsErrored = ({ status }: { status: string }): boolean => status.startsWith('error')

export type SnapshotAction = 'rename' | 'revert' | 'copy' | 'delete'
const allowedIn: Record<SnapshotAction, (status: string) => boolean> = {
  rename: (status) => !inProgress.includes(status),
  revert: (status) => status === 'available',
  /** Create a volume or an image from the snapshot. */
  copy: (status) => status === 'available',
  delete: (status) => status === 'available' || status.startsWith('error'),
}
export const snapshotCan = (action: SnapshotAction, { status }: { status: string }): boolean =>
  allowedIn[action](status)

/** Returns the error message for an action that `snapshotCan` does not currently allow. */
export const whySnapshotNotNow = ({ status }: { status: string }): RuleText =>
  says('storage.snapshot_not_now', { status })

/** Statuses of a volume in which a snapshot of it can be created. */
const canBeCaptured: readonly VolumeStatus[] = ['available', 'in-use']
export const volumeCanBeCaptured = ({ status }: { status: string }): boolean =>
  (canBeCaptured as readonly string[]).includes(status)

/** The fields of a snapshot that determine which one is the newest. */
type Dated = { id: string; volume_id: string; created_at: string }

/** Returns the newest snapshot of each volume, by the ID of the volume. Only this one can be reverted to. */
export function newestSnapshots<Row extends Dated>(snapshots: Iterable<Row>): Map<string, Row> {
  const newest = new Map<string, Row>()
  for (const row of snapshots) {
    const known = newest.get(row.volume_id)
    if (!known || row.created_at > known.created_at) newest.set(row.volume_id, row)
  }
  return newest
}
