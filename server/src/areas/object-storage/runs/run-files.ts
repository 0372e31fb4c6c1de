import { grantsAllow } from '@mainstay/contract/core/abilities'
import { Problem } from '@mainstay/contract/core/problems'
import type { S3RunAction } from '@mainstay/contract/object-storage/s3-files'
import type { Sql } from '@mainstay/engines/ports/engines'
import { S3Refusal } from '../../../proxies/s3/s3-refusal'
import type { SignedIn } from '../../../session/signed-in'
import type { RunOf } from '../../../tasks/job'
import type { Tools } from '../../../tools'
import { ownS3Of, problemOf } from '../own-s3'
import { doBatch, nextBatch } from './batches'
import { beginBatch, endBatch, endRun, findRun, type KeptRun } from './kept-runs'

export interface RunArgs {
  run_id: string
}

/** One turn of a run: long enough to be worth taking, short enough that other jobs have their place. */
const TURN_MS = 2000
/** Where object storage does not answer, it is asked again after so long, and so often. */
const AGAIN_MS = 2000
const MOST_TRIES = 30
/** A batch is not broken off: what became of it would not be known. */
const never = new AbortController().signal

/** Throws `forbidden` where the caller may not do this to what is stored. */
export function permitRun({ grants }: Pick<SignedIn, 'grants'>, action: S3RunAction): void {
  const needed =
    action === 'copy'
      ? (['create'] as const)
      : action === 'delete'
        ? (['delete'] as const)
        : (['create', 'delete'] as const)
  if (!needed.every((ability) => grantsAllow(grants, 's3_enable', ability)))
    throw new Problem('forbidden', 'You do not have the permission for this')
}

async function ownerOf(run: KeptRun, tools: Tools): Promise<SignedIn> {
  const caller = await tools.sessions.resolveSession(run, run.task_id).catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'unauthorized'
      ? new Problem('unauthorized', 'Who began this has signed out since')
      : error
  })
  permitRun(caller, run.action)
  return caller
}

const isAway = (error: unknown): boolean =>
  (error instanceof S3Refusal && error.status >= 500) || (error instanceof Problem && error.code === 's3_not_found')

/**
 * One turn of a run. The objects of a batch are written down before it is begun, and what became of them after it: a server
 * that takes over does the batch once more, and counts what was done already.
 */
export async function runFiles(
  { args, signal, cancelled, progress, state }: RunOf<RunArgs>,
  tools: Tools,
): Promise<unknown> {
  const write = <Result>(work: (sql: Sql) => Promise<Result>) => tools.inventory.transaction((_, __, sql) => work(sql))
  const read = async () => {
    const found = await write((sql) => findRun(sql, tools.sealingKey, args.run_id))
    if (!found) throw new Error('the run is not known here')
    return found
  }
  let run = await read()
  const tries = Number(state['tries'] ?? 0)
  try {
    const s3 = await ownS3Of(tools, await ownerOf(run, tools), { signal: never, source: run.source })
    const deadline = performance.now() + TURN_MS
    for (; performance.now() < deadline; run = await read()) {
      const repeated = run.batch
      if (signal.aborted && !cancelled()) throw new Error('the run goes on elsewhere')
      if (!repeated && cancelled()) return await endWith(run, 'cancelled', write)
      const next = repeated ? null : await nextBatch(s3, run)
      if (!repeated && !next) return await endWith(run, run.failed > 0 ? 'failed' : 'success', write)
      if (next) await write((sql) => beginBatch(sql, run, next))
      const outcome = await doBatch(s3, run, repeated ?? next!.batch, { isRepeated: repeated !== null })
      await write((sql) => endBatch(sql, run, outcome))
      progress((100 * (next ?? run).at) / run.keys.length)
    }
    return { again: 0 }
  } catch (error) {
    if (isAway(error) && tries < MOST_TRIES && !cancelled()) return { again: AGAIN_MS, state: { tries: tries + 1 } }
    throw error instanceof S3Refusal ? problemOf(error) : error
  }
}

async function endWith(
  { id, done, failed }: KeptRun,
  state: 'success' | 'failed' | 'cancelled',
  write: (work: (sql: Sql) => Promise<void>) => Promise<void>,
): Promise<{ done: number }> {
  await write((sql) => endRun(sql, id, state))
  if (state === 'cancelled') throw new Problem('conflict', 'It was cancelled')
  if (state === 'failed') throw new Problem('not_all_done', `${failed} of ${done + failed} could not be done`)
  return { done }
}
