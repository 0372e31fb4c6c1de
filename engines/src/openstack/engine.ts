import type { Entity, CommandJobs, JobRun, Log, Records, RunAgain } from '../ports/records'
import type { Area } from '../ports/area-ports'
import type { Scope } from '../ports/scope'
import type { ServiceClient } from './client/service-client'
import type { Trust } from './client/trust'
import type { FollowedTask } from './followed-tasks'
import type { KindReader, Reading } from './kind-reader'

/** Shared by all parts of the engine. */
export interface Engine {
  /** The areas that this engine serves. Rows of other areas belong to another engine. */
  areas: ReadonlySet<Area>
  reading: Reading
  /** Certificates accepted on connections that are not made by a service client. */
  trust: Trust
  /**
   * Returns a client with the caller's token, in the project of the scope; a system scope acts in the administrators'
   * project. Throws `unauthorized` when the cloud no longer accepts the caller, `forbidden` when they have no role in
   * the project there.
   */
  as(scope: Scope): Promise<ServiceClient>
  /**
   * Reads a row from the cloud, writes it to the index and returns it, so that callers see their own changes. Removes a
   * row that is gone from the index and throws `not_found`.
   */
  refresh<Row extends Entity>(reader: KindReader<Row>, id: string): Promise<Row>
  /** Returns the row from the index if the scope may act on it. Throws `not_found` otherwise. */
  known<Row extends Entity & { project_id: string }>(kind: string, scope: Scope, id: string): Promise<Row>
  /**
   * Starts a durable task that ends when the row is `gone`, or no longer busy, in the index. It fails with the row's own
   * fault, or when nothing changed for too long. Call it after the cloud has accepted the command.
   */
  trackToCompletion(followed: TrackedTask): Promise<string>
  /**
   * Sends a command and tracks it with a task. The command is stored as an intent first, and the task replaces the
   * intent once the cloud has accepted the command. If the server dies in between, or the outcome is unknown,
   * `TaskSteps.find` queries the cloud: the task then continues, or `TaskSteps.undo` removes what was created
   * beforehand. `send` receives the intent's ID; `follows` returns the tasks where they differ from `meant`.
   */
  command<Result>(
    meant: TrackedTask,
    send: (intent: string) => Promise<Result>,
    follows?: (result: Result) => TrackedTask[],
  ): Promise<Result>
  /** Registers the additional steps of tasks with this name. Call it once per name, before jobs start. */
  registerTaskSteps(name: FollowedTask, steps: TaskSteps): void
  records: Records
  jobs: CommandJobs
  log: Log
}

export interface TrackedTask {
  /** Name of the task, the same as for the embedded engine: `compute.server.stop`. */
  name: FollowedTask
  subject: { kind: string; id: string; name: string }
  until: 'settled' | 'gone'
  scope: Scope
  args?: Record<string, unknown>
}

/** Steps of a task that tracks a row. Each may run twice. */
export interface TaskSteps {
  /**
   * Returns whether the cloud accepted the command of an intent: the tasks to track, `true` for the one that was meant,
   * `false` for none. Without this step, a row that is busy, or differs from `args.before`, counts as accepted.
   */
  find?(intent: JobRun): Promise<TrackedTask[] | boolean>
  /** Removes what was created for a command that the cloud did not accept. */
  undo?(intent: JobRun): Promise<void>
  /** Runs after each read of a row that has not settled. */
  whilePending?(job: JobRun, row: Entity): Promise<void>
  /**
   * Runs when the row has settled or is gone, before the task ends. An error that it throws fails the task. It may
   * return a wait with a state of its own; then the row is read again.
   */
  onSettled?(job: JobRun): Promise<void | RunAgain | null>
}
