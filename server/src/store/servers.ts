import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import { keepAlive } from './pool'

/*
 * One row per server process, renewed by its heartbeat. The rows determine which servers are alive, which jobs they
 * keep, and what is no longer used and can be removed. Times come from the database's clock and waits from the
 * monotonic clock, so it does no harm if a server's clock is wrong or jumps.
 */

/** A server without a heartbeat for this long counts as dead, and other servers take over its jobs. */
export const DEAD_AFTER_SECONDS = 9
/** A shorter time for an earlier process of the same replica, because this process has replaced it. */
const REPLACED_AFTER_SECONDS = 3

/** Intervals and timeouts of the heartbeat, in milliseconds. */
export interface HeartbeatTimes {
  /** Interval between two heartbeats. */
  every: number
  /** Time after which a heartbeat without a response is aborted and its connection closed. */
  answer: number
  /** Delay before the next attempt after a failed heartbeat. */
  again: number
  /** Time without a successful heartbeat after which this server must assume that others consider it dead. */
  lost: number
}
const usualTimes: HeartbeatTimes = { every: 1500, answer: 3000, again: 500, lost: DEAD_AFTER_SECONDS * 1000 - 1000 }

/** A live server process, as seen by other servers. */
export interface LivingServer {
  epoch: string
  replica: string
  host: string
  version: string
  started_at: Date
  seen_at: Date
  job_names: string[]
  signatures: string[]
  /** IDs of the nodes that the server can reach. */
  nodes: string[]
}

/** A job whose lease a heartbeat has renewed. */
export interface KeptJob {
  id: string
  attempt: number
  cancel_requested: boolean
}

export interface HeartbeatListener {
  /**
   * Called after each successful heartbeat with the jobs that still belong to this server. `sentAt` is a time from
   * `performance.now()`.
   */
  onBeat?(kept: readonly KeptJob[], sentAt: number): void
  /** Called when others may consider this server dead. Everything that only a live server may do must then stop. */
  onLost?(): void
}

/** This process as a member of the servers that share the database. */
export interface ThisServer {
  /** ID of this process, unique and never reused. */
  readonly epoch: string
  readonly replica: string
  /**
   * Adds to the properties that this server publishes, except that `nodes` replaces the previous nodes. Resolves once
   * others can see the change.
   */
  declare(what: {
    jobNames?: readonly string[]
    signatures?: readonly string[]
    nodes?: readonly string[]
  }): Promise<void>
  /** All live servers including this one, the oldest first. */
  living(): Promise<LivingServer[]>
  /** Live servers that have a handler for this job name. */
  knowingJob(name: string): Promise<LivingServer[]>
  /** Live servers that use this side table of the index. */
  usingSignature(signature: string): Promise<LivingServer[]>
  /** Returns a function that removes the listener. */
  listen(listener: HeartbeatListener): () => void
  /**
   * Whether this server may consider others dead. False for one lease period after this server was cut off or the
   * database's clock jumped, because other servers may also have been affected and may be about to return.
   */
  maySeeDead(): boolean
  /** Seconds without a heartbeat after which an earlier process of the same replica counts as dead. */
  readonly replacedAfterSeconds: number
  /** Leaves in an orderly way. Jobs that this server still holds count as released, not as lost in a crash. */
  leave(): Promise<void>
}

interface Joining {
  /**
   * Connection settings for the database. The heartbeat uses its own connection, which is not slowed down by load on
   * the pool.
   */
  connection: pg.ClientConfig
  log: Log
  /** Name of this server, which stays the same across restarts. */
  replica: string
  version?: string
  times?: Partial<HeartbeatTimes>
}

const livingOnes = `
  select epoch, replica, host, version, started_at, seen_at, job_names, signatures, nodes from server
  where seen_at > now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`

const beat = `
  with seen as (
    insert into server (epoch, replica, host, version, job_names, signatures, nodes)
      values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (epoch) do update
      set seen_at = now(), job_names = excluded.job_names, signatures = excluded.signatures, nodes = excluded.nodes
  ), kept as (
    update job set lease_until = now() + make_interval(secs => ${DEAD_AFTER_SECONDS}) where owner = $1::text
    returning id, attempt, cancel_requested
  )
  select extract(epoch from now())::float8 * 1000 as now,
    coalesce((select json_agg(kept) from kept), '[]') as kept`

