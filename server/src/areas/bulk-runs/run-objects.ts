import { BULK_AT_ONCE, BULK_UNDER_WAY } from '@mainstay/contract/core/bulk-runs'
import type { Problem } from '@mainstay/contract/core/problems'
import type { Sql } from '@mainstay/engines/ports/engines'
import type { RunAgain, StepParts } from '@mainstay/engines/ports/records'
import { asProblem, FAULT_MESSAGE } from '../../http/problem-replies'
import { perform } from '../../http/perform'
import type { Served } from '../../http/serve'
import { gatherTasks } from '../../tasks/begun-tasks'
import { eachObject, outcomeOf, tasksOf } from '../../tasks/each-object'
import type { RunOf } from '../../tasks/job'
import { callerOf } from '../../tasks/run-callers'
import type { Tools } from '../../tools'
import {
  cancelWaiting,
  countStates,
  findRun,
  listObjects,
  setObject,
  type KeptObject,
  type KeptRun,
} from './bulk-objects'

export interface BulkJobArgs {
  run_id: string
  kind: string
  action: string
  count: number
}

/** Never aborted: cancelling a run does not interrupt a call in progress. */
const never = new AbortController().signal

/**
 * Runs one turn of a bulk run. Each object's state is stored before its call starts and again after it ends. A call's
 * audit log entry is written in the same transaction as its change, so a server that takes over can tell from the audit
 * log whether an interrupted call took effect.
 */
export async function runObjects(
  served: readonly Served[],
  parts: RunOf<BulkJobArgs> & StepParts,
  tools: Tools,
): Promise<void | RunAgain> {
  const { args, task_id } = parts
  const write = <Result>(work: (sql: Sql) => Promise<Result>) => tools.inventory.transaction((_, __, sql) => work(sql))
  const run = await write((sql) => findRun(sql, args.run_id))
  const one = served.find(({ kind, name }) => kind?.name === args.kind && name === args.action)
  if (!run || !one) throw new Error('the bulk run is not known here')
  const turn = { run, one, flow: task_id, tools, write }

  return eachObject<KeptObject>(parts, {
    atOnce: BULK_AT_ONCE,
    async look() {
      for (const object of await write((sql) => listObjects(sql, run.id, ['calling'], { limit: BULK_UNDER_WAY })))
        await write(async (sql) => setObject(sql, run.id, object.number, await whatBecameOf(sql, run, object)))
      await lookAtTasks(turn)
    },
    cancel: () => write((sql) => cancelWaiting(sql, run.id)),
    next: () =>
      write(async (sql) => {
        const { running } = await countStates(sql, run.id)
        return listObjects(sql, run.id, ['waiting'], { limit: Math.max(0, BULK_UNDER_WAY - running) })
      }),
    one: (object) => callOne(turn, object),
    async stand() {
      const { done, failed, cancelled, running, waiting } = await write((sql) => countStates(sql, run.id))
      const isOver = done + failed + cancelled >= args.count
      return { done, failed, count: args.count, isOver, canBegin: running < BULK_UNDER_WAY && waiting > 0 }
    },
  })
}

interface Turn {
  run: KeptRun
  one: Served
  flow: string
  tools: Tools
  write<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
}

/** Makes the call for one object as the user who started the run, with the permissions that the user has now. */
async function callOne({ run, one, flow, tools, write }: Turn, object: KeptObject): Promise<void> {
  const { number, request_id: requestId } = object
  await write((sql) => setObject(sql, run.id, number, { state: 'calling' }))
  try {
    const task_ids = await gatherTasks(flow, async () => {
      const { caller, address } = await callerOf(tools, run.task_id, requestId)
      const { body, query } = run
      await perform(one, caller, { params: { id: object.id }, body, query, address, requestId, signal: never }, tools)
    })
    const state = task_ids.length > 0 ? 'running' : 'done'
    await write((sql) => setObject(sql, run.id, number, { state, task_ids }))
  } catch (error) {
    // the result is unknown and is looked up when the run continues
    const problem = asProblem(error)
    if (problem?.code === 'database_unavailable') throw error
    if (!problem) tools.log.error({ err: error, request_id: requestId }, 'a call of a bulk run failed')
    const told = toldOf(problem)
    await write((sql) => setObject(sql, run.id, number, { state: 'failed', ...told }))
  }
}

function toldOf(problem: Problem | null): { err_code: string; error: string } {
  if (!problem) return { err_code: 'unknown', error: FAULT_MESSAGE }
  return { err_code: problem.code, error: problem.message }
}

/** Updates the states of objects whose tasks have finished. */
async function lookAtTasks({ run, write }: Turn): Promise<void> {
  await write(async (sql) => {
    const objects = await listObjects(sql, run.id, ['running'], { limit: BULK_UNDER_WAY })
    const tasks = await tasksOf(
      sql,
      objects.flatMap(({ task_ids }) => task_ids),
    )
    for (const { number, task_ids } of objects) {
      const { goesOn, fault } = outcomeOf(task_ids, tasks)
      if (!goesOn) await setObject(sql, run.id, number, { state: fault ? 'failed' : 'done', task_ids, ...fault })
    }
  })
}

/** Determines the result of a call that was in progress when its server died. */
async function whatBecameOf(sql: Sql, { created_at }: KeptRun, { request_id }: KeptObject) {
  const tasks = await sql.query<{ id: string }>(
    `select id from resource where kind = 'task' and created_at >= $2 and body->>'request_id' = $1`,
    [request_id, created_at],
  )
  if (tasks.length > 0) return { state: 'running' as const, task_ids: tasks.map(({ id }) => id) }
  const [line] = await sql.query<{ result: string; error_code: string | null; message: string | null }>(
    `select result, error_code, message from audit where request_id = $1 and started_at >= $2 order by id desc limit 1`,
    [request_id, created_at],
  )
  if (!line) return { state: 'waiting' as const }
  if (line.result === 'success') return { state: 'done' as const }
  const isKnown = line.result === 'error'
  const error = isKnown ? line.message : 'The server stopped during this call. Check its result before you try again'
  return { state: 'failed' as const, err_code: isKnown ? line.error_code : 'unknown', error }
}
