import { sql, type Kysely } from 'kysely'
import type { PersonAnswer } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Database } from '../store/schema'
import { DEAD_AFTER_SECONDS, type ThisServer } from '../store/servers'
import { JOB_LOCK } from './fence'
import type { Room } from './pools'

const UNKNOWN_AT_ONCE = 20
/** Maximum time that a job waits. A job due later than that was written before a clock jumped. */
export const LONGEST_WAIT_SECONDS = 600

export interface ClaimedJob {
  id: string
  name: string
  subject: { kind: string; id: string; name: string }
  args: Record<string, unknown>
  scope: Scope
  project_id: string
  attempt: number
  /** Number of servers that died while running this job. Reset when a step completes and when the job fails. */
  takeovers: number
  cancel_requested: boolean
  /** State that the last run kept; null before the first wait. */
  state: Record<string, unknown> | null
  /** Set once the work has failed. From then on, only undoing and `onFailure` remain. */
  failure: string | null
  failure_code: string | null
  /** Number of failed attempts to clean up. */
  cleanups: number
  /** Whether the job was prepared for a command whose outcome is unknown. */
  prepared: boolean
  /** Progress of the steps; null before the first step and for jobs without steps. */
  steps: KeptSteps | null
  question: KeptQuestion | null
  answer: PersonAnswer | null
  node: string | null
  /** Start of the current wait, in the same unit as `time`; null if the job is not waiting. */
  since: number | null
  /** Time on the database's clock, in milliseconds since 1970. */
  time: number
}

/** Progress of a job with steps. Steps are listed by name, in the order in which they happened. */
export interface KeptSteps {
  begun: string[]
  done: string[]
  /** Steps that could not be undone. */
  stuck: string[]
  kept: Record<string, unknown>
}

/** The question of a step that has not been completed. */
interface KeptQuestion {
  id: string
  step: string
  choices: string[]
  otherwise: string | null
  /** Time on the database's clock, in milliseconds since 1970. */
  deadline: number
}

const lease = sql`now() + make_interval(secs => ${sql.lit(DEAD_AFTER_SECONDS)})`
const claimed = sql`
  id, name, subject, args, scope, project_id, attempt, takeovers, cancel_requested, state, failure, failure_code,
  cleanups, prepared, steps, question, answer, node,
  extract(epoch from waits_since)::float8 * 1000 as since, extract(epoch from now())::float8 * 1000 as time`
/**
 * Jobs for one subject run in the order in which they were started. A job that holds several subjects runs when it is
 * first in line for each of them.
 */
const isFirstOfSubject = sql`not exists (
  select from (
    select it.subject_key as key union all select subject_key from job_hold where job_id = it.id
  ) own
  where exists (select from job earlier where earlier.subject_key = own.key and earlier.number < it.number)
    or exists (select from job_hold earlier where earlier.subject_key = own.key and earlier.number < it.number))`

/**
 * Claims jobs that are due, not owned, first in line for their subjects, and for a node that this server can reach
 * (`nodes`), if any. Jobs cancelled before they started can run anywhere. Respects the free slots of each pool and the
 * share of each project, and claims the jobs that have been due longest first. Each project takes a single index
 * lookup, so that a project with many jobs costs no more than one with few.
 */
export async function claimJobs(
  db: Kysely<Database>,
  owner: string,
  rooms: readonly Room[],
  { suspects, nodes }: { suspects: number; nodes: readonly string[] },
): Promise<ClaimedJob[]> {
  if (rooms.length === 0) return []
  const { rows } = await sql<ClaimedJob>`
    with recursive tenant (project_id) as (
      (select project_id from job where owner is null order by project_id limit 1)
      union all
      select (
        select job.project_id from job where owner is null and job.project_id > tenant.project_id
        order by job.project_id limit 1)
      from tenant where tenant.project_id is not null
    ), room as (
      select * from jsonb_to_recordset(${JSON.stringify(rooms)}::jsonb)
        as it (pool text, names text[], slots int, per_project int, busy jsonb)
    ), due as (
      select candidate.*, room.pool, room.slots
      from tenant cross join room cross join lateral (
        select it.id, it.number, it.not_before, it.takeovers from job it
        where it.owner is null and it.project_id = tenant.project_id and it.not_before <= now()
          and it.name = any(room.names) and ${isFirstOfSubject}
          and (it.node is null or it.node = any(${nodes}::text[]) or (it.cancel_requested and it.attempt = 0))
        order by it.not_before, it.number
        limit greatest(0, room.per_project - coalesce((room.busy ->> tenant.project_id)::int, 0))
      ) candidate
      where tenant.project_id is not null
    ), ranked as (
      select id, slots, takeovers,
        row_number() over (partition by pool order by not_before, number) as place,
        row_number() over (partition by takeovers > 0 order by not_before, number) as among_suspects
      from due
    ), chosen as materialized (
      select job.id from job join ranked using (id)
      where place <= slots and (ranked.takeovers = 0 or among_suspects <= ${suspects}) and job.owner is null
      for update of job skip locked
    )
    update job set owner = ${owner}, lease_until = ${lease}, attempt = attempt + 1
    where id in (select id from chosen)
    returning ${claimed}`.execute(db)
  return rows
}

