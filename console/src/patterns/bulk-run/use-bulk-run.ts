import { useState } from 'react'
import { bulkRuns, MAX_BULK_PAGE, type BulkObject, type BulkRun } from '@mainstay/contract/core/bulk-runs'
import type { CallProblem } from '../../api/problem'
import { useView } from '../../api/use-view'

const lookEveryMs = 400

export interface FollowedRun {
  run: BulkRun | undefined
  problem: CallProblem | undefined
  /** How many are done, failed or cancelled. */
  finished: number
  isOver: boolean
  /** What failed and what was not begun; undefined until the run is over and they came. */
  left: BulkObject[] | undefined
}

const finishedOf = ({ states }: BulkRun) => states.done + states.failed + states.cancelled

/** How far a run on the server is, and in the end what it left undone. */
export function useBulkRun(id: string): FollowedRun {
  // no event tells of its objects, and nothing changes once it is over
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
