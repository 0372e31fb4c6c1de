import { Problem } from '@mainstay/contract/core/problems'
import type { Task } from '@mainstay/contract/core/tasks'
import type { Log } from '@mainstay/engines/ports/records'
import type { Kysely } from 'kysely'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import type { ClaimedJob } from './claim'

/** A job, a step of it, or its undoing is given up once this many servers have died while running it. */
export const MAX_DEATHS = 2
/** `onFailure`, or undoing a step, is given up after it has thrown this many times. */
export const MAX_CLEANUPS = 6

/** A job that this server runs. */
export interface Running {
  job: ClaimedJob
  controller: AbortController
  cancelled: boolean
  /** The work has failed; cancellation no longer has any effect. */
  isUndoing: boolean
  /** When the claim returned, by the monotonic clock. */
  claimedAt: number
  /** Set when the job no longer belongs to this server (lost, or the server closes). Nothing is written anymore. */
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

/** Whether the database failed, not the work. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'database_unavailable'
