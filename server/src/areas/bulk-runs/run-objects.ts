import { BULK_AT_ONCE, BULK_UNDER_WAY } from '@mainstay/contract/core/bulk-runs'
import { Problem } from '@mainstay/contract/core/problems'
import { taskIsOver, type TaskState } from '@mainstay/contract/core/tasks'
import type { Sql } from '@mainstay/engines/ports/engines'
import { asProblem, FAULT_MESSAGE } from '../../http/problem-replies'
import { perform } from '../../http/perform'
import type { Served } from '../../http/serve'
import { gatherTasks } from '../../tasks/begun-tasks'
import type { RunOf } from '../../tasks/job'
import type { Tools } from '../../tools'
import {
  cancelWaiting,
  countStates,
  findRun,
  objectsIn,
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

/** One turn of a run: long enough to be worth taking, short enough that other jobs have their place. */
const TURN_MS = 2000
const LOOK_AGAIN_MS = 500
/** A call goes on when the run is cancelled. */
const never = new AbortController().signal

/**
 * One turn of a run. Objects are rows: a call is marked before it is made, and what came of it is written after it. A
 * server that takes over finds in the audit log, whose line is written together with what a call changes, whether a call
 * that was marked was made.
 */
export async function runObjects(
  served: readonly Served[],
  { args, task_id, signal, cancelled, progress }: RunOf<BulkJobArgs>,
  tools: Tools,
): Promise<unknown> {
  const write = <Result>(work: (sql: Sql) => Promise<Result>) => tools.inventory.transaction((_, __, sql) => work(sql))
  const found = await write((sql) => findRun(sql, tools.sealingKey, args.run_id))
  const one = served.find(({ kind, name }) => kind?.name === args.kind && name === args.action)
  if (!found || !one) throw new Error('the bulk run is not known here')
  const run = found
  const turn = { run, one, flow: task_id, tools, write }

  for (const object of await write((sql) => objectsIn(sql, run.id, ['calling'], { limit: BULK_UNDER_WAY })))
    await write(async (sql) => setObject(sql, run.id, object.number, await whatBecameOf(sql, run, object)))
  await lookAtTasks(turn)
  if (cancelled()) await write((sql) => cancelWaiting(sql, run.id))

  const { running } = await write((sql) => countStates(sql, run.id))
  const room = cancelled() ? 0 : Math.max(0, BULK_UNDER_WAY - running)
  const next = await write((sql) => objectsIn(sql, run.id, ['waiting'], { limit: room }))
  const deadline = performance.now() + TURN_MS
  const worker = async () => {
    for (let object = next.shift(); object; object = next.shift()) {
      if (signal.aborted || performance.now() > deadline) return
      await callOne(turn, object)
    }
  }
  // the run is given back when no call of it goes on here any more
  const ends = await Promise.allSettled(Array.from({ length: BULK_AT_ONCE }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  if (signal.aborted && !cancelled()) throw new Error('the run goes on elsewhere')

  const states = await write((sql) => countStates(sql, run.id))
  const over = states.done + states.failed + states.cancelled
  progress((100 * over) / args.count)
  if (over < args.count) return { again: states.running < BULK_UNDER_WAY && states.waiting > 0 ? 0 : LOOK_AGAIN_MS }
  if (cancelled()) throw new Problem('conflict', 'The run was cancelled')
  if (states.failed > 0) throw new Problem('not_all_done', `${states.failed} of ${args.count} could not be done`)
  return { done: states.done }
}

interface Turn {
  run: KeptRun
  one: Served
  flow: string
  tools: Tools
  write<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result>
}

/** Makes the call of one object as whoever began the run, with what they may do now. */
async function callOne({ run, one, flow, tools, write }: Turn, object: KeptObject): Promise<void> {
  const { number, request_id: requestId } = object
  await write((sql) => setObject(sql, run.id, number, { state: 'calling' }))
  try {
    const task_ids = await gatherTasks(flow, async () => {
      const caller = await tools.sessions.resolveSession(run, requestId)
      const { body, query, address } = run
      await perform(one, caller, { params: { id: object.id }, body, query, address, requestId, signal: never }, tools)
    })
    const state = task_ids.length > 0 ? 'running' : 'done'
    await write((sql) => setObject(sql, run.id, number, { state, task_ids }))
  } catch (error) {
    // nobody knows yet: it is looked up when the run goes on
    const problem = asProblem(error)
    if (problem?.code === 'database_unavailable') throw error
    if (!problem) tools.log.error({ err: error, request_id: requestId }, 'a call of a bulk run failed')
    const told = toldOf(problem)
    await write((sql) => setObject(sql, run.id, number, { state: 'failed', ...told }))
  }
}

function toldOf(problem: Problem | null): { err_code: string; error: string } {
  if (!problem) return { err_code: 'unknown', error: FAULT_MESSAGE }
  const { code, message } = problem
  return { err_code: code, error: code === 'unauthorized' ? 'Who began the run has signed out since' : message }
}

/** What became of calls whose tasks go on. */
async function lookAtTasks({ run, write }: Turn): Promise<void> {
  await write(async (sql) => {
    const objects = await objectsIn(sql, run.id, ['running'], { limit: BULK_UNDER_WAY })
    const ids = objects.flatMap(({ task_ids }) => task_ids)
    const rows = await sql.query<{ id: string; state: TaskState; error: string | null; err_code: string | null }>(
      `select id, body->>'state' as state, body->>'error' as error, body->>'err_code' as err_code
        from resource where kind = 'task' and id = any($1::text[])`,
      [ids],
    )
    const tasks = new Map(rows.map((row) => [row.id, row]))
    for (const { number, task_ids } of objects) {
      const own = task_ids.flatMap((id) => tasks.get(id) ?? [])
      if (own.some(({ state }) => !taskIsOver(state))) continue
      const bad = own.find(({ state }) => state !== 'success')
      const { error = null, err_code = null } = bad ?? {}
      const told = { error: error ?? (bad ? 'The task was cancelled' : null), err_code }
      await setObject(sql, run.id, number, { state: bad ? 'failed' : 'done', task_ids, ...told })
    }
  })
}

/** What became of a call that was being made when its server died. */
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
  const error = isKnown ? line.message : 'The server stopped while this was done. See what became of it, then try again'
  return { state: 'failed' as const, err_code: isKnown ? line.error_code : 'unknown', error }
}
