import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { JobHandler, JobRun } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { checkQuotas } from '../../quotas'
import { digestOf, storeFile } from './point-files'
import { changePoint, changePointIn, noteDependents, POINT, storedPoint } from './rows'
import { openTarget } from './target'

const fileName = (id: string) => `${id}.qcow2`

const isAway = (error: unknown): boolean => error instanceof Problem && error.code === 'backup_target_unavailable'

/** Moves a captured file to the backup target. If the target cannot be used, the job waits and tries again. */
export const storeJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const { id } = job.subject
    const { records, files, limits, hypervisor } = engine
    const row = await records.transaction((tx) => tx.get<VolumeBackup>(POINT, id))
    if (row?.status !== 'creating') return null
    try {
      const file = files.point(id)
      let stored = await records.transaction((tx) => storedPoint(tx, id))
      if (!stored) return null
      const target = await openTarget(engine)
      // the recovery point that it needs is at the earlier target
      if (row.parent_id !== null && stored.target !== target.id) throw problem('storage.target_changed_meanwhile')
      // an earlier run may have stored it and then been interrupted
      if (existsSync(file)) {
        await hypervisor.disks.checkCaptured(file)
        stored = { ...stored, captured: await digestOf(file, job.signal) }
        const known = stored
        await records.transaction((tx) => tx.putPrivate(POINT, id, known))
      }
      const captured = stored.captured ?? { sha256: '', bytes: 0 }
      await records.transaction((tx) => checkQuotas(engine, tx, row, { volumes_backups: { amount: captured.bytes } }))
      const kept = await storeFile(target, { file, name: fileName(id), captured, signal: job.signal })
      const { captured: _, ...rest } = stored
      await records.transaction((tx) =>
        changePointIn(tx, id, 'creating', async (point) => {
          await tx.putPrivate(POINT, id, { ...rest, target: target.id, file: kept, isCaptured: false })
          const change = { stored_size: kept.bytes, verified_at: new Date().toISOString() }
          await changePoint(tx, point, { ...change, status: 'available', progress: null, fault: null })
        }),
      )
      return { id }
    } catch (error) {
      if (!isAway(error) || job.time - job.since > limits.backupPatienceMs) throw error
      engine.log.warn({ err: error, point: id }, 'a recovery point waits for the backup target')
      // the details of the target concern only operators
      const fault = faultText(problem('storage.backup_waits'))
      await records.transaction((tx) => changePointIn(tx, id, 'creating', (point) => changePoint(tx, point, { fault })))
      return { again: limits.backupRetryMs }
    }
  },
  onFailure: (job, error) => failPoint(engine, job, job.subject.id, error),
})

/** Notes that a recovery point could not be created, or removes it if the job was cancelled. */
export async function failPoint(engine: Engine, job: JobRun, id: string, error: unknown): Promise<void> {
  await rm(engine.files.point(id), { force: true })
  // what was written before it failed
  await openTarget(engine)
    .then(({ place }) => place.remove(fileName(id)))
    .catch((err: unknown) => engine.log.warn({ err, point: id }, 'failed to remove an incomplete recovery point'))
  await engine.records.transaction((tx) =>
    changePointIn(tx, id, 'creating', async (point) => {
      if (job.cancelled()) {
        await tx.remove(POINT, id)
        await tx.removePrivate(POINT, id)
      } else await changePoint(tx, point, { status: 'error', progress: null, fault: faultText(error) })
      await noteDependents(tx, point.parent_id)
    }),
  )
}
