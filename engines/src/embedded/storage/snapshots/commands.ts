import { randomUUID } from 'node:crypto'
import type { Image } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem, problem, problemOf } from '@mainstay/contract/core/problems'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import { whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type { VolumeSnapshot, VolumeSnapshotDraft } from '@mainstay/contract/storage/volume-snapshots'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { RecordsTransaction, Subject } from '../../../ports/records'
import type { ProjectScope, Scope } from '../../../ports/scope'
import type { VolumeSnapshotsPort } from '../../../ports/storage'
import { actsOn, lockOwn } from '../../access'
import { checkSpace } from '../../compute/capacity'
import { subjectOf } from '../../compute/instances/rows'
import type { Engine } from '../../engine'
import { checkQuotas } from '../../quotas'
import { changeVolume } from '../../rows/volumes'
import { imageOf, ownerOf } from '../volumes/copies'
import { volumeSubject } from '../volumes/delete'
import { lockVolume } from '../volumes/lock'
import {
  changeSnapshot,
  newestOf,
  refuseSnapshotUnless,
  SNAPSHOT,
  snapshotsOf,
  snapshotSubject,
} from '../../rows/volume-snapshots'

export const snapshotCommands = (engine: Engine): VolumeSnapshotsPort => ({
  create: (scope, draft) => createSnapshot(engine, scope, draft),
  update: (scope, id, change) =>
    engine.records.transaction(async (tx) => {
      const row = await lockOwn<VolumeSnapshot>(tx, SNAPSHOT, scope, id)
      refuseSnapshotUnless('rename', row)
      return changeSnapshot(tx, row, change as Partial<VolumeSnapshot>)
    }),
  delete: (scope, id) =>
    engine.records.transaction(async (tx) => {
      const { snapshot, volume, instance } = await lockSnapshot(tx, scope, id)
      refuseSnapshotUnless('delete', snapshot)
      const changed = await changeSnapshot(tx, snapshot, { status: 'deleting', fault: null })
      await startJob(tx, 'compute.volume_snapshot.delete', { snapshot, holds: userOf(volume, instance), scope })
      return changed
    }),
  revert: (scope, id) => revertVolume(engine, scope, id),
  uploadToImage: (scope, id, name) => uploadSnapshot(engine, scope, id, name),
  resetState: (scope, id) =>
    engine.records.transaction(async (tx) => {
      const row = await lockOwn<VolumeSnapshot>(tx, SNAPSHOT, scope, id)
      return changeSnapshot(tx, row, { status: 'available', fault: null })
    }),
})

async function createSnapshot(
  engine: Engine,
  scope: ProjectScope,
  { volume_id, name, description }: VolumeSnapshotDraft,
): Promise<VolumeSnapshot> {
  return engine.records.transaction(async (tx) => {
    const seen = await tx.get<Volume>('volume', volume_id)
    if (!seen || !actsOn(scope, seen.project_id)) throw fieldProblem('volume_id', 'compute.no_such_volume')
    const { volume, instance } = await lockVolume(tx, scope, volume_id)
    if (!volumeCanBeCaptured(volume)) throw problemOf(whyVolumeNotNow(volume))
    const most = engine.limits.snapshotsOfVolume
    const earlier = await snapshotsOf(tx, volume_id)
    if (earlier.length >= most) throw problem('storage.too_many_snapshots', { most })
    const owner = ownerOf(scope, volume)
    await checkQuotas(engine, tx, owner, { storage: { amount: volume.size } })
    await checkSpace(engine, 0)
    const created = timeAfter(earlier)
    const snapshot: VolumeSnapshot = {
      ...{ id: randomUUID(), name, description, status: 'creating', fault: null, volume_id, size: volume.size },
      ...{ project_id: owner.project_id, domain_id: owner.domain_id, user_id: owner.user_id },
      ...{ created_at: created, updated_at: created },
    }
    await tx.put(SNAPSHOT, snapshot)
    const holds = userOf(volume, instance)
    await startJob(tx, 'compute.volume_snapshot.create', { snapshot, holds, scope: owner })
    return snapshot
  })
}

/**
 * Returns the current time, but later than any of these snapshots, so that the order stays right if the clock is set
 * back.
 */
function timeAfter(snapshots: readonly VolumeSnapshot[]): string {
  const last = Math.max(...snapshots.map(({ created_at }) => Date.parse(created_at) + 1), 0)
  return new Date(Math.max(Date.now(), last)).toISOString()
}

const revertVolume = (engine: Engine, scope: Scope, id: string): Promise<VolumeSnapshot> =>
  engine.records.transaction(async (tx) => {
    const { snapshot, volume, instance } = await lockSnapshot(tx, scope, id)
    refuseSnapshotUnless('revert', snapshot)
    const newest = await newestOf(tx, volume.id)
    if (newest && newest.id !== id) throw problem('storage.snapshot_not_latest', { name: newest.name })
    if (!volumeCanBeCaptured(volume)) throw problemOf(whyVolumeNotNow(volume))
    if (instance && (instance.status !== 'SHUTOFF' || instance.task_state !== null)) {
      throw problem('storage.stop_before_revert', { name: instance.name })
    }
    const changed = await changeSnapshot(tx, snapshot, { status: 'restoring', fault: null })
    await changeVolume(tx, volume, { status: 'reverting' })
    await startJob(tx, 'compute.volume_snapshot.revert', { snapshot, holds: userOf(volume, instance), scope })
    return changed
  })

const uploadSnapshot = (engine: Engine, scope: ProjectScope, id: string, name: string): Promise<Image> =>
  engine.records.transaction(async (tx) => {
    if (!engine.areas.has('compute')) throw problem('storage.images_elsewhere_now')
    const { snapshot, volume } = await lockSnapshot(tx, scope, id)
    refuseSnapshotUnless('copy', snapshot)
    const owner = ownerOf(scope, volume)
    // the size is known only after the copy
    await checkQuotas(engine, tx, owner, { images: { amount: 1 }, image_storage: { amount: 1 } })
    await checkSpace(engine, 0)
    const image = await imageOf(tx, owner, volume, name)
    await tx.put('image', image)
    await tx.startJob({
      name: 'compute.volume_snapshot.upload_to_image',
      subject: snapshotSubject(snapshot),
      args: { image: image.id },
      scope: owner,
      cancellable: true,
    })
    return image
  })

/** Locks a snapshot, its volume and the instance that has the volume, in the common lock order. */
async function lockSnapshot(tx: RecordsTransaction, scope: Scope, id: string) {
  const seen = await tx.get<VolumeSnapshot>(SNAPSHOT, id)
  const found = seen ? await lockVolume(tx, scope, seen.volume_id) : null
  const snapshot = await lockOwn<VolumeSnapshot>(tx, SNAPSHOT, scope, id)
  return { ...found!, snapshot }
}

/** The subject that a job locks so that no other job changes the file of a volume. */
const userOf = (volume: Volume, instance: Instance | null): Subject =>
  instance ? subjectOf(instance) : volumeSubject(volume)

const startJob = (
  tx: RecordsTransaction,
  name: string,
  { snapshot, holds, scope }: { snapshot: VolumeSnapshot; holds: Subject; scope: Scope },
): Promise<string> => tx.startJob({ name, subject: snapshotSubject(snapshot), holds: [holds], args: {}, scope })
