import { problem, fieldProblem } from '@mainstay/contract/core/problems'
import type { Kind } from '@mainstay/contract/core/kind'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import type { PersonAnswer } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type Transaction } from 'kysely'
import { JOBS_CHANNEL } from '../inventory/jobs'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import type { TaskRow } from './running'
import type { Tasks } from './types'

const kind = taskKind as unknown as Kind
/** Makes a waiting job due immediately, ahead of jobs that are already due. */
const atOnce = sql<Date>`case when owner is null then least(not_before, created_at) else not_before end`

/** Creates the calls with which users control a running task, within the scope in which they can see it. */
export function createControl(inventory: Inventory): Pick<Tasks, 'cancel' | 'pause' | 'resume' | 'answer'> {
  /**
   * Changes a task and its job in one transaction. Locks the job first, in the same order as a task that is ending.
   * Afterwards, sends `tell` to all servers: the ID of a job to cancel, or an empty text.
   */
  async function change(
    scope: Scope,
    id: string,
    work: (task: TaskRow, db: Transaction<Database>) => Promise<Partial<Task> | null>,
    tell = '',
  ): Promise<Task> {
    await inventory.view(kind, scope, id)
    await inventory.transaction(async (records, db) => {
      await db.selectFrom('job').select('id').where('id', '=', id).forUpdate().execute()
      const task = await records.lock<TaskRow>('task', id)
      if (!task || taskIsOver(task.state))
        throw problem('core.task_over', {}, { data: { status: task?.state ?? 'cancelled' } })
      const next = await work(task, db)
      if (!next) return
      await records.put('task', { ...task, ...next, updated_at: new Date().toISOString() })
      await sql`select pg_notify(${JOBS_CHANNEL}, ${tell})`.execute(db)
    })
    return inventory.view<TaskRow>(kind, scope, id)
  }

  return {
    cancel: (scope, id) =>
      change(
        scope,
        id,
        async ({ cancellable, state }, db) => {
          if (!cancellable) throw problem('core.task_not_cancellable', {}, { data: { status: state } })
          if (state === 'cancelling') return null
          const set = { cancel_requested: true, not_before: sql<Date>`least(not_before, created_at)` }
          await db.updateTable('job').set(set).where('id', '=', id).execute()
          return { state: 'cancelling', is_pausing: false }
        },
        id,
      ),
    pause: (scope, id) =>
      change(scope, id, async ({ steps, state, is_pausing }, db) => {
        if (!steps) throw problem('core.task_without_steps', {}, { data: { status: state } })
        if (state !== 'starting' && state !== 'running')
          throw problem('core.task_not_pausable', {}, { data: { status: state } })
        if (is_pausing) return null
        await db.updateTable('job').set({ pause_requested: true, not_before: atOnce }).where('id', '=', id).execute()
        return { is_pausing: true }
      }),
    resume: (scope, id) =>
      change(scope, id, async ({ question, state, is_pausing }, db) => {
        if (question) throw problem('core.task_waits_for_answer', {}, { data: { status: state } })
        if (state !== 'paused' && !is_pausing) throw problem('core.task_not_paused', {}, { data: { status: state } })
        await db.updateTable('job').set({ pause_requested: false, not_before: atOnce }).where('id', '=', id).execute()
        return { is_pausing: false, ...(state === 'paused' && { state: 'running' }) }
      }),
    answer: (scope, id, { question: asked, choice }) =>
      change(scope, id, async ({ question, state }, db) => {
        if (question?.id !== asked) throw problem('core.question_closed', {}, { data: { status: state } })
        if (!question.choices.includes(choice))
          throw fieldProblem('choice', 'core.choose_one_of', { choices: question.choices.join(', ') })
        const answer: PersonAnswer = { choice, by: scope.user_id }
        const { numUpdatedRows } = await db
          .updateTable('job')
          .set({ answer: JSON.stringify(answer), not_before: atOnce })
          .where('id', '=', id)
          .where('answer', 'is', null)
          .where(sql<boolean>`question ->> 'id' = ${asked}`)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw problem('core.question_closed', {}, { data: { status: state } })
        return { state: 'running', question: null }
      }),
  }
}
