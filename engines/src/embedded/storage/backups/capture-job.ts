import { isRestorable, MAX_INCREMENTS } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { Volume } from '@mainstay/contract/storage/volumes'
import type { JobHandler, JobRun, RecordsTransaction } from '../../../ports/records'
import type { Engine } from '../../engine'
import { CaptureInterrupted } from '../../hypervisor'
import { releaseVolumes, whileHeld } from '../volumes/hold'
import {
  chainOf,
  changePoint,
  changePointIn,
  newestPoint,
  noteDependents,
  POINT,
  pointSubject,
  storedPoint,
} from './rows'
import { failPoint } from './store-job'
import { targetId } from './target'

/** Time until a machine that has just started or stopped has settled, in ms. */
const SETTLE_MS = 1_000

/**
 * Captures volumes for their recovery points, at the same moment. The captured files are stored by further jobs, so that the
 * machine is not held until the backup target has taken them.
 */
export const captureJob = (engine: Engine): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    job.signal.throwIfAborted()
    const points = await waiting(engine, job)
    if (points.length > 0) {
      const wait = await whileHeld(engine, idsOf(job, 'volumes'), () => capture(engine, job, points)).catch(
        (error: unknown) => {
          if (error instanceof CaptureInterrupted) return { again: SETTLE_MS }
          throw error
        },
      )
      if (wait) return wait
    }
    return { id: job.subject.id }
  },
  async onFailure(job, error) {
    for (const id of idsOf(job, 'points')) await failPoint(engine, job, id, error)
    await releaseVolumes(engine, idsOf(job, 'volumes'))
  },
})

const idsOf = ({ args }: Pick<JobRun, 'args'>, name: 'points' | 'volumes'): string[] => args[name] as string[]

/** The recovery points of a job that are not captured yet. */
const waiting = ({ records }: Engine, job: JobRun): Promise<VolumeBackup[]> =>
  records.transaction(async (tx) => {
    const found: VolumeBackup[] = []
    for (const id of idsOf(job, 'points')) {
      const row = await tx.get<VolumeBackup>(POINT, id)
      if (row?.status === 'creating' && !(await storedPoint(tx, id))?.isCaptured) found.push(row)
    }
    return found
  })

async function capture(engine: Engine, job: JobRun, points: readonly VolumeBackup[]): Promise<void> {
  const { records, files, hypervisor, withPermit } = engine
  const isFull = job.args['full'] === true
  const parents = await records.transaction((tx) => chooseParents(engine, tx, points, isFull))
  const orders = points.map(({ id, volume_id }, index) => ({
    ...{ path: files.volume(volume_id), target: files.point(id), mark: id, since: parents[index] ?? null },
  }))
  const { takenAt, isIncremental, isFrozen } = await withPermit(points[0]!.project_id, () =>
    hypervisor.disks.capture(orders, (percent) => job.progress(percent), job.signal),
  )
  await records.transaction(async (tx) => {
    for (const [index, { id }] of points.entries())
      await changePointIn(tx, id, 'creating', async (row) => {
        const is_incremental = isIncremental[index]!
        const parent_id = is_incremental ? (parents[index] ?? null) : null
        // the order of the recovery points stays right if the clock was set back
        const taken_at = new Date(Math.max(takenAt.getTime(), Date.parse(row.taken_at))).toISOString()
        const consistency = isFrozen ? 'guest' : 'crash'
        await changePoint(tx, row, { is_incremental, parent_id, taken_at, consistency })
        await noteDependents(tx, parents[index] ?? null)
        await tx.putPrivate(POINT, id, { ...(await storedPoint(tx, id))!, isCaptured: true })
        await tx.startJob({
          ...{ name: 'compute.volume_backup.store', subject: pointSubject(row), args: {}, scope: job.scope },
          ...{ parent: job.task_id, cancellable: true },
        })
      })
  })
}

/**
 * Chooses the recovery point that each of these continues, or null for a full one. From then on, it cannot be deleted. Returns
 * the IDs.
 */
async function chooseParents(
  engine: Engine,
  tx: RecordsTransaction,
  points: readonly VolumeBackup[],
  isFull: boolean,
): Promise<(string | null)[]> {
  const chosen: (string | null)[] = []
  for (const { id, volume_id } of points) {
    const volume = await tx.get<Volume>('volume', volume_id)
    const parent = isFull ? null : await usableParent(engine, tx, volume_id, volume?.size ?? 0)
    chosen.push(parent)
    await changePointIn(tx, id, 'creating', async (row) => {
      await changePoint(tx, row, { parent_id: parent, size: volume?.size ?? row.size })
      await noteDependents(tx, parent)
    })
  }
  return chosen
}

async function usableParent(
  engine: Engine,
  tx: RecordsTransaction,
  volumeId: string,
  size: number,
): Promise<string | null> {
  const seen = await newestPoint(tx, volumeId)
  // it may have been deleted since
  const newest = seen && (await tx.lock<VolumeBackup>(POINT, seen.id))
  if (!newest || !isRestorable(newest) || newest.damaged_by !== null) return null
  const chain = await chainOf(tx, newest).catch(() => null)
  // a file of another size, or at another target, cannot be continued
  if (!chain || chain.length > MAX_INCREMENTS || newest.size !== size) return null
  const target = await targetId(engine, tx)
  for (const { id } of chain) if ((await storedPoint(tx, id))?.target !== target) return null
  return newest.id
}
