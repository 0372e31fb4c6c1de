import { randomUUID } from 'node:crypto'
import { problem } from '@mainstay/contract/core/problems'
import { taskIsOver, type Task, type TaskStep } from '@mainstay/contract/core/tasks'
import {
  isAskPerson,
  isRunAgain,
  type AskPerson,
  type JobRun,
  type PersonAnswer,
  type RunAgain,
  type Step,
  type StepParts,
  type SteppedHandler,
} from '@mainstay/engines/ports/records'
import type { Transaction, UpdateObject } from 'kysely'
import { stepBefore } from '../inventory/jobs'
import type { Database } from '../store/schema'
import { LONGEST_WAIT_SECONDS, releaseJob, rescheduleJob, type KeptSteps } from './claim'
import { safeMessage } from './redact'
import { isUnavailable, MAX_CLEANUPS, MAX_DEATHS, type Running, type TaskRow, type RunnerTools } from './running'

/** The job has already been released in a transaction and will continue later. */
export const WAITS = Symbol('waits')

const LONGEST_QUESTION_MS = 30 * 24 * 60 * 60_000
const MOST_KEPT_BYTES = 16 * 1024
const MOST_STEPS = 50
type Parts = Step<JobRun>
type Changes = UpdateObject<Database, 'job'>

/** Throws if a job's steps cannot be tracked: if there are duplicate names, no steps or too many. */
export function checkSteps(name: string, { steps }: SteppedHandler): void {
  const names = new Set(steps.map((step) => step.name))
  if (names.size !== steps.length || names.size === 0 || names.size > MOST_STEPS)
    throw new Error(`"${name}" must have 1 to ${MOST_STEPS} steps with different names`)
}

/**
 * Runs the remaining steps. Returns the result, `RunAgain` or `WAITS`. Throws if a step fails or the task is cancelled.
 */
export async function runSteps(
  tools: RunnerTools,
  handler: SteppedHandler,
  running: Running,
  run: JobRun,
): Promise<unknown> {
  const it = open(tools, handler, running, run)
  let { state } = run
  for (const step of handler.steps) {
    if (it.has('done', step)) continue
    const answer = await it.answerTo(step)
    if (answer === WAITS || (await it.begin(step)) === WAITS) return WAITS
    const outcome = await step.run(it.partsOf(step, state, answer))
    if (isAskPerson(outcome)) return it.ask(step, outcome)
    if (isRunAgain(outcome)) return outcome
    await it.finish(step)
    state = {}
  }
  return handler.result?.(it.kept.kept) ?? null
}

/**
 * Undoes the steps that have begun, starting with the last one. If a step cannot be undone, this is recorded, and
 * earlier steps are still undone. Returns `WAITS` if undoing continues later, otherwise the names of the steps that
 * could not be undone.
 */
export async function undoSteps(
  tools: RunnerTools,
  handler: SteppedHandler,
  running: Running,
  run: JobRun,
): Promise<readonly string[] | typeof WAITS> {
  const { job } = running
  const it = open(tools, handler, running, run)
  let { state } = run
  await it.settle()
  for (const name of it.kept.begun.toReversed()) {
    const step = handler.steps.find((one) => one.name === name)
    if (!step) {
      await it.undone(name, 'This version of the server does not have this step')
      continue
    }
    if (!step.undo) {
      await it.undone(name, null)
      continue
    }
    if (job.takeovers >= MAX_DEATHS) {
      await it.undone(name, `The server stopped ${job.takeovers} times while it undid this`)
      continue
    }
    await it.show({ [name]: { state: 'undoing', ended_at: null } })
    try {
      const outcome = await step.undo(it.partsOf(step, state, null))
      if (isRunAgain(outcome)) return await it.wait(outcome)
      await it.undone(name, null)
    } catch (error) {
      if (running.letGo || isUnavailable(error)) throw error
      tools.log.error({ error, task_id: job.id, name: job.name, step: name }, 'failed to undo a step')
      if (job.cleanups + 1 < MAX_CLEANUPS) return it.tryLater()
      await it.undone(name, safeMessage(error))
    }
    state = {}
  }
  return it.kept.stuck
}

