import type { Scope } from './scope'

/*
 * Services for an engine without a cloud behind it. The index is its primary record: what it writes here is what lists
 * show, in the same transaction as the job that continues the work.
 */

export interface Entity {
  id: string
  [field: string]: unknown
}

/**
 * Condition for a field: a value that it equals, `has` for a list that contains this string, or `hasAny` for one that
 * contains any of these.
 */
export type FieldMatch = string | number | boolean | null | { has: string } | { hasAny: readonly string[] }

/** Selects the rows of a project, of a domain, or (null) all rows. */
export type Whose = { project_id: string } | { domain_id: string } | null

/** Reads and writes in one transaction, which commits as a whole or not at all. */
export interface RecordsTransaction {
  /** The row, locked until the transaction ends; null if there is none. */
  lock<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** The row, without a lock. */
  get<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /**
   * Rows with these values by dotted path, such as `{ project_id, 'flavor.id': x }`; all of them, or at most `limit`.
   */
  find<Row extends Entity>(kind: string, where: Record<string, FieldMatch>, limit?: number): Promise<Row[]>
  /** Inserts or replaces a row. Writing an unchanged row has no effect and announces nothing. */
  put(kind: string, entity: Entity): Promise<void>
  /** Removes a row, together with child rows that go along with it (`parent.goesAlong` of their kinds). */
  remove(kind: string, id: string): Promise<void>
  /** Internal data of a row (paths, seeds, secrets). Never returned by the API, listed or announced. */
  getPrivate<Data>(kind: string, id: string): Promise<Data | null>
  putPrivate(kind: string, id: string, data: unknown): Promise<void>
  removePrivate(kind: string, id: string): Promise<void>
  /** Serializes with all other transactions that use the same key (the quota of a project, the memory of a host). */
  exclusive(key: string): Promise<void>
  /** Sums a field over the rows of a kind: `sum('volume', { project_id }, 'size')`. Without a path, counts the rows. */
  sum(kind: string, whose: Whose, path?: string): Promise<number>
  /** Starts a durable job when this transaction commits. Returns its task ID. */
  startJob(job: JobStart): Promise<string>
  /** Makes waiting jobs (`RunAgain`) of this subject run again as soon as this transaction commits. */
  wakeJobs(kind: string, id: string): Promise<void>
}

export interface Records {
  transaction<Result>(work: (records: RecordsTransaction) => Promise<Result>): Promise<Result>
  /**
   * Runs work that creates very many rows of these kinds in its own transactions; lists of these kinds are slow
   * meanwhile. Only for an engine that has its records to itself and is not open yet.
   */
  bulk?<Result>(kinds: readonly string[], work: () => Promise<Result>): Promise<Result>
}

/** The object that a job acts on. The name is for display. */
export interface Subject {
  kind: string
  id: string
  name: string
}

/** A job as shown as a task, with the input of its handler. Must not contain secrets. */
export interface JobStart {
  /** Name of the handler and the task: `compute.server.create`. */
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
  /** ID of a node. The job runs on a server that reaches the node, and waits while there is none. */
  node?: string | null
  /** The job has no task: no one requested it, and no one needs to see it. */
  hidden?: boolean
  event?: string | null
  cancellable?: boolean
  flow?: string | null
  /** ID of the parent task. */
  parent?: string | null
  /** Names of its steps in order. Its task lists them from the start and can be paused. */
  steps?: readonly string[]
}

