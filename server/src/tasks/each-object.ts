import { problem } from '@mainstay/contract/core/problems'
import { taskIsOver, type TaskState } from '@mainstay/contract/core/tasks'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { JobRun, RunAgain, StepParts } from '@mainstay/engines/ports/records'

/** One turn of a run: long enough to be worth taking, short enough that other jobs have their place. */
const TURN_MS = 2000
const LOOK_AGAIN_MS = 300

/** How far a run over objects is. */
interface RunStand {
  done: number
  failed: number
  /** Objects that it is about, as far as known. */
  count: number
  /** The part that is over, 0 to 1, where it is not that of the objects. */
  share?: number
  isOver: boolean
  /** There is more that can be begun at once; else it waits for what goes on. */
  canBegin: boolean
  /** Kept for the next turn. */
  state?: Record<string, unknown>
}

/** Something that is done to each of many objects, as its caller. Everything may be done twice, as in any step. */
export interface ObjectRun<Item> {
  /** Objects that are worked on at the same time. */
  atOnce: number
  /** Finds out what became of what earlier turns have begun. */
  look(): Promise<void>
  /** Writes down that nothing more is begun: the run is cancelled. */
  cancel(): Promise<void>
  /** The next objects; none when there are no more, or when enough go on. */
  next(): Promise<readonly Item[]>
  /** Does it to one object, and writes down what came of it. Throws what is no fault of the object. */
  one(item: Item): Promise<void>
  /** Throws where the run comes to nothing. */
  stand(): Promise<RunStand>
}

/**
 * A turn of a step that does something to each of many objects; it keeps `done`, the number of objects. Throws `conflict` when it was
 * cancelled, `not_all_done` when some could not be done.
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
    // the run is given back when nothing of it goes on here any more
    const ends = await Promise.allSettled(Array.from({ length: work.atOnce }, worker))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  if (isElsewhere()) throw new Error('the run goes on elsewhere')
  const { done, failed, count, isOver, canBegin, state, share } = await work.stand()
  progress(100 * (share ?? (done + failed) / Math.max(1, count)))
  if (!isOver) return { again: canBegin && !cancelled() ? 0 : LOOK_AGAIN_MS, ...(state && { state }) }
  if (cancelled()) throw problem('core.run_cancelled')
  if (failed > 0) throw problem('core.not_all_done', { failed, count })
  await keep({ done })
}

/** How a task of one of the objects is. */
interface ObjectTask {
  id: string
  state: TaskState
  error: string | null
  err_code: string | null
}

/** Tasks by their ids. */
export async function tasksOf(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, ObjectTask>> {
  const rows = await sql.query<ObjectTask>(
    `select id, body->>'state' as state, body->>'error' as error, body->>'err_code' as err_code
      from resource where kind = 'task' and id = any($1::text[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** What became of an object whose call began these tasks: whether one goes on, and the one that came to nothing. */
export function outcomeOf(ids: readonly string[], tasks: ReadonlyMap<string, ObjectTask>) {
  const own = ids.flatMap((id) => tasks.get(id) ?? [])
  const bad = own.find(({ state }) => taskIsOver(state) && state !== 'success')
  const fault = bad && { error: bad.error ?? 'The task was cancelled', err_code: bad.err_code }
  return { goesOn: own.some(({ state }) => !taskIsOver(state)), fault: fault ?? null }
}
