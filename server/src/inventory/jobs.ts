import { randomUUID } from 'node:crypto'
import type { Task } from '@mainstay/contract/core/tasks'
import type { Entity, JobStart } from '@mainstay/engines/ports/records'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../store/schema'
import { requestUnderWay } from '../audit/acts'
import { noteTask } from '../tasks/begun-tasks'

export const JOBS_CHANNEL = 'mainstay_jobs'

const queueOf = ({ kind, id }: { kind: string; id: string }) => `${kind}/${id}`

/**
 * What people see of a job and the job itself, both or none: they are written in the caller's transaction, which notifies
 * `JOBS_CHANNEL` when it is committed. `putTask` writes what people see.
 */
export async function startJob(
  db: Transaction<Database>,
  putTask: (task: Entity) => void,
  job: JobStart,
): Promise<string> {
  const id = randomUUID()
  const { name, subject, args, scope, serial = true, hidden = false } = job
  const queue = serial ? queueOf(subject) : id
  // jobs of one subject run in the order in which their transactions ended; this makes it the order of their numbers
  await sql`select pg_advisory_xact_lock(7207, hashtext(${queue}))`.execute(db)
  await db
    .insertInto('job')
    .values({
      id,
      name,
      subject_key: queue,
      subject: JSON.stringify(subject),
      args: JSON.stringify(args),
      scope: JSON.stringify(scope),
    })
    .execute()
  if (!hidden) putTask(taskOfJob(id, { ...job, flow: noteTask(id) ?? job.flow ?? null }))
  return id
}

/** Whether there are jobs of this subject that are not over. */
export async function hasJobs(db: Transaction<Database>, subject: { kind: string; id: string }): Promise<boolean> {
  const { rows } = await sql`select from job where subject_key = ${queueOf(subject)} limit 1`.execute(db)
  return rows.length > 0
}

/** A job as people see it before it has begun. */
export function taskOfJob(id: string, job: JobStart): Task & { [field: string]: unknown } {
  const { name, subject, args, scope, event = scope.event ?? null, flow = null, cancellable = false } = job
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
    cancellable,
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
 * Jobs of a subject that wait look again when the transaction has committed, which then notifies `JOBS_CHANNEL`. Answers
 * whether there are any.
 */
export async function wakeJobs(db: Transaction<Database>, subject: { kind: string; id: string }): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update job set not_before = now()
    where subject_key = ${queueOf(subject)} and owner is null and state is not null and not_before > now()`.execute(db)
  return Boolean(numAffectedRows)
}