/** What a handler can use while its job runs. */
export interface JobRun {
  task_id: string
  name: string
  subject: Subject
  args: Record<string, unknown>
  scope: Scope
  /** 1 for the first run, higher after a takeover or a wait: earlier runs may have done all of the work. */
  attempt: number
  /** State returned with `again` by the previous run; empty for the first run. */
  state: Record<string, unknown>
  /**
   * Start of this run in milliseconds since 1970, by the database clock, so that runs on different servers can be
   * compared.
   */
  time: number
  /**
   * Start of the wait, on the clock of `time`: the first of the consecutive runs (of this step) that returned
   * `RunAgain`, else this run.
   */
  since: number
  /**
   * The command that this job was to follow may never have been sent, or may have succeeded unnoticed; see `Intent`.
   */
  prepared?: boolean
  /** Aborted when the job is cancelled, its lease is lost, or the server closes. */
  signal: AbortSignal
  /** Why `signal` was aborted: a cancelled job reverts its changes; otherwise the job runs again later. */
  cancelled(): boolean
  /** 0–100; stored at most every 300 ms. */
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
 * Separate pools by type of work, so that one type does not block another: work that a user waits for, moving or
 * converting large data, waiting for bytes from elsewhere, and observing work done by a cloud.
 */
export const jobPools = ['interactive', 'bulk', 'transfer', 'follow'] as const
export type JobPool = (typeof jobPools)[number]

/**
 * A handler may run twice, in part or in whole, also on another server, so every step must be idempotent. Its return
 * value is the task result, unless it is `RunAgain`. An error fails the task with its message; `onFailure` then repairs
 * the rows (error status, reverted changes) and must be idempotent too. Transactions of a run whose job was taken over
 * by another server throw and write nothing.
 */
export interface JobHandler {
  /** Defaults to `interactive`. */
  pool?: JobPool
  run(job: JobRun): Promise<unknown>
  onFailure?(job: JobRun, error: unknown): Promise<void>
}

/**
 * Returned by a step to ask a user who sees the task. The step runs again with the answer (`StepRun.answer`), or with
 * `otherwise` if there is no answer in time.
 */
export interface AskPerson {
  /** Name of the question, with which the console looks up its text: `keep_network`. */
  ask: string
  /** Names of the answers, at least two. */
  choices: readonly string[]
  /** The choice if there is no answer; null to fail the step with `nobody_answered`. */
  otherwise: string | null
  /** Time to wait for an answer, in milliseconds; 30 days at most. */
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

/** What a step receives in addition to the fields of a run; `state` and `progress` are those of the step. */
export interface StepParts {
  /** Data stored by earlier steps, for later steps and `undo`. */
  kept: Readonly<Record<string, unknown>>
  /** Durably adds to `kept` before it resolves. JSON, 16 KiB at most; must not contain secrets. */
  keep(more: Record<string, unknown>): Promise<void>
  answer: PersonAnswer | null
}

/**
 * A step of a job. Like a run, it may execute twice, in part or in whole, and must skip work that is already done.
 * `undo` reverts it, also after a failure or cancellation midway, and may execute twice as well.
 */
export interface Step<Run> {
  /** Unique within the job. Stored, and the key of the step's text. */
  name: string
  run(run: Run & StepParts): Promise<void | RunAgain | AskPerson>
  undo?(run: Run & StepParts): Promise<void | RunAgain>
  /**
   * After a cancellation, the step keeps running with `cancelled()` until it ends, so that work in progress completes
   * first. Without this, a waiting step does not run again.
   */
  endsItself?: boolean
  /** Its share of the progress relative to other steps; defaults to 1. */
  weight?: number
}

/**
 * A job made of steps. Completed steps are stored, so that a server that takes over continues with the current step.
 * After a failure or cancellation, all started steps are undone in reverse order, followed by `onFailure`.
 */
export interface SteppedHandler {
  pool?: JobPool
  steps: readonly Step<JobRun>[]
  /** The task result, derived from what the steps stored; null if omitted. */
  result?(kept: Readonly<Record<string, unknown>>): unknown
  onFailure?(job: JobRun, error: unknown): Promise<void>
}

export interface Jobs {
  handle(name: string, handler: JobHandler | SteppedHandler): void
}

/**
 * A hidden job, written before a command is sent to a cloud and kept while this server lives. It runs, with `prepared`
 * set, if the server dies before it has recorded the outcome or does not know it. It then determines the outcome, and
 * starts the jobs that follow or reverts the preparations.
 */
export interface Intent {
  /** What the command creates in the cloud can be tagged with it, to find it again. */
  readonly id: string
  /** The cloud accepted the command: atomically replaces the intent with the jobs that follow. */
  done(next: readonly JobStart[]): Promise<void>
  /** The command was refused and left nothing behind. */
  withdraw(): Promise<void>
  /** The outcome of the command is unknown. The caller received an error (`told` in the job's `args`). */
  leave(): Promise<void>
}

/** Jobs of an engine that delegates its work to a cloud. */
export interface CommandJobs extends Jobs {
  prepare(job: JobStart): Promise<Intent>
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
