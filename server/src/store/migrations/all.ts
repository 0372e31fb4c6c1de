import type { Kysely } from 'kysely'
import * as baseline from './0149-baseline/baseline'
import * as jobSteps from './0150-job-steps'
import * as runCallers from './0151-run-callers'
import * as restoreTests from './0152-restore-tests'
import * as planTests from './0153-plan-tests'

/** A step in the history of the schema. Runs once, in a transaction, and is never edited after a release. */
export interface Migration {
  /** File name without extension, as stored in the database. */
  name: string
  /**
   * Exported by a migration that only adds to the schema: the newest earlier migration that a server must have to work
   * with the changed schema. Servers with that migration but without this one can run and restart beside newer servers.
   * Without `needs`, they refuse to start.
   */
  needs?: string
  /**
   * Exported by a baseline: the last migration of the chain that it replaces. A database that ran it has the schema of
   * the baseline.
   */
  replaces?: string
  up(db: Kysely<unknown>): Promise<void>
}

/**
 * All migrations in the order in which they run. Listed in code instead of a folder, because the server is a single
 * file.
 */
export const migrations: readonly Migration[] = [
  { name: '0149-baseline', ...baseline },
  { name: '0150-job-steps', ...jobSteps },
  { name: '0151-run-callers', ...runCallers },
  { name: '0152-restore-tests', ...restoreTests },
  { name: '0153-plan-tests', ...planTests },
]
