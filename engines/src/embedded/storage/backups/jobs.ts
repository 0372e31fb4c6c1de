import { rm } from 'node:fs/promises'
import type { JobHandler } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { captureJob } from './capture-job'
import { mergeJob } from './merge-job'
import { restoreJob } from './restore-job'
import { changePoint, changePointIn, noteDependents, POINT, storedPoint } from './rows'
import { storeJob } from './store-job'
import { openTarget } from './target'
import { verifyJob } from './verify-job'

/** Handlers for the jobs of recovery points, keyed by job name. */
export const backupJobs = (engine: Engine): Record<string, JobHandler> => ({
  'compute.volume_backup.create': captureJob(engine),
  'compute.volume_backup.store': storeJob(engine),
  'compute.volume_backup.restore': restoreJob(engine),
  'compute.volume_backup.verify': verifyJob(engine),
  'compute.volume_backup.merge': mergeJob(engine),
  'compute.volume_backup.delete': deleteJob(engine),
})

const deleteJob = (engine: Engine): JobHandler => ({
  async run({ subject: { id } }) {
    const stored = await engine.records.transaction((tx) => storedPoint(tx, id))
    await rm(engine.files.point(id), { force: true })
    const target = stored?.file ? await openTarget(engine) : null
    // a file at an earlier target cannot be removed, because that target is no longer known
    if (stored?.file && target?.id === stored.target)
      for (const name of [stored.file.name, ...(stored.obsolete ?? [])]) await target.place.remove(name)
    await engine.records.transaction((tx) =>
      changePointIn(tx, id, 'deleting', async ({ parent_id }) => {
        await tx.remove(POINT, id)
        await tx.removePrivate(POINT, id)
        await noteDependents(tx, parent_id)
      }),
    )
    return null
  },
  onFailure: (job, error) =>
    engine.records.transaction((tx) =>
      changePointIn(tx, job.subject.id, 'deleting', (point) =>
        changePoint(tx, point, { status: 'error_deleting', fault: faultText(error) }),
      ),
    ),
})
