import { asOwnCall, currentCall } from '@mainstay/engines/ports/call-context'
import { sql, type Transaction } from 'kysely'
import type { Database } from '../store/schema'

/** Namespace of the advisory locks that prevent the takeover of a job while one of its transactions is in progress. */
export const JOB_LOCK = 7211

/** A run of a job. Its transactions are allowed only while it owns the job. */
export interface Fence {
  id: string
  owner: string
  attempt: number
  /** Whether the run has ended. Listeners and timers that outlive it no longer count as part of its work. */
  isOver: boolean
  /** Called when another server turns out to own the job. */
  onLost(): void
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    /** The job run to which this work belongs. */
    fence?: Fence
  }
}

/**
 * Does the work of a run. Its transactions succeed only while the run owns the job. The context of the call that
 * started the job does not apply here, because that call's audit entry, tasks and expected rows do not belong to the
 * job.
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
 * Call this at the start of a transaction. Throws if the transaction belongs to a run whose job has moved to another
 * server. Prevents a takeover until the transaction ends.
 */
export async function requireOwnJob(db: Transaction<Database>): Promise<void> {
  const { fence } = currentCall()
  if (!fence || fence.isOver) return
  const { id, owner, attempt } = fence
  // check after locking, to see what the previous holder has written
  await sql`select pg_advisory_xact_lock_shared(${JOB_LOCK}::int, hashtext(${id}))`.execute(db)
  const { rows } = await sql`select 1 from job where id = ${id} and owner = ${owner} and attempt = ${attempt}`.execute(
    db,
  )
  if (rows.length > 0) return
  fence.onLost()
  throw new Error('the job was taken over by another server')
}
