import { randomUUID } from 'node:crypto'
import { allKinds } from '@mainstay/contract/resources'
import { cascadingKinds, valueAt } from '@mainstay/contract/core/kind'
import type { Task, TaskState } from '@mainstay/contract/core/tasks'
import {
  isRunAgain,
  type Entity,
  type JobHandler,
  type JobRun,
  type Jobs,
  type JobStart,
  type Records,
  type RecordsTransaction,
  type FieldMatch,
} from '../../ports/records'
import { matches } from '../../match'

/*
 * In-memory records and jobs, for specs of an engine without a server. Transactions run one at a time. Several
 * "servers" may use the same memory one after another, so that a spec can kill one at any point.
 */

interface Stored {
  rows: Map<string, Entity>
  private: Map<string, unknown>
  jobs: Map<string, StoredJob>
}

interface StoredJob {
  start: JobStart
  attempt: number
  state: TaskState
  error: string | null
  /** State that the last run left for the next one. */
  left: Record<string, unknown>
  /** When the job started waiting, in milliseconds since 1970; null if it is not waiting. */
  since: number | null
}

export class Killed extends Error {
  constructor() {
    super('this server was killed')
    this.name = 'Killed'
  }
}

export interface MemoryServer {
  records: Records
  jobs: Jobs
  /** Resumes unfinished jobs and, from then on, runs every new one. */
  start(): void
  /** Resolves when no jobs are left. */
  idle(): Promise<void>
  cancel(taskId: string): void
  /** Stops everything immediately. Code that is still running can no longer write anything. */
  kill(): void
}

export interface Memory {
  /**
   * Starts a new server; kill the previous one first. `beforeStep` is called before each transaction begins and
   * commits.
   */
  serve(beforeStep?: () => void): MemoryServer
  get<Row extends Entity>(kind: string, id: string): Row | null
  all<Row extends Entity>(kind: string): Row[]
  privateCount(kind: string): number
  tasks(): Task[]
  /** Returns an independent copy of all rows, private data and jobs. */
  copy(): Memory
}

const derivedOf = (kind: string, entity: Entity) => allKinds[kind]?.derive?.from(entity)

const keyOf = (kind: string, id: string) => `${kind}\n${id}`

export function openMemory(stored: Stored = { rows: new Map(), private: new Map(), jobs: new Map() }): Memory {
  let queue: Promise<unknown> = Promise.resolve()

  const all = <Row extends Entity>(kind: string): Row[] =>
    [...stored.rows].filter(([key]) => key.startsWith(`${kind}\n`)).map(([, row]) => structuredClone(row) as Row)

  return {
    get: <Row extends Entity>(kind: string, id: string) =>
      structuredClone((stored.rows.get(keyOf(kind, id)) as Row | undefined) ?? null),
    all,
    privateCount: (kind) => [...stored.private.keys()].filter((key) => key.startsWith(`${kind}\n`)).length,
    tasks: () => all<Task>('task'),
    copy: () => openMemory(structuredClone(stored)),
    serve(beforeStep = () => undefined) {
      return serve(stored, beforeStep, (work) => {
        const result = queue.then(work)
        queue = result.catch(() => undefined)
        return result
      })
    },
  }
}

function serve(
  stored: Stored,
  beforeStep: () => void,
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
): MemoryServer {
  let isDead = false
  let isStarted = false
  const handlers = new Map<string, JobHandler>()
  const aborts = new Map<string, AbortController>()
  const running = new Set<Promise<void>>()
  const lanes = new Map<string, Promise<void>>()
  const cancelled = new Set<string>()
  /** Functions that wake waiting jobs, keyed by subject. */
  const waits = new Map<string, () => void>()

  const step = () => {
    if (!isDead) beforeStep()
    if (isDead) throw new Killed()
  }

  const records: Records = {
    transaction: (work) =>
      inTurn(async () => {
        step()
        const changes = {
          rows: new Map<string, Entity | null>(),
          private: new Map<string, unknown>(),
          jobs: [] as [string, JobStart][],
          woken: [] as string[],
        }
        const result = await work(transactionOn(stored, changes))
        step()
        for (const [key, row] of changes.rows) keep(stored.rows, key, row)
        for (const [key, data] of changes.private) keep(stored.private, key, data)
        for (const [id, start] of changes.jobs) {
          stored.jobs.set(id, { start, attempt: 0, state: 'starting', error: null, left: {}, since: null })
          showTask(stored, id)
          if (isStarted) queueJob(id)
        }
        for (const key of changes.woken) waits.get(key)?.()
        return result
      }),
  }

  const queueJob = (id: string) => {
    const { kind, id: subjectId } = stored.jobs.get(id)!.start.subject
    const lane = keyOf(kind, subjectId)
    const work = (lanes.get(lane) ?? Promise.resolve()).then(() => runJob(id))
    lanes.set(lane, work)
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  const end = (id: string, state: TaskState, error: string | null) => {
    if (isDead) return
    Object.assign(stored.jobs.get(id)!, { state, error })
    showTask(stored, id)
  }

  const waitFor = (milliseconds: number, { kind, id }: JobStart['subject'], signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', over)
        resolve()
      }
      const timer = setTimeout(over, milliseconds)
      waits.set(keyOf(kind, id), over)
      signal.addEventListener('abort', over)
      if (signal.aborted) over()
    })

  const runJob = async (id: string) => {
    if (isDead) return
    const job = stored.jobs.get(id)!
    const handler = handlers.get(job.start.name)
    if (!handler) throw new Error(`nobody handles ${job.start.name}`)
    job.attempt++
    job.state = 'running'
    showTask(stored, id)
    const abort = new AbortController()
    aborts.set(id, abort)
    if (cancelled.has(id)) abort.abort()
    const run = (): JobRun => ({
      task_id: id,
      ...structuredClone({
        name: job.start.name,
        subject: job.start.subject,
        args: job.start.args,
        scope: job.start.scope,
      }),
      attempt: job.attempt,
      state: structuredClone(job.left),
      ...timesOf(job.since),
      signal: abort.signal,
      cancelled: () => cancelled.has(id),
      progress: () => undefined,
    })
    try {
      for (;;) {
        const now = run()
        const result = await handler.run(now)
        if (!isRunAgain(result)) break
        job.left = result.state ?? {}
        job.since = now.since
        job.attempt++
        await waitFor(result.again, job.start.subject, abort.signal)
        if (isDead) return
      }
      end(id, 'success', null)
    } catch (error) {
      if (isDead) return
      try {
        await handler.onFailure?.(run(), error)
      } catch (failure) {
        if (!isDead) throw failure
      }
      end(id, cancelled.has(id) ? 'cancelled' : 'failed', error instanceof Error ? error.message : 'failed')
    }
  }

  return {
    records,
    jobs: { handle: (name, handler: JobHandler) => void handlers.set(name, handler) },
    start() {
      isStarted = true
      for (const [id, { state }] of stored.jobs) if (state === 'starting' || state === 'running') queueJob(id)
    },
    async idle() {
      while (running.size > 0 && !isDead)
        await Promise.race([Promise.all(running), new Promise((go) => setTimeout(go, 20))])
    },
    cancel(id) {
      cancelled.add(id)
      aborts.get(id)?.abort()
    },
    kill() {
      isDead = true
      for (const abort of aborts.values()) abort.abort()
    },
  }
}

