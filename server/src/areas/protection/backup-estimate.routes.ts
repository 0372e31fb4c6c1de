import { backupEstimates, type BackupEstimate } from '@mainstay/contract/protection/backup-estimate'
import { backupPlanKind } from '@mainstay/contract/protection/backup-plans'
import { fullPoints, restorableStatuses } from '@mainstay/contract/storage/backup-rules'
import { volumeBackupKind } from '@mainstay/contract/storage/volume-backups'
import { volumeKind, type Volume } from '@mainstay/contract/storage/volumes'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql } from 'kysely'
import { serve } from '../../http/serve'
import type { Tools } from '../../tools'

export const backupEstimateRoutes = serve(
  backupEstimates,
  {
    estimate: ({ scope, body }, tools) => estimateSpace(tools, scope, body.ids, body.recovery_points_rotation),
  },
  { kind: backupPlanKind },
)

interface Measured {
  volume_id: string
  /** Size of the newest full recovery point; null: not known. */
  full: number | null
  /** Median size of the incremental ones; null: not known. */
  increment: number | null
  stored: number
}

/** Estimates the space that this many recovery points of each volume use, from those that exist. */
async function estimateSpace(
  { inventory }: Tools,
  scope: Scope,
  ids: string[],
  points: number,
): Promise<BackupEstimate> {
  const volumes = await inventory.several<Volume>(volumeKind, scope, [...new Set(ids)])
  const rows = await inventory.aggregate<Measured>(volumeBackupKind, scope, ({ from, column }) => {
    const [at, size, isIncremental] = [column('taken_at'), column('stored_size'), column('is_incremental')]
    return sql<Measured>`
      select ${column('volume_id')} as volume_id,
        (array_agg(${size} order by ${at} desc) filter (where not ${isIncremental}))[1] as full,
        percentile_cont(0.5) within group (order by ${size}) filter (where ${isIncremental}) as increment,
        sum(${size}) as stored
      from ${from} where ${column('volume_id')} = any(${volumes.map(({ id }) => id)}::text[])
        and ${column('status')} = any(${restorableStatuses}::text[]) and ${size} is not null
      group by 1 limit ${volumes.length}`
  })
  const full_points = fullPoints(points)
  const increments = points - full_points
  const measured = rows.filter(({ full, increment }) => full !== null && (increments === 0 || increment !== null))
  const sum = (sizes: readonly (number | null)[]) =>
    Math.round(sizes.reduce<number>((all, size) => all + (size ?? 0), 0))
  const fullSize = sum(measured.map(({ full }) => full))
  const incrementSize = sum(measured.map(({ increment }) => increment))
  const isKnown = measured.length > 0
  return {
    ...{ volumes: volumes.length, measured: measured.length, full_points },
    full_size: isKnown ? fullSize : null,
    increment_size: isKnown && increments > 0 ? incrementSize : null,
    estimated_size: isKnown ? fullSize * full_points + incrementSize * increments : null,
    stored_size: sum(rows.map(({ stored }) => stored)),
  }
}
