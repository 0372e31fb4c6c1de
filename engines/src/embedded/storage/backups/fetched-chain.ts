import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Problem } from '@mainstay/contract/core/problems'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { watchSpace } from '../../../image-files/watch-space'
import type { JobRun } from '../../../ports/records'
import { checkSpace } from '../../compute/capacity'
import type { Engine } from '../../engine'
import { fetchFile } from './point-files'
import { chainOf, noteResult, POINT, storedPoint } from './rows'
import { openTarget } from './target'

/** Share of the progress at which all files are fetched, in percent. */
export const FETCHED = 50

/** Fetches the files of a recovery point and of those that it needs, oldest first, and removes them after `work`. */
export async function fetchedChain<Result>(
  engine: Engine,
  job: Pick<JobRun, 'task_id' | 'signal' | 'progress'>,
  pointId: string,
  work: (files: string[]) => Promise<Result>,
): Promise<Result> {
  const chain = await engine.records.transaction(async (tx) => {
    const row = await tx.get<VolumeBackup>(POINT, pointId)
    const points = row ? await chainOf(tx, row) : []
    const stored = []
    for (const point of points) stored.push({ point, stored: await storedPoint(tx, point.id) })
    return stored
  })
  const target = await openTarget(engine)
  const needed = chain.reduce((sum, { stored }) => sum + (stored?.file?.bytes ?? 0), 0)
  await checkSpace(engine, needed)
  const space = watchSpace(dirname(engine.files.point(pointId)), engine.limits.diskReserveBytes)
  const signal = AbortSignal.any([job.signal, space.signal])
  // unfinished files of other jobs have another name
  const fetched = chain.map((_, index) => `${engine.files.point(pointId)}.${job.task_id}-${index}.part`)
  try {
    for (const [index, one] of chain.entries()) {
      await fetchFile(target, { ...one, path: fetched[index]!, signal }).catch(async (error: unknown) => {
        if (error instanceof Problem && error.code === 'backup_damaged')
          await engine.records.transaction((tx) => noteResult(tx, one.point.id, false))
        throw error
      })
      job.progress((FETCHED * (index + 1)) / chain.length)
    }
    return await work(fetched)
  } finally {
    space.stop()
    for (const file of fetched) await rm(file, { force: true })
  }
}
