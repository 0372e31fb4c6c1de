import { problem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { Scope } from '../../../ports/scope'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { isAway, isNotNow } from '../later'
import { snapshotsOf } from '../snapshots/of-volume'
import { snapshotReader } from '../snapshots/shape'
import { subjectOf, unlessAllowed } from './act'
import { volumeReader } from './shape'

/** How long the storage may take to copy or to overwrite a large volume. */
const quietMs = 24 * 60 * 60_000

/** Deletes a volume. `cascade`: also deletes its snapshots. */
export async function deleteVolume(engine: Engine, scope: Scope, id: string, cascade: boolean): Promise<Volume> {
  const cloud = await engine.as(scope)
  const volume = await loadUnlessRefused(engine, volumeReader, scope, id, (row) =>
    row.attachments.length > 0
      ? problem('storage.volume_attached', {}, { data: { status: row.status } })
      : unlessAllowed('delete')(row),
  )
  if (!cascade) await refuseSnapshots(engine, volume)
  const snapshots = (await snapshotsOf(engine, id)).map((snapshot) => snapshot.id)
  const meant: TrackedTask = {
    ...{ name: 'compute.volume.delete', subject: subjectOf(volume), until: 'gone', scope, args: { snapshots } },
  }
  const options = cascade ? { query: { cascade } } : {}
  await engine.command(meant, () => unlessGone(cloud.send('DELETE', 'volume', `/volumes/${id}`, z.void(), options)))
  await refreshSnapshots(engine, snapshots)
  const row = await unlessGone(engine.refresh(volumeReader, id))
  return row ?? { ...volume, status: 'deleting' }
}

/** Throws a `volume_has_snapshots` error if the volume has snapshots. */
async function refuseSnapshots(engine: Engine, { id, name }: Volume): Promise<void> {
  // the indexed rows may be older than the deletion of a snapshot
  for (const snapshot of await snapshotsOf(engine, id)) {
    if (!(await unlessGone(engine.refresh(snapshotReader, snapshot.id)))) continue
    const count = (await snapshotsOf(engine, id)).length
    throw problem('storage.volume_has_snapshots', { name, count })
  }
}

async function refreshSnapshots(engine: Engine, ids: readonly string[]): Promise<void> {
  for (const id of ids) await unlessGone(engine.refresh(snapshotReader, id))
}

/** Returns a hidden task that deletes a temporary volume as soon as it is no longer busy. */
export const discarding = (scope: Scope, volume: Pick<Volume, 'id' | 'name'>): TrackedTask => ({
  ...{ name: 'compute.volume.delete', subject: subjectOf(volume), until: 'gone', scope, hidden: true },
  args: { isSent: false },
})

/** Returns the steps of tasks that track the deletion of a volume. */
export const deleteVolumeSteps = (engine: Engine): TaskSteps => ({
  quietMs,

  async whilePending({ args, subject: { id } }) {
    if (args['isSent'] !== false) return
    try {
      const volume = await unlessGone(engine.refresh(volumeReader, id))
      if (!volume || volumeReader.isBusy(volume)) return
      await unlessGone(engine.reading.caller.send('DELETE', 'volume', `/volumes/${id}`, z.void()))
    } catch (error) {
      if (!isAway(error) && !isNotNow(error)) throw error
    }
  },

  onSettled: ({ args }) => refreshSnapshots(engine, (args['snapshots'] ?? []) as string[]),
})
