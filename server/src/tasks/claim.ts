import { sql, type Kysely } from 'kysely'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Database } from '../store/schema'

/** A server that says nothing for so long has lost its jobs. */
export const LEASE_SECONDS = 10
export const HEARTBEAT_MS = 2000
/** A server whose connection is gone and that was silent for so long is dead. */
const SILENT_SECONDS = 4
/** How long a job of an unknown name waits for a server that knows it. */
const UNKNOWN_NAME_MINUTES = 10

/** Namespace of the advisory locks that living servers hold. */
export const ALIVE_LOCK = 7208

export interface ClaimedJob {
  id: string
  name: string
  subject: { kind: string; id: string; name: string }
  args: Record<string, unknown>
  scope: Scope
  attempt: number
  takeovers: number
  cancel_requested: boolean
  /** The work has failed so; what is left is onFailure. */
  failure: string | null
}

/** Takes jobs that nobody is at and that are the first of their subject, oldest first. */
export async function claimJobs(
  db: Kysely<Database>,
  owner: string,
  names: readonly string[],
  most: number,
): Promise<ClaimedJob[]> {
  const { rows } = await sql<ClaimedJob>`
    update job set owner = ${owner}, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      attempt = attempt + 1, takeovers = takeovers + (owner is not null)::int
    where id in (
      select id from job candidate
      where not_before <= now() and (lease_until is null or lease_until < now())
        and (name = any(${names}::text[]) or created_at < now() - make_interval(mins => ${UNKNOWN_NAME_MINUTES}))
        and not exists (
          select from job earlier
          where earlier.subject_key = candidate.subject_key and earlier.number < candidate.number)
      order by number limit ${most} for update skip locked)
    returning id, name, subject, args, scope, attempt, takeovers, cancel_requested, failure`.execute(db)
  return rows
}

/** Keeps jobs for another while. Answers those that are still ours. */
export async function renewJobs(
  db: Kysely<Database>,
  owner: string,
  ids: readonly string[],
): Promise<{ id: string; cancel_requested: boolean }[]> {
  const { rows } = await sql<{ id: string; cancel_requested: boolean }>`
    update job set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where owner = ${owner} and id = any(${ids}::text[])
    returning id, cancel_requested`.execute(db)
  return rows
}

/** Gives a job back; it is begun again, here or elsewhere, not before some seconds from now. */
export async function releaseJob(db: Kysely<Database>, owner: string, id: string, waitSeconds = 0): Promise<void> {
  await sql`
    update job set owner = null, lease_until = null, not_before = now() + make_interval(secs => ${waitSeconds})
    where id = ${id} and owner = ${owner}`.execute(db)
}

/**
 * Ends the leases of servers that are dead: nobody holds their lock, which PostgreSQL lets go with their connection.
 * With `replica`, also at once those of earlier processes of that replica. Answers how many jobs became free.
 */
export async function freeJobsOfDead(db: Kysely<Database>, replica: string | null): Promise<number> {
  const { rows } = await sql<{ owner: string }>`
    select distinct owner from job
    where owner is not null and lease_until > now() and (
      lease_until < now() + make_interval(secs => ${LEASE_SECONDS - SILENT_SECONDS})
      or starts_with(owner, ${replica === null ? '\u0001' : `${replica}/`}))`.execute(db)
  let freed = 0
  for (const { owner } of rows) {
    // tried and let go within one statement; the lock is free only when its process is gone
    const result = await sql`
      update job set lease_until = now() - interval '1 second'
      where owner = ${owner} and exists (
        select from (select pg_try_advisory_xact_lock_shared(${ALIVE_LOCK}::int, hashtext(${owner})) as free) tried
        where free)`.execute(db)
    freed += Number(result.numAffectedRows ?? 0)
  }
  return freed
}
