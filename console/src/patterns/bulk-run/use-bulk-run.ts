import { useState } from 'react'
import { bulkRuns, MAX_BULK_PAGE, type BulkObject, type BulkRun } from '@mainstay/contract/core/bulk-runs'
import type { CallProblem } from '../../api/problem'
import { useView } from '../../api/use-view'

const lookEveryMs = 400

export interface FollowedRun {
  run: BulkRun | undefined
  problem: CallProblem | undefined
  /** Number of objects that are done, failed or cancelled. */
  finished: number
  isOver: boolean
  /** Objects that failed or were not started; undefined until the run has finished and they are loaded. */
  left: BulkObject[] | undefined
}

const finishedOf = ({ states }: BulkRun) => states.done + states.failed + states.cancelled

/** The progress of a run on the server, and the objects for which it did not complete. */
export function useBulkRun(id: string): FollowedRun {
  // polls because objects have no events, and stops when the run has finished
  const [overId, setOver] = useState<string>()
  const isOver = overId === id
  const view = useView(bulkRuns.view, { id }, isOver ? {} : { everyMs: lookEveryMs })
  const run = view.data
  const finished = run ? finishedOf(run) : 0
  if (run && finished === run.count && !isOver) setOver(id)
  const isWanted = isOver && run !== undefined && run.states.done < run.count
  const objects = useView(bulkRuns.objects, { id }, { query: { limit: MAX_BULK_PAGE }, isEnabled: isWanted })
  const left = isWanted ? objects.data?.data.filter(({ state }) => state !== 'done') : []
  return { run, problem: view.problem ?? objects.problem, finished, isOver, left: isOver ? left : undefined }
}