/** Registers this process as a server on the database until it leaves. */
export async function joinServers({ connection, log, replica, version = '', times }: Joining): Promise<ThisServer> {
  const waits = { ...usualTimes, ...times }
  const epoch = randomUUID()
  const declared = { jobNames: new Set<string>(), signatures: new Set<string>(), nodes: new Set<string>() }
  const listeners = new Set<HeartbeatListener>()
  const line = new pg.Pool({
    ...connection,
    options: `-c statement_timeout=${waits.answer} -c synchronous_commit=off -c TimeZone=UTC`,
    application_name: 'mainstay heartbeat',
    ...keepAlive,
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: waits.answer,
    query_timeout: waits.answer,
  })
  line.on('connect', (client) =>
    client.on('error', (error: Error) => log.warn({ error: error.message }, 'lost the heartbeat connection')),
  )
  line.on('error', () => undefined)

  let left = false
  let isLost = false
  /** When the last successful heartbeat was sent, according to this server and to the database. */
  let last: { at: number; databaseAt: number } | null = null
  let disturbedAt = -Infinity
  let beating: Promise<void> = Promise.resolve()
  let next: NodeJS.Timeout | undefined
  let losing: NodeJS.Timeout | undefined

  async function sendBeat(): Promise<void> {
    const at = performance.now()
    const { rows } = await line.query<{ now: number; kept: KeptJob[] }>(beat, [
      epoch,
      replica,
      hostname(),
      version,
      [...declared.jobNames],
      [...declared.signatures],
      [...declared.nodes],
    ])
    const { now, kept } = rows[0]!
    const jumpedMs = last ? Math.abs(now - last.databaseAt - (at - last.at)) : 0
    if (isLost || jumpedMs > waits.answer) {
      disturbedAt = performance.now()
      log.warn({ jumped_ms: Math.round(jumpedMs), lost: isLost }, 'the database was not reachable, or a clock jumped')
    }
    last = { at, databaseAt: now }
    isLost = false
    clearTimeout(losing)
    losing = setTimeout(lose, at + waits.lost - performance.now())
    for (const { onBeat } of listeners) onBeat?.(kept, at)
  }
  function lose(): void {
    if (left) return
    isLost = true
    log.warn({}, 'the database did not respond in time; other servers may consider this server dead')
    for (const { onLost } of listeners) onLost?.()
  }
  /** Serializes heartbeats. Each call waits for its own heartbeat. */
  const beatNow = (): Promise<void> =>
    (beating = beating.catch(() => undefined).then(() => (left ? undefined : sendBeat())))
  function goOn(wait: number): void {
    if (left) return
    next = setTimeout(() => {
      beatNow().then(
        () => goOn(waits.every),
        (error: unknown) => {
          log.warn({ error }, 'failed to write the heartbeat')
          goOn(waits.again)
        },
      )
    }, wait)
  }
  const read = async (condition: string, values: unknown[]): Promise<LivingServer[]> =>
    (await line.query<LivingServer>(`${livingOnes} ${condition} order by started_at, epoch`, values)).rows

  try {
    await beatNow()
  } catch (error) {
    await line.end()
    throw error
  }
  goOn(waits.every)

  return {
    epoch,
    replica,
    replacedAfterSeconds: REPLACED_AFTER_SECONDS,
    async declare({ jobNames = [], signatures = [], nodes }) {
      if (nodes) declared.nodes = new Set(nodes)
      for (const name of jobNames) declared.jobNames.add(name)
      for (const signature of signatures) declared.signatures.add(signature)
      await beatNow()
    },
    living: () => read('', []),
    knowingJob: (name) => read('and $1 = any(job_names)', [name]),
    usingSignature: (signature) => read('and $1 = any(signatures)', [signature]),
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    maySeeDead: () => !isLost && performance.now() - disturbedAt > DEAD_AFTER_SECONDS * 1000,
    async leave() {
      if (left) return
      left = true
      clearTimeout(next)
      clearTimeout(losing)
      await beating.catch(() => undefined)
      await line.query('delete from server where epoch = $1', [epoch]).catch((error: unknown) => {
        log.warn({ error }, 'failed to deregister this server')
      })
      await line.end()
    },
  }
}
