import { problem } from '@mainstay/contract/core/problems'
import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Entity, RecordsTransaction, Subject } from '../../../ports/records'
import type { VolumePlan } from '../../rows/volumes'

/** Kind of the rows of recovery points. A capture has the ID of its row as its name in the disk. */
export const POINT = 'volume_backup'

/** What only the engine needs to know about a recovery point. */
export interface StoredPoint {
  /** ID of the backup target; see `target.ts`. */
  target: string
  /** The stored file: null until it is stored. `location` is for users. Digest in hex. */
  file: { name: string; location: string; sha256: string; bytes: number; isEncrypted: boolean } | null
  /** Digest and size of the captured file, before it is moved to a target that does not encrypt. */
  captured?: { sha256: string; bytes: number }
  /** Whether the file has been captured and waits to be stored. */
  isCaptured: boolean
  /** Properties of the volume that a restored one gets too. */
  volume: { bootable: boolean; image_id: string | null; image_name: string | null }
  plan: VolumePlan | null
  /** Whether earlier recovery points are being merged into this one. */
  isMerging?: boolean
  /** Names of stored files that a merge has replaced and not removed yet. */
  obsolete?: string[]
}

export const pointSubject = ({ id, name }: Pick<VolumeBackup, 'id' | 'name'>): Subject => ({ kind: POINT, id, name })

export const storedPoint = (tx: RecordsTransaction, id: string): Promise<StoredPoint | null> =>
  tx.getPrivate<StoredPoint>(POINT, id)

export const pointsOf = (tx: RecordsTransaction, volumeId: string): Promise<VolumeBackup[]> =>
  tx.find<VolumeBackup>(POINT, { volume_id: volumeId })

export async function changePoint(
  tx: RecordsTransaction,
  row: VolumeBackup,
  change: Partial<VolumeBackup>,
): Promise<VolumeBackup> {
  const changed = { ...row, ...change, updated_at: new Date().toISOString() }
  await tx.put(POINT, changed)
  return changed
}

/** Locks a recovery point and runs `work` if it still has this status. */
export async function changePointIn(
  tx: RecordsTransaction,
  id: string,
  status: string,
  work: (row: VolumeBackup) => Promise<unknown>,
): Promise<void> {
  const row = await tx.lock<VolumeBackup & Entity>(POINT, id)
  if (row?.status === status) await work(row)
}

/** Updates whether other recovery points need this one. */
export async function noteDependents(tx: RecordsTransaction, id: string | null): Promise<void> {
  if (id === null) return
  const row = await tx.lock<VolumeBackup>(POINT, id)
  if (!row) return
  const has_dependents = (await childrenOf(tx, id)).length > 0
  if (has_dependents !== row.has_dependents) await changePoint(tx, row, { has_dependents })
}

/** The recovery points that need this one directly. Those that could not be created need nothing. */
export const childrenOf = async (tx: RecordsTransaction, id: string): Promise<VolumeBackup[]> =>
  (await tx.find<VolumeBackup>(POINT, { parent_id: id })).filter(({ status }) => status !== 'error')

/** A recovery point and those that it needs, oldest first. Throws a `backup_damaged` problem if one is missing. */
export async function chainOf(tx: RecordsTransaction, point: VolumeBackup): Promise<VolumeBackup[]> {
  const chain = [point]
  for (let parent = point.parent_id; parent !== null; parent = chain[0]!.parent_id) {
    const row = await tx.get<VolumeBackup>(POINT, parent)
    if (!row) throw problem('storage.backup_damaged', { name: point.name })
    chain.unshift(row)
  }
  return chain
}

/** A recovery point and those that need it, directly or not. */
export async function descendantsOf(tx: RecordsTransaction, point: VolumeBackup): Promise<VolumeBackup[]> {
  const found = [point]
  for (const one of found) found.push(...(await childrenOf(tx, one.id)))
  return found
}

/** The newest recovery point of a volume that can be restored; undefined if there is none. */
export const newestPoint = async (tx: RecordsTransaction, volumeId: string): Promise<VolumeBackup | undefined> =>
  (await pointsOf(tx, volumeId))
    .filter((row) => isRestorable(row) && row.damaged_by === null)
    .toSorted((a, b) => a.taken_at.localeCompare(b.taken_at))
    .at(-1)

/** Notes whether a stored file is intact. A damaged recovery point also makes those useless that need it. */
export async function noteResult(tx: RecordsTransaction, id: string, isIntact: boolean): Promise<void> {
  const point = await tx.lock<VolumeBackup>(POINT, id)
  if (!point) return
  for (const { id: other } of await descendantsOf(tx, point)) {
    const row = await tx.lock<VolumeBackup>(POINT, other)
    if (!row) continue
    if (isIntact && row.damaged_by === id) await changePoint(tx, row, { damaged_by: null })
    if (!isIntact && row.damaged_by === null) await changePoint(tx, row, { damaged_by: id, verified_at: null })
  }
  const now = await tx.get<VolumeBackup>(POINT, id)
  if (isIntact && now) await changePoint(tx, now, { verified_at: new Date().toISOString() })
}
