import type { Kysely } from 'kysely'
import * as baseline from './0149-baseline/baseline'
import * as jobSteps from './0150-job-steps'
import * as runCallers from './0151-run-callers'

/** One step of the schema's history. Runs once, in a transaction, and is never edited after a release. */
export interface Migration {
  /** The file's name without its ending; what the database remembers. */
  name: string
  /**
   * Exported by a migration that only adds: the newest migration before it that a server has to know to go on with the
   * changed schema. Servers that know that one, and not this one, run beside newer servers and can be started again.
   * Without it they refuse to start.
   */
  needs?: string
  /** Exported by a baseline: the last migration of the chain that it replaced. A database that has run it has the baseline's schema. */
  replaces?: string
  up(db: Kysely<unknown>): Promise<void>
}

/** Every migration in the order in which they run. In code and not read from a folder: the server is one file. */
export const migrations: readonly Migration[] = [
  { name: '0149-baseline', ...baseline },
  { name: '0150-job-steps', ...jobSteps },
  { name: '0151-run-callers', ...runCallers },
]
