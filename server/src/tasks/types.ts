import type { CommandJobs } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Task } from '@mainstay/contract/core/tasks'

export interface Tasks extends CommandJobs {
  /** Begins to take jobs, this server's and those of dead ones. */
  start(): Promise<void>
  /** Asks a task to stop; throws `not_found`, `invalid_state`. */
  cancel(scope: Scope, id: string): Promise<Task>
  /** Pauses a task with steps when what it is doing now is done; throws `not_found`, `invalid_state`. */
  pause(scope: Scope, id: string): Promise<Task>
  /** Lets a paused task go on; throws `not_found`, `invalid_state`. */
  resume(scope: Scope, id: string): Promise<Task>
  /**
   * Answers the question of this id that a task waits with; throws `not_found`, `invalid_state` where it is no longer open,
   * `validation` for what is no choice.
   */
  answer(scope: Scope, id: string, answer: { question: string; choice: string }): Promise<Task>
  /** Says which nodes this server reaches from now on, by their ids: it takes jobs for these. */
  holdNodes(ids: readonly string[]): Promise<void>
  /** Lets running jobs go (they are taken up again by the next server) and stops. */
  close(): Promise<void>
  /** Jobs that this server is at now, for its metrics. */
  running(): number
}
