import type { JobHandler, JobPool, Log, SteppedHandler } from '@mainstay/engines/ports/records'
import { JOBS_CHANNEL } from '../inventory/jobs'
import type { Inventory } from '../inventory/types'
import type { KeptJob, ThisServer } from '../store/servers'
import type { Store } from '../store/store'
import { claimJobs, claimUnknownJobs, endEndlessWaits, freeJobsOfDead, releaseJob, type ClaimedJob } from './claim'
import { createControl } from './control'
import { createIntents } from './intents'
import { freeRooms, poolSizes, SUSPECTS_AT_ONCE, type PoolSize } from './pools'
import { runJob } from './run-job'
import { checkSteps } from './run-steps'
import type { Running } from './running'
import type { Tasks } from './types'
import { markUnreachable } from './unreachable'

const LOOK_MS = 1000
/** Jobs that become due within this time are claimed together. */
const TOGETHER_MS = 25
/**
 * How long a job waits for a server that knows its name while no live server does. This is also the minimum time since
 * the start of this server.
 */
const UNKNOWN_NAME_MS = 10 * 60_000
const LOOK_FOR_UNKNOWN_MS = 15_000
/** How long running jobs have to stop when the server closes. */
const CLOSE_MS = 5000

/**
 * Runs durable jobs for which this server has handlers, within the capacity of `pools`. The heartbeat of `server` keeps
 * the jobs.
 */
