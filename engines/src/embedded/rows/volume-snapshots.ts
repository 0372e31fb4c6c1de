import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import {
  newestSnapshots,
  snapshotCan,
  whySnapshotNotNow,
  type SnapshotAction,
} from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction } from '../../ports/records'
import type { Scope } from '../../ports/scope'
import { actsOn } from '../access'

/** Kind of snapshot rows. In the file of its volume, a snapshot is named after the ID of its row. */
export const SNAPSHOT = 'volume_snapshot'

export const snapshotSubject = ({ id, name }: Pick<VolumeSnapshot, 'id' | 'name'>) => ({ kind: SNAPSHOT, id, name })

export const snapshotsOf = (tx: RecordsTransaction, volumeId: string): Promise<VolumeSnapshot[]> =>
  tx.find<VolumeSnapshot>(SNAPSHOT, { volume_id: volumeId })

/** Returns the snapshot of a volume that it can be reverted to, or undefined if it has none. */
export const newestOf = async (tx: RecordsTransaction, volumeId: string): Promise<VolumeSnapshot | undefined> =>
  newestSnapshots(await snapshotsOf(tx, volumeId)).get(volumeId)

export async function changeSnapshot(
  tx: RecordsTransaction,
  row: VolumeSnapshot,
  change: Partial<VolumeSnapshot>,
): Promise<VolumeSnapshot> {
  const changed = { ...row, ...change, updated_at: new Date().toISOString() }
  await tx.put(SNAPSHOT, changed)
  return changed
}

export function refuseSnapshotUnless(action: SnapshotAction, snapshot: VolumeSnapshot): void {
  if (!snapshotCan(action, snapshot)) throw problemOf(whySnapshotNotNow(snapshot))
}

/** Locks the snapshot that a new volume is created from. Throws an error about the field `snapshot_id`. */
export async function usableSnapshot(tx: RecordsTransaction, scope: Scope, id: string): Promise<VolumeSnapshot> {
  const snapshot = await tx.lock<VolumeSnapshot>(SNAPSHOT, id)
  if (!snapshot || !actsOn(scope, snapshot.project_id)) throw fieldProblem('snapshot_id', 'storage.no_such_snapshot')
  const { status } = snapshot
  if (!snapshotCan('copy', snapshot)) throw fieldProblem('snapshot_id', 'storage.snapshot_not_now', { status })
  return snapshot
}

/**
 * Removes the rows of a volume's snapshots, because the volume is being deleted. Returns them. Throws a
 * `volume_has_snapshots` error if there are any and `cascade` is false.
 */
export async function giveUpSnapshots(
  tx: RecordsTransaction,
  { id, name }: Volume,
  cascade: boolean,
): Promise<VolumeSnapshot[]> {
  const snapshots = await snapshotsOf(tx, id)
  if (snapshots.length > 0 && !cascade) {
    throw problem('storage.volume_has_snapshots', { name, count: snapshots.length })
  }
  for (const snapshot of snapshots) await tx.remove(SNAPSHOT, snapshot.id)
  return snapshots
}

/** Starts the job that removes snapshots without rows from the file of a volume that is kept in the recycle bin. */
export const dropSnapshots = (
  tx: RecordsTransaction,
  scope: Scope,
  volume: Volume,
  snapshots: readonly VolumeSnapshot[],
): Promise<string> =>
  tx.startJob({
    name: 'compute.volume_snapshot.drop',
    subject: { kind: 'volume', id: volume.id, name: volume.name },
    args: { volume: volume.id, snapshots: snapshots.map(({ id }) => id) },
    scope,
    hidden: true,
  })
