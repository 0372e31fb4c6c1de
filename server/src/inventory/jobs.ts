import { randomUUID } from 'node:crypto'
import type { Task, TaskStep } from '@mainstay/contract/core/tasks'
import type { Entity, JobStart } from '@mainstay/engines/ports/records'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../store/schema'
import { requestUnderWay } from '../audit/acts'
import { noteTask } from '../tasks/begun-tasks'

export const JOBS_CHANNEL = 'mainstay_jobs'

const queueOf = ({ kind, id }: { kind: string; id: string }) => `${kind}/${id}`

/**
 * Writes a job and its task in the caller's transaction, so that either both exist or neither does. The caller must
 * notify `JOBS_CHANNEL` after the commit. `putTask` writes the task.
 */
export async function startJob(
  db: Transaction<Database>,
  putTask: (task: Entity) => void,
  job: JobStart,
): Promise<string> {
  const id = randomUUID()
  const { name, subject, args, scope, serial = true, hidden = false, holds = [], node = null } = job
  const queue = serial ? queueOf(subject) : id
  const held = [...new Set(holds.map(queueOf))].filter((key) => key !== queue)
  // Jobs for one subject run in commit order, and this lock keeps their numbers in that order. Locks are taken in key
  // order, so that two jobs with the same subjects cannot deadlock.
  await sql`
    select pg_advisory_xact_lock(7207, lock) from (
      select distinct hashtext(key) as lock from unnest(${[queue, ...held]}::text[]) key order by 1) locks`.execute(db)
  const { number } = await db
    .insertInto('job')
    .values({
      id,
      name,
      subject_key: queue,
      subject: JSON.stringify(subject),
      args: JSON.stringify(args),
      scope: JSON.stringify(scope),
      node,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  if (held.length > 0)
    await db
      .insertInto('job_hold')
      .values(held.map((subject_key) => ({ job_id: id, subject_key, number })))
      .execute()
  if (!hidden) {
    const parent = noteTask(id)
    putTask(taskOfJob(id, { ...job, flow: parent ?? job.flow ?? null, parent: parent ?? job.parent ?? null }))
  }
  return id
}

/** Whether any unfinished job has this subject or holds it. */
export async function hasJobs(db: Transaction<Database>, subject: { kind: string; id: string }): Promise<boolean> {
  const key = queueOf(subject)
  const { rows } = await sql`
    select from job where subject_key = ${key}
    union all select from job_hold where subject_key = ${key} limit 1`.execute(db)
  return rows.length > 0
}

/** A task step that has not started. */
export const stepBefore = (name: string): TaskStep => ({
  ...{ name, state: 'waiting', began_at: null, ended_at: null, error: null },
})

/** The task for a job that has not started. */
export function taskOfJob(id: string, job: JobStart): Task & { [field: string]: unknown } {
  const { name, subject, args, scope, event = scope.event ?? null, flow = null, parent = null } = job
  const { cancellable = false, steps } = job
  const at = new Date().toISOString()
  return {
    id,
    task_id: id,
    name,
    state: 'starting',
    args: [subject],
    kwargs: args,
    event,
    result: null,
    progress: 0,
    error: null,
    err_code: null,
    flow,
    parent_id: parent,
    cancellable,
    ...(steps && { steps: steps.map(stepBefore) }),
    request_id: scope.request_id,
    request: requestUnderWay(),
    user_id: scope.user_id,
    user_name: scope.user_name,
    project_id: scope.project_id,
    domain_id: scope.domain_id,
    created_at: at,
    updated_at: at,
    finished_at: null,
  }
}

/**
 * Makes the waiting jobs of a subject run again when the transaction commits. The caller must then notify
 * `JOBS_CHANNEL`. Returns whether there were any.
 */
export async function wakeJobs(db: Transaction<Database>, subject: { kind: string; id: string }): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update job set not_before = now()
    where (subject_key = ${queueOf(subject)}
        or id in (select job_id from job_hold where job_hold.subject_key = ${queueOf(subject)}))
      and owner is null and state is not null and question is null and not_before > now()`.execute(db)
  return Boolean(numAffectedRows)
}
