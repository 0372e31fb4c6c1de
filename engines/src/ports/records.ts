import type { Scope } from './scope'

/*
 * Services for an engine without a cloud behind it. The index is its system of record: lists show exactly what the
 * engine writes here. Rows are written in the same transaction as the job that continues the work.
 */

export interface Entity {
  id: string
  [field: string]: unknown
}

/**
 * Condition for a field: a value that it must equal, `has` for a list that must contain this string, or `hasAny` for a
 * list that must contain at least one of these strings.
 */
export type FieldMatch = string | number | boolean | null | { has: string } | { hasAny: readonly string[] }

/** Selects the rows of a project, of a domain, or (null) all rows. */
export type Whose = { project_id: string } | { domain_id: string } | null

/** Reads and writes in one transaction, which commits as a whole or not at all. */
export interface RecordsTransaction {
  /** Returns the row and locks it until the transaction ends; null if there is none. */
  lock<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** Returns the row without locking it. */
  get<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /**
   * Finds rows by values at dotted paths, such as `{ project_id, 'flavor.id': x }`. Returns all of them, or at most
   * `limit`.
   */
  find<Row extends Entity>(kind: string, where: Record<string, FieldMatch>, limit?: number): Promise<Row[]>
  /** Inserts or replaces a row. Writing an unchanged row has no effect and announces no change. */
  put(kind: string, entity: Entity): Promise<void>
  /** Removes a row, and the child rows whose kind has `parent.goesAlong`. */
  remove(kind: string, id: string): Promise<void>
  /** Returns the internal data of a row (paths, seeds, secrets). Never returned by the API, listed or announced. */
  getPrivate<Data>(kind: string, id: string): Promise<Data | null>
  putPrivate(kind: string, id: string, data: unknown): Promise<void>
  removePrivate(kind: string, id: string): Promise<void>
  /** Serializes with all other transactions that use the same key (such as a project's quota or a host's memory). */
  exclusive(key: string): Promise<void>
  /** Sums a field over the rows of a kind: `sum('volume', { project_id }, 'size')`. Without a path, counts the rows. */
  sum(kind: string, whose: Whose, path?: string): Promise<number>
  /** Starts a durable job when this transaction commits. Returns the task ID. */
  startJob(job: JobStart): Promise<string>
  /** Makes waiting jobs (`RunAgain`) for this subject run again as soon as this transaction commits. */
  wakeJobs(kind: string, id: string): Promise<void>
}

export interface Records {
  transaction<Result>(work: (records: RecordsTransaction) => Promise<Result>): Promise<Result>
  /**
   * Runs work that creates a very large number of rows of these kinds in its own transactions. Lists of these kinds are
   * slow while it runs. Only for an engine that has exclusive use of its records and is not open yet.
   */
  bulk?<Result>(kinds: readonly string[], work: () => Promise<Result>): Promise<Result>
}

/** The object that a job acts on. The name is for display. */
export interface Subject {
  kind: string
  id: string
  name: string
}

/** A job as shown in a task, with the input for its handler. Must not contain secrets. */
export interface JobStart {
  /** Name of both the handler and the task: `compute.server.create`. */
  name: string
  /** The object that the job acts on. Jobs with the same subject run one at a time, in order; see `serial`. */
  subject: Subject
  args: Record<string, unknown>
  scope: Scope
  /** False for a job that only observes work done elsewhere: it waits for no other job, and none waits for it. */
  serial?: boolean
  /**
   * Objects that the job locks in addition to its subject. It waits for all earlier jobs that lock any of them. Jobs
   * have a total order, so that two jobs cannot deadlock.
   */
  holds?: readonly Subject[]
  /** ID of a node. The job runs on a server that can reach the node, and waits until there is such a server. */
  node?: string | null
  /** The job has no task, because no user requested it and no user has to see it. */
  hidden?: boolean
  event?: string | null
  cancellable?: boolean
  flow?: string | null
  /** ID of the parent task. */
  parent?: string | null
  /** Names of its steps in order. The task lists them from the start and can be paused. */
  steps?: readonly string[]
}

/** Passed to a handler while it runs a job. */
export interface JobRun {
  task_id: string
  name: string
  subject: Subject
  args: Record<string, unknown>
  scope: Scope
  /** 1 for the first run, higher after a takeover or a wait. Earlier runs may have done all of the work. */
  attempt: number
  /** State returned with `again` by the previous run; empty for the first run. */
  state: Record<string, unknown>
  /**
   * Start of this run in milliseconds since 1970, by the database clock, so that runs on different servers can be
   * compared.
   */
  time: number
  /**
   * Start of the wait, by the same clock as `time`: the first of the consecutive runs (of this step) that returned
   * `RunAgain`, or else this run.
   */
  since: number
  /**
   * The command that this job follows up may never have been sent, or may have succeeded without a recorded outcome;
   * see `Intent`.
   */
  prepared?: boolean
  /** Aborted when the job is cancelled, its lease is lost, or the server closes. */
  signal: AbortSignal
  /**
   * Whether the job was cancelled and should revert its changes. If `signal` was aborted otherwise, the job runs again
   * later.
   */
  cancelled(): boolean
  /** Reports the progress, 0–100. It is stored at most every 300 ms. */
  progress(percent: number): void
}

