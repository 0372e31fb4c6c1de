import { backupCan, backupIsErrored, MAX_INCREMENTS } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'

/*
 * The recovery points of a volume form chains. A chain starts with a full recovery point, and each increment requires
 * the recovery point before it.
 */

const newestFirst = (one: VolumeBackup, other: VolumeBackup) => Date.parse(other.taken_at) - Date.parse(one.taken_at)

/** Returns the recovery point that the next one of the volume can be based on. Null: the next one must be full. */
export function parentAmong(points: readonly VolumeBackup[]): VolumeBackup | null {
  const sorted = points.toSorted(newestFirst)
  const [newest] = sorted
  // Cinder bases an increment on the newest recovery point, and older versions refuse it unless that one is available
  if (newest?.status !== 'available') return null
  const increments = sorted
    .filter((point) => !backupIsErrored(point))
    .findIndex(({ is_incremental }) => !is_incremental)
  return increments >= 0 && increments < MAX_INCREMENTS ? newest : null
}

const canGo = ({ status }: VolumeBackup): boolean =>
  status === 'deleting' || backupCan('delete', { status, has_dependents: false })

/**
 * Returns the expired recovery points that no other one of the volume requires, in the order in which they can be
 * deleted. `points`: all recovery points of the volume. `expired`: the expired ones, oldest first.
 */
export function removableAmong(
  points: readonly VolumeBackup[],
  expired: readonly Pick<VolumeBackup, 'id'>[],
): VolumeBackup[] {
  const removable: VolumeBackup[] = []
  const isGoing = ({ id }: VolumeBackup) => removable.some((one) => one.id === id)
  for (const { id } of expired.toReversed()) {
    const point = points.find((one) => one.id === id)
    if (!point || !canGo(point)) continue
    const dependents = points.filter(({ parent_id }) => parent_id === id)
    // the dependents of a recovery point that was not created here are unknown
    const isNeeded = point.has_dependents && (dependents.length === 0 || !dependents.every(isGoing))
    if (!isNeeded) removable.push(point)
  }
  return removable
}
