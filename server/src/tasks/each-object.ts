import { problem } from '@mainstay/contract/core/problems'
import { taskIsOver, type TaskState } from '@mainstay/contract/core/tasks'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { JobRun, RunAgain, StepParts } from '@mainstay/engines/ports/records'

/** How long a run works before it lets other jobs run. Long enough to be efficient. */
const TURN_MS = 2000
const LOOK_AGAIN_MS = 300

/** Progress of a run over objects. */
interface RunStand {
  done: number
  failed: number
  /** Number of objects in the run, as far as it is known. */
  count: number
  /** Completed share from 0 to 1, if it cannot be computed from the number of objects. */
  share?: number
  isOver: boolean
  /** Whether more objects can be started now. If not, the run waits for those in progress. */
  canBegin: boolean
  /** State to keep for the next turn. */
  state?: Record<string, unknown>
}

/** An operation that is applied to many objects on behalf of the caller. As with any step, everything may run twice. */
export interface ObjectRun<Item> {
  /** Number of objects to process concurrently. */
  atOnce: number
  /** Checks the outcome of operations that were started in earlier turns. */
  look(): Promise<void>
  /** Records that the run is cancelled, so that no more objects are started. */
  cancel(): Promise<void>
  /** The next objects. Empty if there are no more, or if enough are in progress. */
  next(): Promise<readonly Item[]>
  /** Processes one object and records the outcome. Throws only if the error is not specific to the object. */
  one(item: Item): Promise<void>
  /** Returns the progress of the run. Throws if the run as a whole has failed. */
  stand(): Promise<RunStand>
}

/**
 * One turn of a step that processes many objects. Keeps `done`, the number of objects processed. Throws `conflict` if
 * the run was cancelled, or `not_all_done` if some objects failed.
 */
export async function eachObject<Item>(
  { signal, cancelled, progress, keep }: Pick<JobRun & StepParts, 'signal' | 'cancelled' | 'progress' | 'keep'>,
  work: ObjectRun<Item>,
): Promise<void | RunAgain> {
  const isElsewhere = () => signal.aborted && !cancelled()
  await work.look()
  if (cancelled()) await work.cancel()
  const deadline = performance.now() + TURN_MS
  while (!signal.aborted && performance.now() < deadline) {
    const items = [...(await work.next())]
    if (items.length === 0) break
    const worker = async () => {
      for (let item = items.shift(); item !== undefined; item = items.shift()) {
        if (signal.aborted || performance.now() > deadline) return
        await work.one(item)
      }
    }
    // do not release the run until all workers have stopped
    const ends = await Promise.allSettled(Array.from({ length: work.atOnce }, worker))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  if (isElsewhere()) throw new Error('the run continues on another server')
  const { done, failed, count, isOver, canBegin, state, share } = await work.stand()
  progress(100 * (share ?? (done + failed) / Math.max(1, count)))
  if (!isOver) return { again: canBegin && !cancelled() ? 0 : LOOK_AGAIN_MS, ...(state && { state }) }
  if (cancelled()) throw problem('core.run_cancelled')
  if (failed > 0) throw problem('core.not_all_done', { failed, count })
  await keep({ done })
}

/** State of the task for one object. */
interface ObjectTask {
  id: string
  state: TaskState
  error: string | null
  err_code: string | null
}

/** Tasks by ID. */
export async function tasksOf(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, ObjectTask>> {
  const rows = await sql.query<ObjectTask>(
    `select id, body->>'state' as state, body->>'error' as error, body->>'err_code' as err_code
      from resource where kind = 'task' and id = any($1::text[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Outcome for one object of a bulk run, from the tasks that its call started: whether any is still running, and the error
 * of the first that failed.
 */
export function outcomeOf(ids: readonly string[], tasks: ReadonlyMap<string, ObjectTask>) {
  const own = ids.flatMap((id) => tasks.get(id) ?? [])
  const bad = own.find(({ state }) => taskIsOver(state) && state !== 'success')
  const fault = bad && { error: bad.error ?? 'The task was cancelled', err_code: bad.err_code }
  return { goesOn: own.some(({ state }) => !taskIsOver(state)), fault: fault ?? null }
}
