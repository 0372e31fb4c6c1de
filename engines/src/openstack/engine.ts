import type { Entity, JobRun, Jobs, Log, Records, RunAgain } from '../ports/records'
import type { Scope } from '../ports/scope'
import type { Caller } from './client/caller'
import type { Trust } from './client/trust'
import type { FollowedTask } from './followed-tasks'
import type { KindReader, Reading } from './kind-reader'

/** What every part of the engine works with. */
export interface Engine {
  reading: Reading
  /** Whose certificates are accepted where the cloud is spoken to past its callers. */
  trust: Trust
  /**
   * A caller with the token of who asks, in the project they act in; a system scope acts in the project of
   * administrators. Throws `unauthorized` where the cloud no longer knows the caller, `forbidden` where they have no
   * role in the project there.
   */
  as(scope: Scope): Promise<Caller>
  /**
   * Reads a row anew, brings the index up to date with it and answers it: who acted sees what they did. What is gone
   * leaves the index and is `not_found`.
   */
  refresh<Row extends Entity>(reader: KindReader<Row>, id: string): Promise<Row>
  /** The row as the index has it, if the scope may act on it; `not_found` otherwise. */
  known<Row extends Entity & { project_id: string }>(kind: string, scope: Scope, id: string): Promise<Row>
  /**
   * Begins a durable task that is over when the row has settled in the index: `gone`, or no longer busy. It fails with
   * the row's own fault, or when nothing happened for too long. The cloud has accepted the command by then.
   */
  followUp(followed: FollowUp): Promise<string>
  /** What the tasks of this name do besides waiting. Said once, before jobs are taken. */
  alongside(name: FollowedTask, steps: FollowSteps): void
  records: Records
  jobs: Jobs
  log: Log
}

export interface FollowUp {
  /** Name of the task, as the embedded engine names the same act: `compute.server.stop`. */
  name: FollowedTask
  subject: { kind: string; id: string; name: string }
  until: 'settled' | 'gone'
  scope: Scope
  args?: Record<string, unknown>
}

/** Steps of a task that follows a row; each stands being taken twice. */
export interface FollowSteps {
  /** After each look at a row that has not settled. */
  meanwhile?(job: JobRun, row: Entity): Promise<void>
  /**
   * When the row has settled, or is gone, before the task is over. What it throws fails the task. It may wait as a job
   * does, with a state of its own; the row is looked at again then.
   */
  after?(job: JobRun): Promise<void | RunAgain | null>
}
