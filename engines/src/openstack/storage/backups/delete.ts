import { Problem } from '@mainstay/contract/core/problems'
import { backupCan } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { JobRun, RunAgain } from '../../../ports/records'
import type { Scope } from '../../../ports/scope'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { unlessGone } from '../../read-each'
import { isAway, isNotNow } from '../later'
import type { VolumePatience } from '../volumes/until-available'
import { quietMs, sendDeletion, subjectOf, unlessAllowed } from './act'
import { removableAmong } from './chain'
import { backupReader, backupsOf } from './shape'

/** Data of a task that deletes recovery points. */
interface Deletion {
  /** False: the task itself sends the deletion as soon as the recovery point is no longer busy. */
  isSent?: boolean
  /** IDs of recovery points to delete afterwards, one after the other. */
  others?: readonly string[]
  /** IDs of the recovery points that the deleted ones were based on. */
  parents?: readonly string[]
}

const deleteTask = (scope: Scope, point: Pick<VolumeBackup, 'id' | 'name'>, args: Deletion): TrackedTask => ({
  ...{ name: 'compute.volume_backup.delete', subject: subjectOf(point), until: 'gone', scope },
  args: { ...args },
})

/** Returns a hidden task that deletes a recovery point, which may still be in the process of being created. */
export const discardingPoint = (scope: Scope, point: Pick<VolumeBackup, 'id' | 'name'>): TrackedTask => ({
  ...deleteTask(scope, point, { isSent: false }),
  hidden: true,
})

/** Deletes a recovery point. Throws a `backup_has_children` error if others need it. */
export async function deletePoint(engine: Engine, scope: Scope, id: string): Promise<VolumeBackup> {
  const cloud = await engine.as(scope)
  const point = await loadUnlessRefused(engine, backupReader, scope, id, unlessAllowed('delete'))
  const { parent_id } = point
  const meant = deleteTask(scope, point, { parents: parent_id === null ? [] : [parent_id] })
  await engine.command(meant, () => sendDeletion(cloud, id))
  const row = await unlessGone(engine.refresh(backupReader, id))
  return row ?? { ...point, status: 'deleting' }
}

/**
 * Deletes those of the given recovery points that no other one requires. Uses the service account, because a job has no
 * other credential. Cinder deletes a recovery point only after its dependents, so a hidden task deletes them one by
 * one.
 */
export async function expirePoints(engine: Engine, scope: Scope, ids: readonly string[]): Promise<void> {
  const known = await Promise.all(ids.map((id) => unlessGone(engine.known<VolumeBackup>(backupReader.kind, scope, id))))
  const expired = known.filter((point) => point !== null)
  if (!expired[0]) return
  const points = await backupsOf(engine.reading, expired[0].volume_id)
  const removable = removableAmong(points, expired)
  const [first, ...others] = removable
  if (!first) return
  const rest = others.map(({ id }) => id)
  const parents = removable.flatMap(({ parent_id }) => parent_id ?? []).filter((id) => !rest.includes(id))
  const meant: TrackedTask = { ...deleteTask(scope, first, { others: rest, parents }), hidden: true }
  if (first.status === 'deleting') await engine.trackToCompletion(meant)
  else {
    const send = () => sendDeletion(engine.reading.caller, first.id)
    await engine.command(meant, send).catch((error: unknown) => {
      if (!isKept(error)) throw error
    })
  }
  await unlessGone(engine.refresh(backupReader, first.id))
}

/** Whether the cloud refuses a deletion only temporarily. The next run of the plan tries again. */
const isKept = (error: unknown): boolean =>
  isNotNow(error) || (error instanceof Problem && error.code === 'backup_has_children')

/** Returns the steps of tasks that delete recovery points. */
export const deleteSteps = (engine: Engine, { look }: Pick<VolumePatience, 'look'>): TaskSteps => ({
  quietMs,

  async whilePending({ args, subject: { id } }) {
    if ((args as Deletion).isSent !== false) return
    try {
      const point = await unlessGone(engine.refresh(backupReader, id))
      if (point && !backupReader.isBusy(point)) await sendDeletion(engine.reading.caller, id)
    } catch (error) {
      if (!isAway(error) && !isNotNow(error)) throw error
    }
  },

  async onSettled(job) {
    try {
      return await deleteNext(engine, job, look)
    } catch (error) {
      if (isAway(error) && job.time - job.since < quietMs) return { again: look, state: job.state }
      if (isKept(error)) return null
      throw error
    }
  },
})

/** Deletes the first of the other recovery points that still exists. Refreshes the parents once all are deleted. */
async function deleteNext(engine: Engine, { args, state }: JobRun, look: number): Promise<RunAgain | null> {
  const { others = [], parents = [] } = args as Deletion
  for (const id of others) {
    const point = await unlessGone(engine.refresh(backupReader, id))
    if (!point) continue
    if (point.status === 'deleting') return { again: look, state }
    // a deletion that failed is not repeated
    if (state['sent'] === id || !backupCan('delete', point)) return null
    await sendDeletion(engine.reading.caller, id)
    return { again: look, state: { sent: id } }
  }
  for (const id of parents) await unlessGone(engine.refresh(backupReader, id))
  return null
}