export function createTasks(tools: {
  store: Store
  inventory: Inventory
  log: Log
  server: ThisServer
  pools?: Partial<Record<JobPool, PoolSize>>
  /** Time after which a job fails if no live server knows its name. Default: ten minutes. */
  unknownNameMs?: number
}): Tasks {
  const { store, inventory, log, server, unknownNameMs = UNKNOWN_NAME_MS } = tools
  const { db } = store
  const owner = server.epoch
  const sizes = { ...poolSizes, ...tools.pools }
  const handlers = new Map<string, JobHandler | SteppedHandler>()
  const running = new Map<string, Running>()
  const ends = new Set<Promise<void>>()
  const stops: (() => unknown)[] = []
  /** IDs of the nodes that this server can reach. */
  let nodes: readonly string[] = []
  let closed = false
  let looking: Promise<void> | null = null
  let lookAgain = false
  let wake: { at: number; timer: NodeJS.Timeout } | null = null
  /** Jobs that the last heartbeat renewed although this server is not running them. */
  let orphans = new Set<string>()
  const intents = createIntents({ inventory, server, onLeft: () => look() })
  let lookForUnknownAt = performance.now() + unknownNameMs

  /** Claims available jobs. If called while claiming, claims again afterwards. */
  function look(): void {
    if (looking) {
      lookAgain = true
      return
    }
    looking = take()
      .catch((error: unknown) => log.warn({ error }, 'failed to look for tasks'))
      .finally(() => {
        looking = null
        if (lookAgain) {
          lookAgain = false
          look()
        }
      })
  }

  async function take(): Promise<void> {
    if (closed) return
    const suspects = [...running.values()].filter(({ job }) => job.takeovers > 0).length
    const rooms = freeRooms(sizes, handlers, running.values())
    await begin(await claimJobs(db, owner, rooms, { suspects: SUSPECTS_AT_ONCE - suspects, nodes }))
  }

  async function begin(jobs: readonly ClaimedJob[]): Promise<void> {
    for (const job of jobs) {
      // a lost run of the same job may not have stopped yet
      if (closed || running.has(job.id)) {
        await releaseJob(db, owner, job, closed ? 0 : 1)
        continue
      }
      const it: Running = {
        job,
        controller: new AbortController(),
        cancelled: false,
        isUndoing: false,
        claimedAt: performance.now(),
        letGo: null,
      }
      if (job.cancel_requested) cancelRun(it)
      running.set(job.id, it)
      const end = runJob({ db, inventory, log, owner, onWait: lookIn }, handlers.get(job.name), it).finally(() => {
        running.delete(job.id)
        ends.delete(end)
        look()
      })
      ends.add(end)
    }
  }

  /** Claims jobs when a waiting job is due instead of in the next regular round. */
  function lookIn(milliseconds: number): void {
    if (closed || milliseconds >= LOOK_MS) return
    const wait = Math.ceil(Math.max(1, milliseconds) / TOGETHER_MS) * TOGETHER_MS
    const at = performance.now() + wait
    if (wake && wake.at <= at) return
    clearTimeout(wake?.timer)
    const timer = setTimeout(() => {
      wake = null
      look()
    }, wait)
    wake = { at, timer }
  }

  /** Handles a heartbeat that renewed these jobs. `sentAt` is a time on the monotonic clock. */
  function onBeat(kept: readonly KeptJob[], sentAt: number): void {
    const attempts = new Map(kept.map(({ id, attempt }) => [id, attempt]))
    for (const [id, it] of running) {
      if (it.claimedAt < sentAt && attempts.get(id) !== it.job.attempt)
        drop(it, 'lost', 'the task was taken over by another server')
    }
    for (const { id, cancel_requested } of kept) {
      const it = running.get(id)
      if (it && cancel_requested) cancelRun(it)
    }
    giveBackOrphans(kept)
    if (!closed) freeDead().catch((error: unknown) => log.warn({ error }, 'failed to take over from dead servers'))
  }

  /**
   * Releases jobs that this server owns but is not running: the response to the claim was lost, or they were dropped
   * during a database outage.
   */
  function giveBackOrphans(kept: readonly KeptJob[]): void {
    const unattended = kept.filter(({ id }) => !running.has(id) && !intents.isOpen(id))
    const known = orphans
    orphans = new Set(unattended.map(({ id }) => id))
    for (const job of unattended) {
      if (known.has(job.id) && !closed)
        releaseJob(db, owner, job).then(look, (error: unknown) => log.warn({ error }, 'failed to release a task'))
    }
  }

  async function freeDead(): Promise<void> {
    const freed = await freeJobsOfDead(db, server)
    if (freed > 0) log.info({ jobs: freed }, 'taking over the tasks of a dead server')
    if (freed > 0) look()
    await endEndlessWaits(db)
    await markUnreachable(db, inventory)
    if (performance.now() < lookForUnknownAt) return
    lookForUnknownAt = performance.now() + Math.min(LOOK_FOR_UNKNOWN_MS, unknownNameMs)
    await begin(await claimUnknownJobs(db, owner, [...handlers.keys()], unknownNameMs))
  }

  function drop(it: Running, why: 'lost' | 'closing', reason: string): void {
    it.letGo ??= why
    it.controller.abort(new Error(reason))
  }
  function cancelRun(it: Running): void {
    if (it.cancelled || it.isUndoing) return
    it.cancelled = true
    it.controller.abort(new Error('the task was cancelled'))
  }

  return {
    prepare: intents.prepare,
    handle(name, handler) {
      if (handlers.has(name)) throw new Error(`there are two handlers for "${name}"`)
      if ('steps' in handler) checkSteps(name, handler)
      handlers.set(name, handler)
    },
    async start() {
      await server.declare({ jobNames: [...handlers.keys()] })
      stops.push(
        server.listen({
          onBeat,
          onLost: () => {
            for (const it of running.values()) drop(it, 'lost', 'the database was unavailable for too long')
          },
        }),
        await store.listen(JOBS_CHANNEL, (payload) => {
          const it = running.get(payload)
          if (it) cancelRun(it)
          look()
        }),
      )
      await endEndlessWaits(db)
      await freeDead()
      const timer = setInterval(look, LOOK_MS)
      stops.push(() => clearInterval(timer))
      look()
    },
    ...createControl(inventory),
    async holdNodes(ids) {
      // drop lost nodes before publishing the change, and add new ones afterwards
      nodes = nodes.filter((id) => ids.includes(id))
      await server.declare({ nodes: ids })
      nodes = [...ids]
      look()
    },
    running: () => running.size,
    async close() {
      closed = true
      clearTimeout(wake?.timer)
      await looking
      for (const it of running.values()) drop(it, 'closing', 'the server closes')
      await Promise.race([Promise.allSettled(ends), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
      // if a job does not stop, another server takes it over when its lease expires
      for (const stop of stops.toReversed()) await stop()
    },
  }
}
