import type { CommandJobs } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Task } from '@mainstay/contract/core/tasks'

export interface Tasks extends CommandJobs {
  /** Starts claiming jobs, including those of dead servers. */
  start(): Promise<void>
  /** Requests the cancellation of a task. Throws `not_found` or `invalid_state`. */
  cancel(scope: Scope, id: string): Promise<Task>
  /** Pauses a task with steps after the current step. Throws `not_found` or `invalid_state`. */
  pause(scope: Scope, id: string): Promise<Task>
  /** Resumes a paused task. Throws `not_found` or `invalid_state`. */
  resume(scope: Scope, id: string): Promise<Task>
  /**
   * Answers the open question of a task. Throws `not_found`, `invalid_state` if the question is no longer open, or
   * `validation` for an unknown choice.
   */
  answer(scope: Scope, id: string, answer: { question: string; choice: string }): Promise<Task>
  /** Sets the IDs of the nodes that this server can reach and for which it claims jobs. */
  holdNodes(ids: readonly string[]): Promise<void>
  /** Stops, after releasing running jobs so that the next server continues them. */
  close(): Promise<void>
  /** Number of jobs running on this server, for its metrics. */
  running(): number
}