/** The progress of a job's steps and how the task shows it. Each change updates both in one transaction. */
function open(tools: RunnerTools, { steps }: SteppedHandler, running: Running, run: JobRun) {
  const { inventory, owner } = tools
  const { job } = running
  const { id, attempt } = job
  const kept: KeptSteps = (job.steps ??= { begun: [], done: [], stuck: [], kept: {} })
  const weights = steps.map(({ weight = 1 }) => weight)
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const has = (list: 'begun' | 'done', { name }: { name: string }) => kept[list].includes(name)

  /** Converts the progress of a step, before which all other steps are done, to a percentage of the whole job. */
  const progressAt = (step: Parts, percent: number): number => {
    const at = steps.indexOf(step)
    const before = weights.slice(0, at).reduce((sum, weight) => sum + weight, 0)
    return (100 * before + weights[at]! * Math.min(100, Math.max(0, percent))) / all
  }

  /** Returns the job after locking it. Throws if this run no longer owns it. */
  async function locked(db: Transaction<Database>) {
    const row = await db
      .selectFrom('job')
      .select(['pause_requested', 'cancel_requested', 'answer'])
      .where('id', '=', id)
      .where('owner', '=', owner)
      .where('attempt', '=', attempt)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw new Error('the job was taken over by another server')
    return row
  }

  type Shown = Partial<Task> & { of?: Record<string, Partial<TaskStep>> }
  type Records = Parameters<Parameters<RunnerTools['inventory']['transaction']>[0]>[0]
  async function showIn(records: Records, { of = {}, state, ...more }: Shown): Promise<void> {
    const task = await records.lock<TaskRow>('task', id)
    if (!task || taskIsOver(task.state)) return
    const known = new Map((task.steps ?? []).map((step) => [step.name, step]))
    const shown = steps.map(({ name }) => ({ ...(known.get(name) ?? stepBefore(name)), ...of[name] }))
    await records.put('task', {
      ...task,
      ...more,
      ...(state && task.state !== 'cancelling' && { state }),
      steps: shown,
      updated_at: new Date().toISOString(),
    })
  }
  const change = (set: Changes, shown: Shown): Promise<void> =>
    inventory.transaction(async (records, db) => {
      await locked(db)
      await db
        .updateTable('job')
        .set({ ...set, steps: JSON.stringify(kept) })
        .where('id', '=', id)
        .execute()
      await showIn(records, shown)
    })

  /** Releases the job for a while, in the same transaction that decided to wait. */
  async function waitIn(
    db: Transaction<Database>,
    milliseconds: number,
    state: RunAgain['state'],
    { isPerson = true } = {},
  ): Promise<void> {
    const again = Math.min(milliseconds, LONGEST_WAIT_SECONDS * 1000)
    await rescheduleJob(db, owner, job, { again, isPerson, ...(state && { state }) })
  }
  const left = (milliseconds: number): typeof WAITS => {
    tools.onWait(milliseconds)
    return WAITS
  }
  const kepts = (): RunAgain['state'] => job.state ?? {}

  return {
    kept,
    has,
    partsOf: (step: Parts, state: JobRun['state'], answer: PersonAnswer | null): JobRun & StepParts => ({
      ...run,
      since: job.since ?? job.time,
      state,
      answer,
      kept: kept.kept,
      signal: running.controller.signal,
      progress: (percent) => run.progress(progressAt(step, percent)),
      async keep(more) {
        const next = { ...kept.kept, ...more }
        if (JSON.stringify(next).length > MOST_KEPT_BYTES)
          throw new Error(`a step keeps more than ${MOST_KEPT_BYTES} bytes`)
        Object.assign(kept.kept, more)
        await change({}, {})
      },
    }),
    show: (of: Record<string, Partial<TaskStep>>) => change({}, { of }),

    /** The answer to a step's question; null if the step has not asked one. Throws `nobody_answered`. */
    async answerTo({ name }: Parts): Promise<PersonAnswer | null | typeof WAITS> {
      const { question } = job
      if (question?.step !== name || running.cancelled) return null
      const answer = await inventory.transaction(async (_, db) => {
        const known = (await locked(db)).answer as PersonAnswer | null
        if (known) return known
        if (job.time < question.deadline) {
          await waitIn(db, question.deadline - job.time, kepts())
          return WAITS
        }
        if (question.otherwise === null) return null
        const byDefault: PersonAnswer = { choice: question.otherwise, by: null }
        await db
          .updateTable('job')
          .set({ answer: JSON.stringify(byDefault) })
          .where('id', '=', id)
          .execute()
        return byDefault
      })
      if (answer === WAITS) return left(question.deadline - job.time)
      if (answer) return answer
      throw problem('core.nobody_answered')
    },

    /** Begins a step. Waits if the task is paused, and throws if it is cancelled. */
    async begin({ name, endsItself = false }: Parts): Promise<typeof WAITS | null> {
      const outcome = await inventory.transaction(async (records, db) => {
        const { cancel_requested, pause_requested } = await locked(db)
        const isFirst = !kept.begun.includes(name)
        const isCancelled = cancel_requested || running.cancelled
        if (isCancelled && (isFirst || !endsItself)) return 'cancelled'
        if (pause_requested && !isCancelled) {
          await waitIn(db, LONGEST_WAIT_SECONDS * 1000, kepts())
          await showIn(records, { state: 'paused', is_pausing: false, question: null })
          return 'paused'
        }
        const began_at = new Date().toISOString()
        if (isFirst) kept.begun.push(name)
        await db
          .updateTable('job')
          .set({ steps: JSON.stringify(kept) })
          .where('id', '=', id)
          .execute()
        const of = { [name]: { state: 'running', ended_at: null, error: null, ...(isFirst && { began_at }) } } as const
        await showIn(records, { state: 'running', question: null, unreachable_node: null, of })
        return 'begun'
      })
      if (outcome === 'cancelled') {
        running.cancelled = true
        throw new Error('the task was cancelled')
      }
      return outcome === 'paused' ? left(LONGEST_WAIT_SECONDS * 1000) : null
    },

    async finish(step: Parts): Promise<void> {
      kept.done.push(step.name)
      job.takeovers = 0
      await change(
        { state: '{}', question: null, answer: null, takeovers: 0, waits_since: null },
        { of: { [step.name]: { state: 'done', ended_at: new Date().toISOString() } } },
      )
      Object.assign(job, { question: null, answer: null, state: {}, since: null })
      run.progress(progressAt(step, 100))
    },

    /** Marks the step in progress as failed or cancelled. */
    settle: (): Promise<void> =>
      inventory.transaction(async (records, db) => {
        await locked(db)
        const task = await records.get<TaskRow>('task', id)
        const open = (task?.steps ?? []).filter((step) => step.state === 'running')
        const end = running.cancelled
          ? { state: 'cancelled' as const, error: null }
          : { state: 'failed' as const, error: job.failure }
        const ended_at = new Date().toISOString()
        if (open.length > 0)
          await showIn(records, {
            ...{ question: null, is_pausing: false },
            of: Object.fromEntries(open.map(({ name }) => [name, { ...end, ended_at }])),
          })
      }),

    async ask({ name }: Parts, { ask, choices, otherwise, within, values = {}, state }: AskPerson) {
      if (choices.length < 2 || (otherwise !== null && !choices.includes(otherwise)))
        throw new Error(`the question "${ask}" needs at least two choices, and one of them as the default`)
      const wait = Math.min(LONGEST_QUESTION_MS, Math.max(0, within))
      const question = { id: randomUUID(), step: name, choices: [...choices], otherwise, deadline: job.time + wait }
      await inventory.transaction(async (records, db) => {
        await locked(db)
        await db
          .updateTable('job')
          .set({ question: JSON.stringify(question), answer: null })
          .where('id', '=', id)
          .execute()
        await waitIn(db, wait, state ?? {})
        const deadline = new Date(question.deadline).toISOString()
        const told = {
          id: question.id,
          name: ask,
          values: { ...values },
          choices: question.choices,
          otherwise,
          deadline,
        }
        await showIn(records, { state: 'paused', question: told })
      })
      return left(wait)
    },

    /** Records that undoing a step has ended. `why` is the reason if the step could not be undone, otherwise null. */
    async undone(name: string, why: string | null): Promise<void> {
      kept.begun = kept.begun.filter((one) => one !== name)
      if (why !== null) kept.stuck.push(name)
      Object.assign(job, { takeovers: 0, cleanups: 0, state: {}, since: null })
      const step = steps.find((one) => one.name === name)
      const ended_at = new Date().toISOString()
      const told: Partial<TaskStep> =
        why === null
          ? step?.undo
            ? { state: 'undone', ended_at }
            : {}
          : { state: 'undo_failed', ended_at, error: why }
      await change({ state: '{}', takeovers: 0, cleanups: 0, waits_since: null }, { of: { [name]: told } })
    },
    async wait({ again, state }: RunAgain): Promise<typeof WAITS> {
      await inventory.transaction(async (_, db) => waitIn(db, again, state, { isPerson: false }))
      return left(again)
    },
    /** Schedules another attempt to undo a step, after a delay that grows with each attempt. */
    async tryLater(): Promise<typeof WAITS> {
      await change({ cleanups: job.cleanups + 1 }, {})
      const seconds = Math.min(60, 2 ** job.cleanups)
      await releaseJob(tools.db, owner, job, seconds)
      return left(seconds * 1000)
    },
  }
}
