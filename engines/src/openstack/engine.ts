import type { Entity, CommandJobs, JobRun, Log, Records, RunAgain } from '../ports/records'
import type { Area } from '../ports/area-ports'
import type { Scope } from '../ports/scope'
import type { Caller } from './client/caller'
import type { Trust } from './client/trust'
import type { FollowedTask } from './followed-tasks'
import type { KindReader, Reading } from './kind-reader'

/** What every part of the engine works with. */
export interface Engine {
  /** What of the cloud is served here. Rows of other areas are those of another engine. */
  areas: ReadonlySet<Area>
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
  /**
   * Sends a command that a task follows: what is meant is written down before (`Intent`), and makes way for the task once
   * the cloud has taken it. Where the server dies in between, or nobody knows whether the cloud took it, that is found
   * out (`FollowSteps.find`): then the task goes on with it, or what was made beforehand is taken back. `send` gets the
   * intent's id; `follows` tells the tasks where they differ from what was meant.
   */
  command<Result>(
    meant: FollowUp,
    send: (intent: string) => Promise<Result>,
    follows?: (result: Result) => FollowUp[],
  ): Promise<Result>
  /** What the tasks of this name do besides waiting. Said once, before jobs are taken. */
  alongside(name: FollowedTask, steps: FollowSteps): void
  records: Records
  jobs: CommandJobs
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
  /**
   * Whether the cloud took the command of an intent: then the tasks that follow, or `true` for the one that was meant.
   * Where it is not said, a row that is busy, or no longer as it was (`args.before`), is taken for that.
   */
  find?(intent: JobRun): Promise<FollowUp[] | boolean>
  /** Takes back what was made for a command that the cloud did not take. */
  undo?(intent: JobRun): Promise<void>
  /** After each look at a row that has not settled. */
  meanwhile?(job: JobRun, row: Entity): Promise<void>
  /**
   * When the row has settled, or is gone, before the task is over. What it throws fails the task. It may wait as a job
   * does, with a state of its own; the row is looked at again then.
   */
  after?(job: JobRun): Promise<void | RunAgain | null>
}