function timesOf(since: number | null): Pick<JobRun, 'time' | 'since'> {
  const time = Date.now()
  return { time, since: since ?? time }
}

function keep<Value>(all: Map<string, Value>, key: string, value: Value | null): void {
  if (value === null) all.delete(key)
  else all.set(key, value)
}

interface Changes {
  rows: Map<string, Entity | null>
  private: Map<string, unknown>
  jobs: [string, JobStart][]
  woken: string[]
}

function transactionOn(stored: Stored, changes: Changes): RecordsTransaction {
  const row = (kind: string, id: string): Entity | null => {
    const key = keyOf(kind, id)
    return structuredClone(changes.rows.has(key) ? changes.rows.get(key)! : (stored.rows.get(key) ?? null))
  }
  const rowsOf = (kind: string): Entity[] => {
    const merged = new Map([...stored.rows, ...changes.rows])
    return [...merged].flatMap(([key, found]) => (found && key.startsWith(`${kind}\n`) ? [structuredClone(found)] : []))
  }
  const records: RecordsTransaction = {
    lock: async <Row extends Entity>(kind: string, id: string) => row(kind, id) as Row | null,
    get: async <Row extends Entity>(kind: string, id: string) => row(kind, id) as Row | null,
    find: async <Row extends Entity>(kind: string, where: Record<string, FieldMatch>, limit = Infinity) =>
      rowsOf(kind)
        .filter((it) => Object.entries(where).every(([path, value]) => matches(valueAt(it, path), value)))
        .slice(0, limit) as Row[],
    async put(kind, entity) {
      changes.rows.set(keyOf(kind, entity.id), structuredClone(entity))
    },
    async remove(kind, id) {
      for (const part of cascadingKinds(kind, Object.values(allKinds)))
        for (const { id: own } of await records.find(part.name, { [part.field]: id }))
          await records.remove(part.name, own)
      changes.rows.set(keyOf(kind, id), null)
    },
    async getPrivate<Data>(kind: string, id: string) {
      const key = keyOf(kind, id)
      const data = changes.private.has(key) ? changes.private.get(key) : stored.private.get(key)
      return structuredClone(data ?? null) as Data | null
    },
    async putPrivate(kind, id, data) {
      changes.private.set(keyOf(kind, id), structuredClone(data))
    },
    async removePrivate(kind, id) {
      changes.private.set(keyOf(kind, id), null)
    },
    exclusive: async () => undefined,
    sum: async (kind, whose, path) =>
      rowsOf(kind)
        .filter((it) => Object.entries(whose ?? {}).every(([field, id]) => it[field] === id))
        .map((it): unknown => (path === undefined ? 1 : valueAt({ ...it, derived: derivedOf(kind, it) }, path)))
        .reduce<number>((total, figure) => total + Number(figure ?? 0), 0),
    async startJob(job) {
      const id = randomUUID()
      changes.jobs.push([id, structuredClone(job)])
      return id
    },
    async wakeJobs(kind, id) {
      changes.woken.push(keyOf(kind, id))
    },
  }
  return records
}

function showTask(stored: Stored, id: string): void {
  const { start, state, error } = stored.jobs.get(id)!
  const at = new Date().toISOString()
  const task: Task = {
    id,
    task_id: id,
    name: start.name,
    state,
    args: [start.subject],
    kwargs: {},
    event: start.event ?? null,
    result: null,
    progress: 0,
    error,
    flow: start.flow ?? null,
    cancellable: start.cancellable ?? false,
    user_id: start.scope.user_id,
    project_id: start.scope.project_id,
    domain_id: start.scope.domain_id,
    created_at: at,
    updated_at: at,
    finished_at: null,
  }
  stored.rows.set(keyOf('task', id), task)
}
