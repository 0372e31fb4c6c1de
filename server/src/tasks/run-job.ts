import { Problem, problemStatus, type ProblemCode } from '@mainstay/contract/core/problems'
import { taskIsOver, type Task, type TaskState } from '@mainstay/contract/core/tasks'
import { isRunAgain, type JobHandler, type JobRun, type SteppedHandler } from '@mainstay/engines/ports/records'
import { taskOfJob } from '../inventory/jobs'
import type { Inventory } from '../inventory/types'
import { releaseJob, rescheduleJob, type ClaimedJob } from './claim'
import { inFence } from './fence'
import { progressWriter } from './progress'
import { safeMessage, safeResult } from './redact'
import {
  isUnavailable,
  MAX_CLEANUPS,
  MAX_DEATHS,
  type Running,
  type RunnerTools as Tools,
  type TaskRow,
} from './running'
import { runSteps, undoSteps, WAITS } from './run-steps'

type Handler = JobHandler | SteppedHandler

/** Runs a claimed job until it ends, waits or is released. Never throws. */
export async function runJob(tools: Tools, handler: Handler | undefined, running: Running): Promise<void> {
  const { job } = running
  try {
    await workOn(tools, handler, running)
  } catch (error) {
    // the database has failed, not the work, so the job is started again
    tools.log.error({ error, task_id: job.id, name: job.name }, 'failed to save a task; starting it again')
    await releaseJob(tools.db, tools.owner, job, 1).catch(() => undefined)
  }
}

async function workOn(tools: Tools, handler: Handler | undefined, running: Running): Promise<void> {
  const { job } = running
  if (!handler) return setAside(tools, running)
  const { write, progress } = begin(tools, running)
  const run: JobRun = {
    task_id: job.id,
    name: job.name,
    subject: job.subject,
    args: job.args,
    scope: job.scope,
    attempt: job.attempt,
    state: job.state ?? {},
    time: job.time,
    since: job.since ?? job.time,
    prepared: job.prepared,
    signal: running.controller.signal,
    cancelled: () => running.cancelled,
    progress: progress.tell,
  }
  let { failure, failure_code: code } = job
  let cause: unknown = failure === null ? null : asError(failure, code)
  if (failure === null) {
    const refusal = whyNot(running)
    // after a wait, the task is already shown as running; if it has steps, it is shown as running when a step begins
    const isNew = !('steps' in handler) && (job.state === null || job.node !== null)
    if (!refusal && !job.prepared && (isNew || running.cancelled))
      await showState(tools, job.id, running.cancelled ? 'cancelling' : 'running')
    const work = () => ('steps' in handler ? runSteps(tools, handler, running, run) : handler.run(run))
    const outcome = refusal ? { error: refusal } : await write(work)
    await progress.stop()
    // the work was interrupted and has not failed, so it is started again
    if ('error' in outcome && isUnavailable(outcome.error)) throw outcome.error
    // keep a result that was returned although the server is closing
    if (running.letGo === 'lost' || (running.letGo && 'error' in outcome)) return letGo(tools, running)
    if ('result' in outcome) {
      if (outcome.result === WAITS) return
      if (isRunAgain(outcome.result)) {
        await rescheduleJob(tools.db, tools.owner, job, outcome.result)
        tools.onWait(outcome.result.again)
        return
      }
      const result = safeResult(outcome.result)
      return finish(tools, job, { state: 'success', progress: 100, result, error: null, err_code: null })
    }
    cause = outcome.error
    failure = safeMessage(cause)
    code = cause instanceof Problem ? cause.code : null
    tools.log.warn({ error: cause, task_id: job.id, name: job.name }, 'a task failed')
    // from now on, the job is only cleaned up, possibly by another server
    const left = {
      failure,
      failure_code: code,
      takeovers: 0,
      ...('steps' in handler && { state: '{}', waits_since: null }),
    }
    await tools.db
      .updateTable('job')
      .set(left)
      .where('id', '=', job.id)
      .where('owner', '=', tools.owner)
      .where('attempt', '=', job.attempt)
      .execute()
    Object.assign(job, { failure, takeovers: 0, ...('steps' in handler && { since: null }) })
    if ('steps' in handler) Object.assign(run, { state: {}, since: job.time })
  }
  const stuck = 'steps' in handler ? await undo(tools, handler, running, { run, write }) : []
  if (!stuck) return
  const end = endOf(running, { error: failure, err_code: code }, stuck)
  if (job.takeovers >= MAX_DEATHS) {
    tools.log.error({ task_id: job.id, name: job.name }, 'the server stopped each time it cleaned up after a task')
    return finish(tools, job, { ...end, state: 'failed', error: end.error ?? failure })
  }
  if (!(await cleanUp(tools, running, () => write(async () => handler.onFailure?.(run, cause))))) return
  await finish(tools, job, end)
}

/** The final state of a task that did not succeed. */
function endOf(
  { cancelled }: Running,
  failure: { error: string; err_code: string | null },
  stuck: readonly string[],
): { state: TaskState; error: string | null; err_code: string | null } {
  if (stuck.length > 0) {
    const why = cancelled ? 'The task was cancelled' : failure.error
    const error = `${why}. The changes of these steps could not be undone: ${stuck.join(', ')}`
    return { state: 'failed', error, err_code: 'undo_failed' }
  }
  return cancelled ? { state: 'cancelled', error: null, err_code: null } : { state: 'failed', ...failure }
}

/**
 * Undoes steps. The work's signal has fired if the task was cancelled, so this uses a new one. Returns null if undoing
 * continues later.
 */
