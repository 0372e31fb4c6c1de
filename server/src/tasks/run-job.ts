import { Problem } from '@mainstay/contract/core/problems'
import { taskIsOver, type Task, type TaskState } from '@mainstay/contract/core/tasks'
import type { JobHandler, JobRun, Log } from '@mainstay/engines/ports/records'
import type { Kysely } from 'kysely'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import { releaseJob, type ClaimedJob } from './claim'
import { safeMessage, safeResult } from './redact'

/** A job is given up after so many servers died over it. */
const MAX_TAKEOVERS = 5
/** onFailure is given up after so many runs in which it threw. */
const MAX_CLEANUPS = 6
const PROGRESS_MS = 300

export interface Running {
  job: ClaimedJob
  controller: AbortController
  cancelled: boolean
  /** Not ours any more (lost, or the server closes): what it does now is not written. */
  letGo: 'lost' | 'closing' | null
}

interface Tools {
  db: Kysely<Database>
  inventory: Inventory
  log: Log
  owner: string
}

/** Works on a claimed job until it is over or let go. Never throws. */
export async function runJob(tools: Tools, handler: JobHandler | undefined, running: Running): Promise<void> {
  const { job } = running
  const { log } = tools
  try {
    await workOn(tools, handler, running)
  } catch (error) {
    // the database failed us, not the work: it is begun again
    log.error({ error, task_id: job.id, name: job.name }, 'a task could not be written down and is begun again')
    await releaseJob(tools.db, tools.owner, job.id, 1).catch(() => undefined)
  }
}

async function workOn(tools: Tools, handler: JobHandler | undefined, running: Running): Promise<void> {
  const { job } = running
  const progress = progressWriter(tools, job)
  const run: JobRun = {
    task_id: job.id,
    name: job.name,
    subject: job.subject,
    args: job.args,
    scope: job.scope,
    attempt: job.attempt,
    signal: running.controller.signal,
    cancelled: () => running.cancelled,
    progress: progress.tell,
  }
  let failure = job.failure
  let cause: unknown = failure === null ? null : new Error(failure)
  if (failure === null) {
    const refusal = whyNot(handler, running)
    if (!refusal) await showState(tools, job.id, running.cancelled ? 'cancelling' : 'running')
    const outcome = refusal ? { error: refusal } : await attempt(handler!, run)
    await progress.stop()
    // it did not fail: it was cut off, and is begun again
    if ('error' in outcome && isUnavailable(outcome.error)) throw outcome.error
    // what was done before the server closed is done
    if (running.letGo === 'lost' || (running.letGo && 'error' in outcome)) return letGo(tools, running)
    if ('result' in outcome) {
      await finish(tools, job.id, { state: 'success', progress: 100, result: safeResult(outcome.result), error: null })
      return
    }
    cause = outcome.error
    failure = safeMessage(cause)
    tools.log.warn({ error: cause, task_id: job.id, name: job.name }, 'a task failed')
    // from here on only onFailure is run, also by a server that takes over
    await tools.db
      .updateTable('job')
      .set({ failure })
      .where('id', '=', job.id)
      .where('owner', '=', tools.owner)
      .execute()
  }
  if (!(await cleanUp(tools, handler, run, cause, running))) return
  const state: TaskState = running.cancelled ? 'cancelled' : 'failed'
  await finish(tools, job.id, { state, error: running.cancelled ? null : failure })
}

const isUnavailable = (error: unknown): boolean => error instanceof Problem && error.code === 'database_unavailable'

function whyNot(handler: JobHandler | undefined, { job, cancelled }: Running): Error | null {
  if (!handler) return new Error(`No server knows how to do "${job.name}"`)
  if (job.takeovers >= MAX_TAKEOVERS)
    return new Error(`The work was begun ${job.takeovers + 1} times, and the server stopped each time`)
  // nothing was made yet, so only the rows are put right
  if (cancelled && job.attempt === 1) return new Error('Cancelled before it began')
  return null
}

async function attempt(handler: JobHandler, run: JobRun): Promise<{ result: unknown } | { error: unknown }> {
  try {
    return { result: await handler.run(run) }
  } catch (error) {
    return { error }
  }
}

/** Whether onFailure is done with; otherwise it is run again later. */
async function cleanUp(
  { db, owner, log }: Tools,
  handler: JobHandler | undefined,
  run: JobRun,
  cause: unknown,
  running: Running,
): Promise<boolean> {
  try {
    await handler?.onFailure?.(run, cause)
    return running.letGo === null || (await letGo({ db, owner }, running), false)
  } catch (error) {
    if (running.letGo) {
      await letGo({ db, owner }, running)
      return false
    }
    log.error(
      { error, task_id: run.task_id, name: run.name, attempt: run.attempt },
      'what a failed task left could not be put right',
    )
    if (run.attempt >= MAX_CLEANUPS + running.job.takeovers) return true
    await releaseJob(db, owner, run.task_id, Math.min(60, 2 ** run.attempt / 2))
    return false
  }
}

async function letGo({ db, owner }: Pick<Tools, 'db' | 'owner'>, { job, letGo: why }: Running): Promise<void> {
  if (why === 'closing') await releaseJob(db, owner, job.id)
}

/** Writes the end of a task and removes its job, unless another server has it by now. */
async function finish({ inventory, owner }: Tools, id: string, end: Partial<Task>): Promise<void> {
  await inventory.transaction(async (records, db) => {
    const removed = await db.deleteFrom('job').where('id', '=', id).where('owner', '=', owner).executeTakeFirst()
    if (removed.numDeletedRows === 0n) return
    const task = await records.lock<Task & { [field: string]: unknown }>('task', id)
    const at = new Date().toISOString()
    if (task) await records.put('task', { ...task, ...end, updated_at: at, finished_at: at })
  })
}

async function showState({ inventory }: Tools, id: string, state: TaskState): Promise<void> {
  await inventory.transaction(async (records) => {
    const task = await records.lock<Task & { [field: string]: unknown }>('task', id)
    if (!task || taskIsOver(task.state) || task.state === state || task.state === 'cancelling') return
    await records.put('task', { ...task, state, updated_at: new Date().toISOString() })
  })
}

function progressWriter(
  { inventory, log }: Tools,
  job: ClaimedJob,
): { tell(percent: number): void; stop(): Promise<void> } {
  let latest: number | null = null
  let writing: Promise<void> | null = null
  let stopped = false

  const write = async (): Promise<void> => {
    while (latest !== null && !stopped) {
      const progress = latest
      latest = null
      await inventory.transaction(async (records) => {
        const task = await records.lock<Task & { [field: string]: unknown }>('task', job.id)
        if (!task || taskIsOver(task.state)) return
        await records.put('task', { ...task, progress, updated_at: new Date().toISOString() })
      })
      await new Promise((resolve) => setTimeout(resolve, stopped ? 0 : PROGRESS_MS))
    }
  }
  return {
    tell(percent) {
      if (!Number.isFinite(percent) || stopped) return
      latest = Math.round(Math.min(100, Math.max(0, percent)))
      writing ??= write()
        .catch((error: unknown) => log.warn({ error, task_id: job.id }, 'progress was not written'))
        .finally(() => {
          writing = null
        })
    },
    async stop() {
      stopped = true
      await writing
    },
  }
}
