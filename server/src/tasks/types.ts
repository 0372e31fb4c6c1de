import type { CommandJobs } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Task } from '@mainstay/contract/core/tasks'

export interface Tasks extends CommandJobs {
  /** Begins to take jobs, this server's and those of dead ones. */
  start(): Promise<void>
  /** Asks a task to stop; throws `not_found`, `invalid_state`. */
  cancel(scope: Scope, id: string): Promise<Task>
  /** Lets running jobs go (they are taken up again by the next server) and stops. */
  close(): Promise<void>
  /** Jobs that this server is at now, for its metrics. */
  running(): number
}