async function undo(
  tools: Tools,
  handler: SteppedHandler,
  running: Running,
  { run, write }: { run: JobRun; write: ReturnType<typeof begin>['write'] },
): Promise<readonly string[] | null> {
  running.isUndoing = true
  if (!running.letGo) running.controller = new AbortController()
  const outcome = await write(() => undoSteps(tools, handler, running, run))
  if (running.letGo) {
    await letGo(tools, running)
    return null
  }
  if ('error' in outcome) throw outcome.error
  return outcome.result === WAITS ? null : (outcome.result as readonly string[])
}

/** Sets up the work of this run in its fence, so that it writes nothing once another server owns the job. */
function begin(tools: Tools, running: Running) {
  const { job } = running
  const onLost = (): void => {
    running.letGo ??= 'lost'
    running.controller.abort(new Error('the task was taken over by another server'))
  }
  const write = async (work: () => Promise<unknown>): Promise<{ result: unknown } | { error: unknown }> => {
    const { id, attempt } = job
    try {
      return { result: await inFence({ id, owner: tools.owner, attempt, isOver: false, onLost }, work) }
    } catch (error) {
      return { error }
    }
  }
  return { write, progress: progressWriter(tools, job.id) }
}

const asError = (message: string, code: string | null): Error =>
  code !== null && code in problemStatus ? new Problem(code as ProblemCode, message) : new Error(message)

function whyNot({ job, cancelled }: Running): Error | null {
  if (job.takeovers >= MAX_DEATHS)
    return new Problem(
      'job_gave_up',
      `The server stopped ${job.takeovers} times during this task, so the task is not retried. Find the cause in the ` +
        `server log (task ${job.id}) before you start the task again`,
    )
  // nothing has been created, so only the rows have to be corrected
  if (cancelled && job.attempt === 1) return new Error('Cancelled before it started')
  return null
}

/** Returns whether `onFailure` has completed. If not, it runs again later. */
async function cleanUp(
  { db, owner, log }: Tools,
  running: Running,
  work: () => Promise<{ result: unknown } | { error: unknown }>,
): Promise<boolean> {
  const { job } = running
  const outcome = await work()
  if (running.letGo) {
    await letGo({ db, owner }, running)
    return false
  }
  if ('result' in outcome) return true
  const { error } = outcome
  if (isUnavailable(error)) throw error
  const fields = { error, task_id: job.id, name: job.name, cleanups: job.cleanups + 1 }
  log.error(fields, 'failed to clean up after a failed task')
  if (job.cleanups + 1 >= MAX_CLEANUPS) return true
  await db
    .updateTable('job')
    .set({ cleanups: job.cleanups + 1 })
    .where('id', '=', job.id)
    .where('owner', '=', owner)
    .execute()
  await releaseJob(db, owner, job, Math.min(60, 2 ** job.cleanups))
  return false
}

async function letGo({ db, owner }: Pick<Tools, 'db' | 'owner'>, { job, letGo: why }: Running): Promise<void> {
  if (why === 'closing') await releaseJob(db, owner, job)
}

/** Writes the final state of a task and removes its job, unless another server now owns the job. */
async function finish({ inventory, owner }: Tools, job: ClaimedJob, end: Partial<Task>): Promise<void> {
  const { id, attempt } = job
  await inventory.transaction(async (records, db) => {
    const removed = await db
      .deleteFrom('job')
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('attempt', '=', attempt)
      .executeTakeFirst()
    if (removed.numDeletedRows > 0n) await endTask(records, job, end)
  })
}

type Records = Parameters<Parameters<Inventory['transaction']>[0]>[0]

const commandOf = ({ name, subject, args, scope }: ClaimedJob) => ({ name, subject, args, scope })

/** A command with an unknown outcome gets a task only if it failed. Otherwise, other tasks continue the command. */
async function endTask(records: Records, job: ClaimedJob, end: Partial<Task>): Promise<void> {
  const known = await records.lock<TaskRow>('task', job.id)
  const task = known ?? (job.prepared && end.state === 'failed' ? taskOfJob(job.id, commandOf(job)) : null)
  if (!task || taskIsOver(task.state)) return
  const at = new Date().toISOString()
  const asked = (task.is_pausing || task.question) && { is_pausing: false, question: null }
  await records.put('task', { ...task, ...asked, ...end, updated_at: at, finished_at: at })
}

/**
 * Fails the task of a job whose name no server knows. The job is set aside, so that it does not block other jobs. Once
 * a server knows the name again, it runs `onFailure` to correct the rows.
 */
async function setAside({ inventory, owner, log }: Tools, { job, cancelled }: Running): Promise<void> {
  const { id, attempt, name } = job
  const failure = `No server can run "${name}"`
  log.error({ task_id: id, name }, 'a task failed: no running server knows its name')
  await inventory.transaction(async (records, db) => {
    const { numUpdatedRows } = await db
      .updateTable('job')
      .set({ failure, owner: null, lease_until: null, subject_key: id, takeovers: 0, node: null })
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('attempt', '=', attempt)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    await db.deleteFrom('job_hold').where('job_id', '=', id).execute()
    await endTask(records, job, cancelled ? { state: 'cancelled' } : { state: 'failed', error: failure })
  })
}

async function showState({ inventory }: Tools, id: string, state: TaskState): Promise<void> {
  await inventory.transaction(async (records) => {
    const task = await records.lock<TaskRow>('task', id)
    if (!task || taskIsOver(task.state)) return
    const shown = task.state === 'cancelling' ? task.state : state
    if (task.state === shown && !task.unreachable_node) return
    const known = task.unreachable_node && { unreachable_node: null }
    await records.put('task', { ...task, ...known, state: shown, updated_at: new Date().toISOString() })
  })
}
