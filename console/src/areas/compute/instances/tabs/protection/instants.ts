import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'

type Point = Pick<
  VolumeBackup,
  | 'id'
  | 'name'
  | 'instant_id'
  | 'taken_at'
  | 'device'
  | 'volume_id'
  | 'status'
  | 'damaged_by'
  | 'backup_plan_id'
  | 'backup_plan_name'
>

/**
 * `available`: all recovery points of the instant can be restored. `incomplete`: the content of some of them is not
 * stored.
 */
export type InstantState = 'available' | 'creating' | 'damaged' | 'incomplete'

/** Recovery points of a virtual machine that were created together. */
export interface Instant {
  id: string
  /** When the first of the recovery points was taken. */
  takenAt: string
  /** The recovery points, ordered by device name. */
  points: readonly Point[]
  /** Number of current volumes of the virtual machine that have a recovery point here. */
  covered: number
  state: InstantState
}

function stateOf(points: readonly Point[]): InstantState {
  if (points.some(({ damaged_by }) => damaged_by !== null)) return 'damaged'
  if (points.some(({ status }) => status === 'creating')) return 'creating'
  return points.every(isRestorable) ? 'available' : 'incomplete'
}

const byTime = (a: string, b: string) => Date.parse(a) - Date.parse(b)

/** Groups recovery points of a virtual machine that were created together, newest first. */
export function instantsOf(points: readonly Point[], volumeIds: readonly string[]): Instant[] {
  const groups = new Map<string, Point[]>()
  for (const point of points) groups.set(point.instant_id, [...(groups.get(point.instant_id) ?? []), point])
  return [...groups]
    .map(([id, group]): Instant => ({
      id,
      takenAt: group.map(({ taken_at }) => taken_at).toSorted(byTime)[0]!,
      points: group.toSorted((a, b) => (a.device ?? a.id).localeCompare(b.device ?? b.id)),
      covered: volumeIds.filter((volume) => group.some(({ volume_id }) => volume_id === volume)).length,
      state: stateOf(group),
    }))
    .toSorted((a, b) => byTime(b.takenAt, a.takenAt))
}

/** Returns the instants from which all current volumes can be restored. */
export const wholeOf = (instants: readonly Instant[], volumeIds: readonly string[]): Instant[] =>
  instants.filter(({ state, covered }) => state === 'available' && covered > 0 && covered === volumeIds.length)
