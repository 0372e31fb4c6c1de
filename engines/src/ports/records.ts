import type { Scope } from './scope'

/*
 * What the server lends to an engine that has no cloud behind it. The index is such an engine's own record:
 * what it writes here is what every list shows, in the same transaction as the job that goes on with it.
 */

export interface Entity {
  id: string
  [field: string]: unknown
}

/** What a field is to be; `has`: a list of texts that has this one, `hasAny`: one of these. */
export type FieldMatch = string | number | boolean | null | { has: string } | { hasAny: readonly string[] }

/** Rows of a project, of a domain, or (null) of everybody. */
export type Whose = { project_id: string } | { domain_id: string } | null

/** Reads and writes of one transaction. All of it happens, or nothing. */
export interface RecordsTransaction {
  /** The row as it is, locked until the transaction ends; null when there is none. */
  lock<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** The row as it is, without a lock. */
  get<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  /** Rows whose entity holds these values, by dotted path: `{ project_id, 'flavor.id': x }`; all, or at most `limit`. */
  find<Row extends Entity>(kind: string, where: Record<string, FieldMatch>, limit?: number): Promise<Row[]>
  /** Makes or replaces a row. Writing what is already there changes nothing and announces nothing. */
  put(kind: string, entity: Entity): Promise<void>
  /** Removes a row, and the rows that go along with it (`parent.goesAlong` of their kinds). */
  remove(kind: string, id: string): Promise<void>
  /** What the engine alone knows of a row (paths, seeds, secrets). Never answered, listed or announced. */
  getPrivate<Data>(kind: string, id: string): Promise<Data | null>
  putPrivate(kind: string, id: string, data: unknown): Promise<void>
  removePrivate(kind: string, id: string): Promise<void>
  /** Serializes with every other transaction that takes the same key (quota of a project, a host's memory). */
  exclusive(key: string): Promise<void>
  /** Sum over the rows of a kind: `sum('volume', { project_id }, 'size')`; without a path counts rows. */
  sum(kind: string, whose: Whose, path?: string): Promise<number>
  /** A durable job that starts when this transaction has committed. Answers its task id. */
  startJob(job: JobStart): Promise<string>
  /** Jobs on this subject that wait (`RunAgain`) look again as soon as this transaction has committed. */
  wakeJobs(kind: string, id: string): Promise<void>
}

export interface Records {
  transaction<Result>(work: (records: RecordsTransaction) => Promise<Result>): Promise<Result>
  /**
   * Runs work that makes very many rows of these kinds, in transactions of its own; lists of them are slow until it is
   * done. For an engine that is alone with its records and not open yet.
   */
  bulk?<Result>(kinds: readonly string[], work: () => Promise<Result>): Promise<Result>
}

/** What a job is done to. Its name is for people. */
export interface Subject {
  kind: string
  id: string
  name: string
}

/** What is shown of a job as a task, and what its handler gets. Never a secret. */
export interface JobStart {
  /** Name of a handler, and of the task: `compute.server.create`. */
  name: string
  /** What it is done to. Jobs on the same subject run one after the other, in order; see `serial`. */
  subject: Subject
  args: Record<string, unknown>
  scope: Scope
  /** False for a job that only looks on while somebody else does the work: it waits for none, and none waits for it. */
  serial?: boolean
  /**
   * What else it is done to: it runs when no earlier job has, or holds, its subject or one of these. Jobs are ordered by one number,
   * so two that hold the same subjects never wait for each other.
   */
  holds?: readonly Subject[]
  /** Id of a node: the job runs at a server that reaches it, and waits while there is none. */
  node?: string | null
  /** There is no task of it: nobody asked for it, and nobody is to be bothered with it. */
  hidden?: boolean
  event?: string | null
  cancellable?: boolean
  flow?: string | null
  /** Task of which this one is a part. */
  parent?: string | null
  /** Names of its steps, in order: its task shows them from the start, and can be paused. */
  steps?: readonly string[]
}

/** What a running job may use. */
export interface JobRun {
  task_id: string
  name: string
  subject: Subject
  args: Record<string, unknown>
  scope: Scope
  /** 1 for the first run, more after a takeover or a wait: everything done may have been done before. */
  attempt: number
  /** What the run before left with `again`; empty in the first one. */
  state: Record<string, unknown>
  /** When this run began, milliseconds since 1970 by the database's clock: times of several runs and servers compare. */
  time: number
  /** Since when it waits, as `time`: the first of the runs (of this step) that answered `RunAgain` one after the other, else this one. */
  since: number
  /** The command that this job was to follow may never have been sent, or was taken unnoticed; see `Intent`. */
  prepared?: boolean
  /** Fires when the job is cancelled, its lease is lost or the server closes. */
  signal: AbortSignal
  /** Why `signal` fired: a cancelled job takes back what it made, another one is run again later. */
  cancelled(): boolean
  /** 0–100; kept at most every 300 ms. */
  progress(percent: number): void
}