/** Claims jobs that have been due for at least `waitMs` and whose name is not known to any live server. */
export async function claimUnknownJobs(
  db: Kysely<Database>,
  owner: string,
  names: readonly string[],
  waitMs: number,
): Promise<ClaimedJob[]> {
  const { rows } = await sql<ClaimedJob>`
    update job set owner = ${owner}, lease_until = ${lease}, attempt = attempt + 1
    where id in (
      select it.id from job it
      where it.owner is null and it.failure is null and it.name <> all(${names}::text[])
        and it.not_before < now() - make_interval(secs => ${waitMs / 1000}) and ${isFirstOfSubject}
        and not exists (
          select from server where it.name = any(server.job_names)
            and server.seen_at > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}))
      order by it.number limit ${UNKNOWN_AT_ONCE} for update skip locked)
    returning ${claimed}`.execute(db)
  return rows
}

/** Releases an unfinished job, which any server can start again after `waitSeconds`. */
export async function releaseJob(
  db: Kysely<Database>,
  owner: string,
  { id, attempt }: Pick<ClaimedJob, 'id' | 'attempt'>,
  waitSeconds = 0,
): Promise<void> {
  await sql`
    update job set owner = null, lease_until = null, not_before = now() + make_interval(secs => ${waitSeconds})
    where id = ${id} and owner = ${owner} and attempt = ${attempt}`.execute(db)
}

/**
 * Releases a job until its next run. If cancellation was requested during this run, the job is due immediately. With
 * `isPerson`, the job waits for an answer, and this time does not count as waiting.
 */
export async function rescheduleJob(
  db: Kysely<Database>,
  owner: string,
  { id, attempt, cancel_requested, time }: ClaimedJob,
  { again, state = {}, isPerson = false }: { again: number; state?: Record<string, unknown>; isPerson?: boolean },
): Promise<void> {
  const seconds = Math.min(Math.max(0, again / 1000), LONGEST_WAIT_SECONDS)
  await sql`
    update job set owner = null, lease_until = null, state = ${JSON.stringify(state)},
      waits_since = case when ${isPerson} then waits_since else coalesce(waits_since, to_timestamp(${time / 1000})) end,
      not_before = case when cancel_requested and not ${cancel_requested} then now()
        else now() + make_interval(secs => ${seconds}) end
    where id = ${id} and owner = ${owner} and attempt = ${attempt}`.execute(db)
}

/**
 * Releases the jobs of dead servers and of earlier processes of this replica. If such a server is still registered, the
 * job is counted as one that may have crashed it. Servers that left in an orderly way or run an older version are not
 * registered. Skips jobs that have a transaction in progress. Returns the number of jobs released.
 */
export async function freeJobsOfDead(db: Kysely<Database>, server: ThisServer): Promise<number> {
  const { numAffectedRows } = await sql`
    with lost as materialized (
      select id, owner from job
      where owner is not null and owner <> ${server.epoch} and (
        (${server.maySeeDead()} and (
          coalesce(lease_until < now(), true)
          or lease_until > now() + make_interval(secs => ${6 * DEAD_AFTER_SECONDS})))
        or owner in (
          select epoch::text from server where replica = ${server.replica} and epoch <> ${server.epoch}::uuid
            and seen_at < now() - make_interval(secs => ${server.replacedAfterSeconds})))
      for update skip locked
    )
    update job set owner = null, lease_until = null, not_before = now(),
      takeovers = takeovers + (exists (select from server where server.epoch::text = lost.owner))::int
    from lost
    where job.id = lost.id and pg_try_advisory_xact_lock(${JOB_LOCK}::int, hashtext(job.id))`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Makes jobs due if they wait longer than the maximum, because the database's clock was set back. */
export async function endEndlessWaits(db: Kysely<Database>): Promise<void> {
  await sql`
    update job set not_before = now()
    where owner is null and not_before > now() + make_interval(secs => ${LONGEST_WAIT_SECONDS + 1})`.execute(db)
}