/**
 * Returned by `run` to wait: it is called again after `again` milliseconds (ten minutes at most), on any free server. A
 * waiting job does not occupy a slot. `state` is stored until then and replaces the previous state.
 */
export interface RunAgain {
  again: number
  state?: Record<string, unknown>
}

export const isRunAgain = (result: unknown): result is RunAgain =>
  typeof result === 'object' && result !== null && typeof (result as { again?: unknown }).again === 'number'

/**
 * Pools that separate jobs by type of work, so that one type does not block another: work that a user waits for, moving
 * or converting large data, waiting for data from elsewhere, and observing work done by a cloud.
 */
export const jobPools = ['interactive', 'bulk', 'transfer', 'follow'] as const
export type JobPool = (typeof jobPools)[number]

/**
 * A handler may run twice, partly or completely, possibly on another server, so every step must be idempotent. Its
 * return value is the task result, unless it is `RunAgain`. An error fails the task with its message; `onFailure` then
 * repairs the rows (error status, reverted changes) and must also be idempotent. If another server has taken over the
 * job, transactions of this run throw and write nothing.
 */
export interface JobHandler {
  /** Defaults to `interactive`. */
  pool?: JobPool
  run(job: JobRun): Promise<unknown>
  onFailure?(job: JobRun, error: unknown): Promise<void>
}

/**
 * Returned by a step to put a question to the users who can see the task. The step runs again with the answer
 * (`StepRun.answer`), or with `otherwise` if there is no answer in time.
 */
export interface AskPerson {
  /** Name of the question, used by the console to look up its text: `keep_network`. */
  ask: string
  /** Names of the answers, at least two. */
  choices: readonly string[]
  /** The choice if there is no answer; null to fail the step with `nobody_answered`. */
  otherwise: string | null
  /** Time to wait for an answer, in milliseconds; at most 30 days. */
  within: number
  /** Values for the text of the question. Must not contain secrets. */
  values?: Readonly<Record<string, string | number>>
  /** Stored until the step runs again, like the state of `RunAgain`. */
  state?: Record<string, unknown>
}

export const isAskPerson = (result: unknown): result is AskPerson =>
  typeof result === 'object' && result !== null && typeof (result as { ask?: unknown }).ask === 'string'

/** The answer to the question of a step. `by` is the user ID; null if there was no answer in time. */
export interface PersonAnswer {
  choice: string
  by: string | null
}

/** The fields that a step receives in addition to those of a run. `state` and `progress` belong to the step. */
export interface StepParts {
  /** Data stored by earlier steps, for later steps and `undo`. */
  kept: Readonly<Record<string, unknown>>
  /** Adds to `kept`, and resolves once the data is durable. JSON, at most 16 KiB; must not contain secrets. */
  keep(more: Record<string, unknown>): Promise<void>
  answer: PersonAnswer | null
}

/**
 * A step of a job. Like a run, it may execute twice, partly or completely, and must skip work that is already done.
 * `undo` reverts it, even if it failed or was cancelled midway, and may also execute twice.
 */
export interface Step<Run> {
  /** Unique within the job. Stored, and used as the key of the step's display text. */
  name: string
  run(run: Run & StepParts): Promise<void | RunAgain | AskPerson>
  undo?(run: Run & StepParts): Promise<void | RunAgain>
  /**
   * After a cancellation, the step keeps running with `cancelled()` until it returns, so that work in progress
   * is completed first. Otherwise, a waiting step does not run again.
   */
  endsItself?: boolean
  /** Its share of the progress relative to other steps; defaults to 1. */
  weight?: number
}

/**
 * A job made of steps. Completed steps are stored, so that a server that takes over continues with the current step.
 * After a failure or cancellation, all started steps are undone in reverse order, and then `onFailure` runs.
 */
export interface SteppedHandler {
  pool?: JobPool
  steps: readonly Step<JobRun>[]
  /** Returns the task result, derived from the data that the steps stored; the result is null if omitted. */
  result?(kept: Readonly<Record<string, unknown>>): unknown
  onFailure?(job: JobRun, error: unknown): Promise<void>
}

export interface Jobs {
  handle(name: string, handler: JobHandler | SteppedHandler): void
}

/**
 * A hidden job that is stored before a command is sent to a cloud, and kept while this server is alive. It runs with
 * `prepared` set if the server dies before it has recorded the outcome, or if the outcome is unknown. It then
 * determines the outcome, and either starts the jobs that follow or reverts the preparations.
 */
export interface Intent {
  /** Can be used to tag the objects that the command creates in the cloud, so that they can be found again. */
  readonly id: string
  /** Call this if the cloud accepted the command. Atomically replaces the intent with the jobs that follow. */
  done(next: readonly JobStart[]): Promise<void>
  /** Call this if the cloud refused the command and nothing was left behind. */
  withdraw(): Promise<void>
  /**
   * Call this if the outcome of the command is unknown and the caller received an error (`told` in the job's `args`).
   */
  leave(): Promise<void>
}

/** Jobs for an engine that delegates its work to a cloud. */
export interface CommandJobs extends Jobs {
  prepare(job: JobStart): Promise<Intent>
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
