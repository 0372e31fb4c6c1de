import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { isRestorable, isRotated } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { everyRow } from '../../http/rows/every-row'
import type { Tools } from '../../tools'
import { scopeOfPlan } from './plan-rows'

/** Recovery points that are looked at in one run, the oldest first. */
const MOST_POINTS = 100_000

/** The recovery points of one volume that a plan no longer keeps, oldest first. Failed ones are not counted. */
export function expired(points: readonly VolumeBackup[], rotation: number): string[] {
  const own = points.filter(isRotated).toSorted((a, b) => a.taken_at.localeCompare(b.taken_at))
  const kept = new Set(own.filter((point) => isRestorable(point) && point.damaged_by === null).slice(-rotation))
  const newest = own.findLast((point) => kept.has(point))
  // what failed after the newest good one is kept, so that its reason can be read
  return own
    .filter((point) => !kept.has(point) && newest !== undefined && point.taken_at < newest.taken_at)
    .map(({ id }) => id)
}

/** Removes the recovery points that a plan no longer keeps. */
export async function expirePoints(
  { inventory, ports }: Pick<Tools, 'inventory' | 'ports'>,
  plan: BackupPlan,
): Promise<void> {
  const scope = scopeOfPlan(plan)
  const { rows } = await everyRow<VolumeBackup>({ inventory }, volumeBackupKind, scope, {
    ...{ most: MOST_POINTS, backup_plan_id: plan.id, sort: 'taken_at:asc' },
  })
  const ofVolumes = new Map<string, VolumeBackup[]>()
  for (const row of rows) ofVolumes.set(row.volume_id, [...(ofVolumes.get(row.volume_id) ?? []), row])
  for (const points of ofVolumes.values()) {
    const ids = expired(points, plan.properties.recovery_points_rotation)
    if (ids.length > 0) await ports.storage.volumeBackups.expire(scope, ids)
  }
}
