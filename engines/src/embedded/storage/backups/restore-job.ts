import { existsSync } from 'node:fs'
import type { JobHandler, JobRun } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { changeVolume } from '../../rows/volumes'
import { changeIn, readVolume, removeVolume } from '../volumes/jobs'
import { FETCHED, fetchedChain } from './fetched-chain'
import { changePoint, changePointIn } from './rows'

/** Restores a recovery point to a new volume: fetches the files that it needs, which checks them, and assembles them. */
export const restoreJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const volume = await readVolume(engine, job.subject.id)
    if (volume?.status === 'creating') {
      await restore(engine, job, volume)
      await changeIn(engine, volume.id, 'creating', (tx, row) =>
        changeVolume(tx, row, { status: 'available', progress: null }),
      )
    }
    await endRestore(engine, pointOf(job), null)
    return { id: job.subject.id, size: volume?.size }
  },
  async onFailure(job, error) {
    const volumeId = job.subject.id
    if (job.cancelled()) await removeVolume(engine, volumeId, 'creating')
    else if ((await readVolume(engine, volumeId))?.status === 'creating') {
      await engine.hypervisor.disks.remove(engine.files.volume(volumeId))
      await changeIn(engine, volumeId, 'creating', (tx, row) =>
        changeVolume(tx, row, { status: 'error', progress: null, fault: faultText(error) }),
      )
    }
    await endRestore(engine, pointOf(job), job.cancelled() ? null : faultText(error))
  },
})

const pointOf = ({ args }: Pick<JobRun, 'args'>) => args['point'] as string

const endRestore = (engine: Engine, id: string, fault: string | null) =>
  engine.records.transaction((tx) =>
    changePointIn(tx, id, 'restoring', (row) =>
      changePoint(tx, row, { status: fault === null ? 'available' : 'error_restoring', fault }),
    ),
  )

async function restore(
  engine: Engine,
  job: JobRun,
  { id, size, project_id }: { id: string; size: number; project_id: string },
): Promise<void> {
  const { files, hypervisor, withPermit } = engine
  const target = files.volume(id)
  // it gets its name only once it is complete
  if (existsSync(target)) return
  await fetchedChain(engine, job, pointOf(job), (fetched) =>
    withPermit(project_id, () =>
      hypervisor.disks.assemble(
        target,
        fetched,
        size,
        (percent) => job.progress(FETCHED + (percent * (100 - FETCHED)) / 100),
        job.signal,
      ),
    ),
  )
}
