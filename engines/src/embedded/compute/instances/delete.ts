import { volumesToDelete } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, RecordsTransaction } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { changeInstance, faultOf, lockFor, subjectOf } from './rows'
import { releaseInstance } from './release-resources'
import { giveUpSnapshots } from '../../rows/volume-snapshots'
import { changeVolume } from '../../rows/volumes'

/** If `deleteVolumes` is null, deletes the volumes that have `delete_on_termination` set. */
export const deleteInstance = (engine: Engine, scope: Scope, id: string, deleteVolumes: string[] | null) =>
  engine.records.transaction(async (tx) => {
    const row = await lockFor(tx, scope, id, 'delete')
    const doomed = idsToDelete(row, deleteVolumes)
    for (const volumeId of doomed) {
      const volume = await tx.get<Volume>('volume', volumeId)
      if (volume) await giveUpSnapshots(tx, volume, false)
    }
    return beginDeletion(tx, scope, row, doomed)
  })

/**
 * Returns the IDs of the volumes to delete with the instance. Throws a `validation` error if a chosen volume is not
 * attached to it.
 */
export function idsToDelete(row: Instance, chosen: string[] | null): string[] {
  const own = new Set(row.volumes.map((volume) => volume.id))
  if (chosen?.some((volumeId) => !own.has(volumeId)))
    throw fieldProblem('delete_volumes', 'compute.volume_not_attached')
  return volumesToDelete(row, chosen).map((volume) => volume.id)
}

/** Marks an instance and the given volumes for permanent deletion, and starts the deletion job. */
export async function beginDeletion(
  tx: RecordsTransaction,
  scope: Scope,
  row: Instance,
  doomed: string[],
): Promise<Instance> {
  for (const volumeId of doomed) {
    const volume = await tx.lock<Volume>('volume', volumeId)
    if (volume) await changeVolume(tx, volume, { status: 'deleting' })
  }
  const changed = await changeInstance(tx, row, { task_state: 'deleting' })
  await tx.startJob({ name: 'compute.server.delete', subject: subjectOf(row), args: { volumes: doomed }, scope })
  return changed
}

export const deleteJob = (engine: Engine): JobHandler => ({
  async run(job) {
    await releaseInstance(engine, job.subject.id, job.args['volumes'] as string[])
    return null
  },
  async onFailure(job, error) {
    await engine.records.transaction(async (tx) => {
      const row = await tx.lock<Instance>('server', job.subject.id)
      if (row?.task_state !== 'deleting') return
      for (const id of job.args['volumes'] as string[]) {
        const volume = await tx.lock<Volume>('volume', id)
        if (volume?.status !== 'deleting') continue
        await changeVolume(tx, volume, { status: 'error_deleting', fault: faultText(error) })
      }
      await changeInstance(tx, row, { status: 'ERROR', task_state: null, fault: faultOf(error) })
    })
  },
})
