import { asOwnCall, currentCall } from '@mainstay/engines/ports/call-context'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../store/schema'

/** Namespace of the advisory locks by which a job is not taken over while one of its transactions goes on. */
export const JOB_LOCK = 7211

/** A run of a job, in whose name transactions are made. */
export interface Fence {
  id: string
  owner: string
  attempt: number
  /** The run has come to its end; what it left behind (a listener, a timer) is no longer its work. */
  isOver: boolean
  /** The job was found to be somebody else's. */
  onLost(): void
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    /** The run of the job whose work this is. */
    fence?: Fence
  }
}

/**
 * Does the work of a run: its transactions write only as long as the job is its own. The call that began the job does not travel with
 * it: its line in the audit log, its tasks and its wishes are not the job's.
 */
export const inFence = <Result>(fence: Fence, work: () => Promise<Result>): Promise<Result> =>
  asOwnCall({ fence }, async () => {
    try {
      return await work()
    } finally {
      fence.isOver = true
    }
  })

/**
 * At the beginning of a transaction: throws where it is made by a run whose job has gone to another server. Until the
 * transaction ends nobody else takes the job.
 */
export async function requireOwnJob(db: Transaction<Database>): Promise<void> {
  const { fence } = currentCall()
  if (!fence || fence.isOver) return
  const { id, owner, attempt } = fence
  // the look comes after the lock, so that it sees what whoever held it before has written
  await sql`select pg_advisory_xact_lock_shared(${JOB_LOCK}::int, hashtext(${id}))`.execute(db)
  const { rows } = await sql`select 1 from job where id = ${id} and owner = ${owner} and attempt = ${attempt}`.execute(
    db,
  )
  if (rows.length > 0) return
  fence.onLost()
  throw new Error('the job was taken over by another server')
}
