import { Problem } from '@mainstay/contract/core/problems'
import type { Task } from '@mainstay/contract/core/tasks'
import type { Log } from '@mainstay/engines/ports/records'
import type { Kysely } from 'kysely'
import type { Inventory } from '../inventory/types'
import type { Database } from '../store/schema'
import type { ClaimedJob } from './claim'

/** A job, or one step of it, is given up once so many servers died while they ran it, and so is what undoes it. */
export const MAX_DEATHS = 2
/** onFailure, or undoing a step, is given up after so many runs in which it threw. */
export const MAX_CLEANUPS = 6

/** A job that this server is at. */
export interface Running {
  job: ClaimedJob
  controller: AbortController
  cancelled: boolean
  /** It has failed; a cancellation changes nothing any more. */
  isUndoing: boolean
  /** When the claim was answered, by the monotonic clock. */
  claimedAt: number
  /** Not ours any more (lost, or the server closes): what it does now is not written. */
  letGo: 'lost' | 'closing' | null
}

export interface RunnerTools {
  db: Kysely<Database>
  inventory: Inventory
  log: Log
  owner: string
  /** A job was left to wait, and is due again then. */
  onWait(milliseconds: number): void
}

export type TaskRow = Task & { [field: string]: unknown }

/** The database failed, and not the work. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'database_unavailable'
