import { grantsAllow } from '@mainstay/contract/core/abilities'
import { Problem, problem } from '@mainstay/contract/core/problems'
import type { S3RunAction } from '@mainstay/contract/object-storage/s3-files'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { RunAgain, StepParts } from '@mainstay/engines/ports/records'
import { S3Refusal } from '../../../proxies/s3/s3-refusal'
import type { SignedIn } from '../../../session/signed-in'
import { eachObject } from '../../../tasks/each-object'
import type { RunOf } from '../../../tasks/job'
import { callerOf } from '../../../tasks/run-callers'
import type { Tools } from '../../../tools'
import { ownS3Of, problemOf } from '../s3-on-behalf-of'
import { doBatch, nextBatch } from './batches'
import { beginBatch, endBatch, endRun, findRun, type BatchObject } from './kept-runs'

export interface RunArgs {
  run_id: string
}

/** Delay between retries while object storage does not respond, and maximum number of retries. */
const AGAIN_MS = 2000
const MOST_TRIES = 30
/** Batches are never aborted, because it would be unknown which objects were processed. */
const never = new AbortController().signal

/** Checks that the caller may run this action on stored objects. Throws `forbidden` otherwise. */
export function permitRun({ grants }: Pick<SignedIn, 'grants'>, action: S3RunAction): void {
  const needed =
    action === 'copy'
      ? (['create'] as const)
      : action === 'delete'
        ? (['delete'] as const)
        : (['create', 'delete'] as const)
  if (!needed.every((ability) => grantsAllow(grants, 's3_enable', ability))) throw problem('core.forbidden')
}

const isAway = (error: unknown): boolean =>
  (error instanceof S3Refusal && error.status >= 500) || (error instanceof Problem && error.code === 's3_not_found')

/**
 * Runs one turn of a run. The objects of a batch are stored before it is processed, and its outcome afterwards. A
 * server that takes over repeats the batch, counting objects that were already processed as done.
 */
export async function runFiles(parts: RunOf<RunArgs> & StepParts, tools: Tools): Promise<void | RunAgain> {
  const { args, task_id, cancelled, state } = parts
  const write = <Result>(work: (sql: Sql) => Promise<Result>) => tools.inventory.transaction((_, __, sql) => work(sql))
  const read = async () => {
    const found = await write((sql) => findRun(sql, args.run_id))
    if (!found) throw new Error('the run is not known here')
    return found
  }
  const tries = Number(state['tries'] ?? 0)
  let isAtEnd = false
  try {
    const { action } = await read()
    const { caller, source } = await callerOf(tools, task_id)
    permitRun(caller, action)
    const s3 = await ownS3Of(tools, caller, { signal: never, source })
    const work = async (batch: BatchObject[], { isRepeated }: { isRepeated: boolean }) => {
      const run = await read()
      const outcome = await doBatch(s3, run, batch, { isRepeated })
      await write((sql) => endBatch(sql, run, outcome))
    }
    const again = await eachObject<BatchObject[]>(parts, {
      // each batch starts its own workers
      atOnce: 1,
      async look() {
        const { batch } = await read()
        if (batch) await work(batch, { isRepeated: true })
      },
      cancel: async () => void (isAtEnd = true),
      async next() {
        const run = await read()
        const next = await nextBatch(s3, run)
        isAtEnd = !next
        if (!next) return []
        await write((sql) => beginBatch(sql, run, next))
        return [next.batch]
      },
      one: (batch) => work(batch, { isRepeated: false }),
      async stand() {
        const { done, failed, at, keys } = await read()
        const share = at / keys.length
        return { done, failed, count: done + failed, share, isOver: isAtEnd, canBegin: !isAtEnd }
      },
    })
    if (!again) await write((sql) => endRun(sql, args.run_id, 'success'))
    return again
  } catch (error) {
    if (isAway(error) && tries < MOST_TRIES && !cancelled()) return { again: AGAIN_MS, state: { tries: tries + 1 } }
    throw error instanceof S3Refusal ? problemOf(error) : error
  }
}
