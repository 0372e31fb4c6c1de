import type { Entity, CommandJobs, JobRun, Log, Records, RunAgain } from '../ports/records'
import type { Area } from '../ports/area-ports'
import type { Scope } from '../ports/scope'
import type { ServiceClient } from './client/service-client'
import type { Trust } from './client/trust'
import type { FollowedTask } from './followed-tasks'
import type { KindReader, Reading } from './kind-reader'

/** Shared by all parts of the engine. */
export interface Engine {
  /** The areas that this engine serves. Rows in other areas belong to another engine. */
  areas: ReadonlySet<Area>
  reading: Reading
  /** Certificates to trust on connections that are not made through a service client. */
  trust: Trust
  /**
   * Returns a client that uses the caller's token in the scope's project; a system scope acts in the administrators'
   * project. Throws `unauthorized` if the cloud no longer accepts the caller, and `forbidden` if the caller has no role
   * in the project.
   */
  as(scope: Scope): Promise<ServiceClient>
  /**
   * Returns a client that uses the service account as a member of the project. For jobs that create objects, because
   * their scopes have no credential. Throws an `unsupported` error if the service account is bound to another project.
   */
  accountIn(projectId: string): Promise<ServiceClient>
  /**
   * Reads a row from the cloud, writes it to the index and returns it, so that callers see their own changes. If the
   * row no longer exists, removes it from the index and throws `not_found`.
   */
  refresh<Row extends Entity>(reader: KindReader<Row>, id: string): Promise<Row>
  /** Returns the row from the index if the scope may act on it. Throws `not_found` otherwise. */
  known<Row extends Entity & { project_id: string }>(kind: string, scope: Scope, id: string): Promise<Row>
  /**
   * Starts a durable task that completes when the indexed row is `gone` or no longer busy. The task fails with the
   * row's own fault, or if nothing changes for too long. Call this after the cloud has accepted the command.
   */
  trackToCompletion(followed: TrackedTask): Promise<string>
  /**
   * Sends a command and tracks it with a task. The command is first stored as an intent, which the task replaces once
   * the cloud has accepted the command. If the server dies before that, or the outcome is unknown, `TaskSteps.find`
   * queries the cloud: if the command was accepted, the task continues; if not, `TaskSteps.undo` removes everything
   * that was created beforehand. `send` receives the ID of the intent; `follows` returns the tasks if they differ from
   * `meant`.
   */
  command<Result>(
    meant: TrackedTask,
    send: (intent: string) => Promise<Result>,
    follows?: (result: Result) => TrackedTask[],
  ): Promise<Result>
  /** Registers additional steps for tasks with this name. Call it once per name, before jobs start. */
  registerTaskSteps(name: FollowedTask, steps: TaskSteps): void
  records: Records
  jobs: CommandJobs
  log: Log
}

export interface TrackedTask {
  /** Task name, the same as in the embedded engine, for example `compute.server.stop`. */
  name: FollowedTask
  subject: { kind: string; id: string; name: string }
  until: 'settled' | 'gone'
  scope: Scope
  args?: Record<string, unknown>
  /** The `event` of the call; see `JobStart`. */
  event?: string | null
  /** Not shown to users; see `JobStart`. */
  hidden?: true
}

/** Steps of a task that tracks a row. Each step may run twice. */
export interface TaskSteps {
  /** How long a busy row may stay unchanged before the task fails, in milliseconds; one hour by default. */
  quietMs?: number
  /**
   * Determines whether the cloud accepted the command of an intent. Returns the tasks to track, `true` for the intended
   * task, or `false` if the command was not accepted. Without this step, the command counts as accepted if the row is
   * busy or differs from `args.before`.
   */
  find?(intent: JobRun): Promise<TrackedTask[] | boolean>
  /** Removes everything that was created for a command that the cloud did not accept. */
  undo?(intent: JobRun): Promise<void>
  /** Runs each time the row has been read and has not settled yet. */
  whilePending?(job: JobRun, row: Entity): Promise<void>
  /**
   * Runs once the row has settled or is gone, before the task completes. If it throws, the task fails. If it returns a
   * `RunAgain`, which may have its own state, the row is read again.
   */
  onSettled?(job: JobRun): Promise<void | RunAgain | null>
}
