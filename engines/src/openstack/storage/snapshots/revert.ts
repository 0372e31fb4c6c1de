import { Problem, problem, problemOf, withField } from '@mainstay/contract/core/problems'
import { newestSnapshots } from '@mainstay/contract/storage/snapshot-rules'
import type { VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { volumeIsErrored, whyVolumeNotNow } from '@mainstay/contract/storage/volume-rules'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { Scope } from '../../../ports/scope'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { isAway } from '../later'
import { act } from '../volumes/act'
import { volumeReader } from '../volumes/shape'
import { subjectOf, unlessAllowed } from './act'
import { snapshotsOf } from './of-volume'
import { snapshotReader } from './shape'

/** First microversion that can revert volumes. */
const revertVersion = '3.40'
const lookAgainMs = 1_000

/** Reverts the volume of a snapshot, which must be detached, have its original size and no newer snapshots. */
export async function revertVolume(engine: Engine, scope: Scope, id: string): Promise<VolumeSnapshot> {
  const cloud = await engine.as(scope)
  const snapshot = await loadUnlessRefused(engine, snapshotReader, scope, id, unlessAllowed('revert'))
  await checkIsNewest(engine, snapshot)
  const volume = snapshot.volume_id
  await loadUnlessRefused(engine, volumeReader, scope, volume, (row) => whyNotReverted(row, snapshot))
  const meant: TrackedTask = {
    ...{ name: 'compute.volume_snapshot.revert', subject: subjectOf(snapshot), until: 'settled', scope },
    args: { volume },
  }
  await engine
    .command(meant, () => act(cloud, volume, { revert: { snapshot_id: id } }, revertVersion))
    .catch((error: unknown) => {
      throw aboutNewest(error)
    })
  await unlessGone(engine.refresh(volumeReader, volume))
  return engine.refresh(snapshotReader, id)
}

/** Throws a `snapshot_not_latest` error if the volume has a newer snapshot. */
async function checkIsNewest(engine: Engine, { id, volume_id }: VolumeSnapshot): Promise<void> {
  for (;;) {
    const newest = newestSnapshots(await snapshotsOf(engine, volume_id)).get(volume_id)
    if (!newest || newest.id === id) return
    // the newest snapshot in the index may already be deleted, in which case the previous one is the newest
    if (await unlessGone(engine.refresh(snapshotReader, newest.id))) {
      throw problem('storage.snapshot_not_latest', { name: newest.name })
    }
  }
}

function whyNotReverted(volume: Volume, { size }: VolumeSnapshot): Problem | null {
  const [attachment] = volume.attachments
  if (attachment) return problem('storage.detach_before_revert', { name: attachment.server_name })
  if (volume.status !== 'available') return problemOf(whyVolumeNotNow(volume))
  return volume.size === size ? null : problem('storage.extended_since_snapshot')
}

/** Adds the code to the cloud's error if a newer snapshot is not in the index yet. */
const aboutNewest = (error: unknown): unknown =>
  error instanceof Problem && /not the latest one/.test(error.message)
    ? withField(error, { code: 'snapshot_not_latest' })
    : error

/** Returns the steps of tasks that track a revert. */
export const revertSteps = (engine: Engine): TaskSteps => ({
  /**
   * Waits for the volume, and fails if it is in the error state. The snapshot does not show this, because it becomes
   * available again in any case.
   */
  async onSettled({ args }) {
    try {
      const volume = await unlessGone(engine.refresh(volumeReader, String(args['volume'])))
      if (!volume) return null
      if (volumeIsErrored(volume)) throw new Error(volume.fault ?? 'The cloud could not revert the volume')
      return volumeReader.isBusy(volume) ? { again: lookAgainMs } : null
    } catch (error) {
      if (isAway(error)) return { again: lookAgainMs }
      throw error
    }
  },
})
