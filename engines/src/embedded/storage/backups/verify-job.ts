import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { JobHandler, JobRun } from '../../../ports/records'
import type { Engine } from '../../engine'
import { faultText } from '../../faults'
import { isIntact, storedAt } from './point-files'
import { chainOf, changePoint, changePointIn, noteResult, POINT, storedPoint } from './rows'
import { openTarget } from './target'

/** Reads the stored files of a recovery point and of those that it needs, and notes which of them are damaged. */
export const verifyJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    const { id } = job.subject
    const chain = await engine.records.transaction(async (tx) => {
      const row = await tx.get<VolumeBackup>(POINT, id)
      return row?.status === 'verifying' ? chainOf(tx, row) : []
    })
    for (const [index, point] of chain.entries()) {
      const isWhole = await verify(engine, job, point, { index, of: chain.length })
      await engine.records.transaction((tx) => noteResult(tx, point.id, isWhole))
    }
    await endVerification(engine, id, null)
    return { id }
  },
  onFailure: (job, error) => endVerification(engine, job.subject.id, faultText(error)),
})

async function verify(
  engine: Engine,
  job: JobRun,
  point: VolumeBackup,
  { index, of }: { index: number; of: number },
): Promise<boolean> {
  const target = await openTarget(engine)
  const file = storedAt(target, await engine.records.transaction((tx) => storedPoint(tx, point.id)))
  const onBytes = (bytes: number) => job.progress((100 * (index + bytes / Math.max(1, file.bytes))) / of)
  return isIntact(target, file, onBytes, job.signal)
}

const endVerification = (engine: Engine, id: string, fault: string | null) =>
  engine.records.transaction((tx) =>
    changePointIn(tx, id, 'verifying', (row) => changePoint(tx, row, { status: 'available', fault })),
  )