/**
 * What `run` returns to wait: it is called again after so many milliseconds (ten minutes at most), by whichever server
 * is free. A job that waits takes up no place. `state` is kept until then; it replaces the state before.
 */
export interface RunAgain {
  again: number
  state?: Record<string, unknown>
}

export const isRunAgain = (result: unknown): result is RunAgain =>
  typeof result === 'object' && result !== null && typeof (result as { again?: unknown }).again === 'number'

/**
 * Places for jobs by what they do, so that one sort of work never keeps another one waiting: what a person waits for,
 * what moves or converts much data, what waits for the bytes of others, and what looks on while a cloud does the work.
 */
export const jobPools = ['interactive', 'bulk', 'transfer', 'follow'] as const
export type JobPool = (typeof jobPools)[number]

/**
 * A handler may run twice, in part or in whole, also at another server: every step must stand that. What it
 * returns is the task's result, unless it is `RunAgain`. What it throws fails the task with the error's message;
 * `onFailure` then puts the rows right (status error, things taken back), and must stand being run twice as well.
 * Transactions of a run whose job has gone to another server throw and write nothing.
 */
export interface JobHandler {
  /** `interactive` unless it says otherwise. */
  pool?: JobPool
  run(job: JobRun): Promise<unknown>
  onFailure?(job: JobRun, error: unknown): Promise<void>
}

/**
 * What a step returns to ask a person who sees the task. The step runs again with their answer (`StepRun.answer`), or with
 * `otherwise` when nobody has answered in time.
 */
export interface AskPerson {
  /** Name of the question, by which the console has its text: `keep_network`. */
  ask: string
  /** Names of the answers, two or more. */
  choices: readonly string[]
  /** The choice that is made when nobody answers; null: the step fails with `nobody_answered`. */
  otherwise: string | null
  /** How long it waits, milliseconds: 30 days at most. */
  within: number
  /** What the text of the question tells beside its name. Never a secret. */
  values?: Readonly<Record<string, string | number>>
  /** Kept until the step runs again, like that of `RunAgain`. */
  state?: Record<string, unknown>
}

export const isAskPerson = (result: unknown): result is AskPerson =>
  typeof result === 'object' && result !== null && typeof (result as { ask?: unknown }).ask === 'string'

/** Answer to the question of a step. `by`: id of the user; null: nobody answered in time. */
export interface PersonAnswer {
  choice: string
  by: string | null
}

/** What a step gets beside what every run gets; `state` and `progress` are its own. */
export interface StepParts {
  /** What steps have kept for those after them, and for `undo`. */
  kept: Readonly<Record<string, unknown>>
  /** Adds to `kept`, durably, before it resolves. JSON, 16 KiB at most; never a secret. */
  keep(more: Record<string, unknown>): Promise<void>
  answer: PersonAnswer | null
}

/**
 * One step of a job. It may run twice, in part or in whole, like a run: what it finds done it leaves. `undo` takes back what it did,
 * also when it failed or was cancelled half-way, and may run twice as well.
 */
export interface Step<Run> {
  /** Unique within the job; kept, and the key of its text. */
  name: string
  run(run: Run & StepParts): Promise<void | RunAgain | AskPerson>
  undo?(run: Run & StepParts): Promise<void | RunAgain>
  /**
   * After a cancellation it is run on, as `cancelled()`, until it ends: what it has set going comes to an end first. Without this a step
   * that waits is not run again.
   */
  endsItself?: boolean
  /** Its share of the progress, compared with the other steps; 1 unless said. */
  weight?: number
}

/**
 * A job made of steps. Which are done is kept: a server that takes over goes on with the step that was under way. After a failure or a
 * cancellation the steps that had begun are undone, the last one first; `onFailure` comes after them.
 */
export interface SteppedHandler {
  pool?: JobPool
  steps: readonly Step<JobRun>[]
  /** The task's result, from what the steps kept; null where left out. */
  result?(kept: Readonly<Record<string, unknown>>): unknown
  onFailure?(job: JobRun, error: unknown): Promise<void>
}

export interface Jobs {
  handle(name: string, handler: JobHandler | SteppedHandler): void
}

/**
 * What is about to be asked of a cloud, written down before it is sent: a job that nobody is shown, and that is kept as
 * long as this server lives. It runs, as `prepared`, when the server died before it could say what came of the command,
 * or does not know: then it finds that out, and begins the jobs that follow, or takes back what was made beforehand.
 */
export interface Intent {
  /** What the command makes in the cloud can be marked with it, to be found again. */
  readonly id: string
  /** The cloud took the command: the intent makes way for the jobs that follow, at once. */
  done(next: readonly JobStart[]): Promise<void>
  /** The command was refused, and nothing is left of it. */
  withdraw(): Promise<void>
  /** It is not known what came of the command. Who asked was told of the failure (`told` among the job's `args`). */
  leave(): Promise<void>
}

/** Jobs of an engine whose work is done by a cloud. */
export interface CommandJobs extends Jobs {
  prepare(job: JobStart): Promise<Intent>
}

export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
