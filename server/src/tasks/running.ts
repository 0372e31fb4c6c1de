import { Problem } from '@mainstay/contract/core/problems'
import type { Task } from '@mainstay/contract/core/tasks'
import type { Log } from '@mainstay/engines/ports/records'
import type { Kysely } from 'kysely'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import type { ClaimedJob } from './claim'

/**
 * A job, one of its steps, or the undoing of a step is abandoned after this many servers have died while running it.
 */
export const MAX_DEATHS = 2
/** Maximum number of failed attempts: after that, `onFailure` or the undoing of a step is abandoned. */
export const MAX_CLEANUPS = 6

/** A job that is running on this server. */
export interface Running {
  job: ClaimedJob
  controller: AbortController
  cancelled: boolean
  /** Whether the work has failed, in which case cancellation no longer has an effect. */
  isUndoing: boolean
  /** When the claim returned, on the monotonic clock. */
  claimedAt: number
  /**
   * Why the job no longer belongs to this server: it was lost, or the server is closing. Nothing more is written for
   * it.
   */
  letGo: 'lost' | 'closing' | null
}

export interface RunnerTools {
  db: Kysely<Database>
  inventory: Inventory
  log: Log
  owner: string
  /** Called when a job waits, with the time until it is due again. */
  onWait(milliseconds: number): void
}

export type TaskRow = Task & { [field: string]: unknown }

/** Whether an error comes from the database and not from the work. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'database_unavailable'
