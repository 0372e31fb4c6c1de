import { randomUUID } from 'node:crypto'
import { invalidState } from '@mainstay/contract/core/problems'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import type { Kind } from '@mainstay/contract/core/kind'
import type { JobHandler, Log } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql } from 'kysely'
import { JOBS_CHANNEL } from '../inventory/jobs'
import type { Inventory } from '../inventory/types'
import type { Store } from '../store/store'
import { holdAliveLock } from './alive'
import { claimJobs, freeJobsOfDead, HEARTBEAT_MS, LEASE_SECONDS, releaseJob, renewJobs } from './claim'
import { startJanitor } from './janitor'
import { runJob, type Running } from './run-job'
import type { Tasks } from './types'

const LOOK_MS = 1000
/** How long running jobs have to come to rest when the server closes. */
const CLOSE_MS = 5000
const kind = taskKind as unknown as Kind
type TaskRow = Task & { [field: string]: unknown }

/**
 * Runs durable jobs. `replica` names this server's data folder, also after a restart: jobs of an earlier process of the
 * same name are taken up at once. At most `concurrency` jobs run here at a time.
 */
export function createTasks(tools: {
  store: Store
  inventory: Inventory
  log: Log
  replica: string
  concurrency?: number
}): Tasks {
  const { store, inventory, log, replica, concurrency = 64 } = tools
  const { db } = store
  const owner = `${replica}/${randomUUID()}`
  const handlers = new Map<string, JobHandler>()
  const running = new Map<string, Running>()
  const ends = new Set<Promise<void>>()
  const stops: (() => unknown)[] = []
  let closed = false
  let renewedAt = Date.now()
  let looking: Promise<void> | null = null
  let lookAgain = false

  /** Takes what there is to take; a call while one is going on makes it look once more. */
  function look(): void {
    if (looking) {
      lookAgain = true
      return
    }
    looking = take()
      .catch((error: unknown) => log.warn({ error }, 'looking for tasks failed'))
      .finally(() => {
        looking = null
        if (lookAgain) {
          lookAgain = false
          look()
        }
      })
  }

  async function take(): Promise<void> {
    const free = concurrency - running.size
    if (closed || free <= 0) return
    for (const job of await claimJobs(db, owner, [...handlers.keys()], free)) {
      if (closed) {
        await releaseJob(db, owner, job.id)
        continue
      }
      const it: Running = { job, controller: new AbortController(), cancelled: job.cancel_requested, letGo: null }
      running.set(job.id, it)
      const end = runJob({ db, inventory, log, owner }, handlers.get(job.name), it).finally(() => {
        running.delete(job.id)
        ends.delete(end)
        look()
      })
      ends.add(end)
    }
  }

  async function renew(): Promise<void> {
    if (running.size === 0) {
      renewedAt = Date.now()
      return
    }
    const asked = [...running.keys()]
    try {
      const kept = new Map((await renewJobs(db, owner, asked)).map((row) => [row.id, row.cancel_requested]))
      renewedAt = Date.now()
      for (const id of asked) {
        const it = running.get(id)
        if (!it) continue
        const cancel = kept.get(id)
        if (cancel === undefined) drop(it, 'lost', 'the task was taken over by another server')
        else if (cancel) cancelRun(it)
      }
    } catch (error) {
      log.warn({ error }, 'tasks could not be kept')
      if (Date.now() - renewedAt < LEASE_SECONDS * 1000) return
      for (const it of running.values()) drop(it, 'lost', 'the database was away for too long')
    }
  }

  function drop(it: Running, why: 'lost' | 'closing', reason: string): void {
    it.letGo ??= why
    it.controller.abort(new Error(reason))
  }
  function cancelRun(it: Running): void {
    if (it.cancelled) return
    it.cancelled = true
    it.controller.abort(new Error('the task was cancelled'))
  }
  const every = (milliseconds: number, work: () => Promise<unknown> | void): void => {
    const timer = setInterval(() => {
      Promise.resolve(work()).catch((error: unknown) => log.warn({ error }, 'looking after tasks failed'))
    }, milliseconds)
    stops.push(() => clearInterval(timer))
  }

  return {
    handle(name, handler) {
      if (handlers.has(name)) throw new Error(`there are two handlers for "${name}"`)
      handlers.set(name, handler)
    },
    async start() {
      stops.push(await holdAliveLock(store.connection, owner, log))
      stops.push(
        await store.listen(JOBS_CHANNEL, (payload) => {
          const it = running.get(payload)
          if (it) cancelRun(it)
          look()
        }),
      )
      const freed = await freeJobsOfDead(db, replica)
      if (freed > 0) log.info({ jobs: freed }, 'going on with tasks of the process before')
      every(HEARTBEAT_MS, renew)
      every(LOOK_MS, look)
      every(HEARTBEAT_MS, async () => {
        if (!closed && (await freeJobsOfDead(db, null)) > 0) look()
      })
      stops.push(startJanitor({ store, inventory, log }))
      look()
    },
    async cancel(scope: Scope, id: string) {
      await inventory.view(kind, scope, id)
      await inventory.transaction(async (records, inside) => {
        // the job first, as a task that ends does it
        await inside.updateTable('job').set({ cancel_requested: true }).where('id', '=', id).execute()
        const task = await records.lock<TaskRow>('task', id)
        if (!task || taskIsOver(task.state)) throw invalidState('This task is over', task?.state ?? 'cancelled')
        if (!task.cancellable) throw invalidState('This task cannot be cancelled', task.state)
        if (task.state === 'cancelling') return
        await records.put('task', { ...task, state: 'cancelling', updated_at: new Date().toISOString() })
        await sql`select pg_notify(${JOBS_CHANNEL}, ${id})`.execute(inside)
      })
      return inventory.view<TaskRow>(kind, scope, id)
    },
    running: () => running.size,
    async close() {
      closed = true
      await looking
      for (const it of running.values()) drop(it, 'closing', 'the server closes')
      await Promise.race([Promise.allSettled(ends), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
      // those that did not come to rest are taken over when their lease ends
      for (const stop of stops.toReversed()) await stop()
    },
  }
}
