import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import { keepAlive } from './pool'

/*
 * One row for each server process, renewed by its heartbeat. Who lives, which jobs are kept, and what may be removed
 * because nobody uses it any more is all decided by it. Times are the database's; waits here are of the monotonic
 * clock, so that a wrong or jumping clock of a server does no harm.
 */

/** A server that was silent for so long is dead, and others take over its jobs. */
export const DEAD_AFTER_SECONDS = 9
/** An earlier process of the same replica is dead sooner, since this one was started in its place. */
const REPLACED_AFTER_SECONDS = 3

/** Waits of the heartbeat, milliseconds. */
export interface HeartbeatTimes {
  /** Between two heartbeats. */
  every: number
  /** One that was not answered by then is given up, with its connection. */
  answer: number
  /** Until the next one after one that failed. */
  again: number
  /** Without a heartbeat for so long, this server must suppose that others take it for dead. */
  lost: number
}
const usualTimes: HeartbeatTimes = { every: 1500, answer: 3000, again: 500, lost: DEAD_AFTER_SECONDS * 1000 - 1000 }

/** What others may know of a server process that lives. */
export interface LivingServer {
  epoch: string
  replica: string
  host: string
  version: string
  started_at: Date
  seen_at: Date
  job_names: string[]
  signatures: string[]
  /** Ids of the nodes that it reaches. */
  nodes: string[]
}

/** A job whose lease a heartbeat has renewed. */
export interface KeptJob {
  id: string
  attempt: number
  cancel_requested: boolean
}

export interface HeartbeatListener {
  /** After each heartbeat that was written: the jobs that are still this server's. Sent then, by `performance.now()`. */
  onBeat?(kept: readonly KeptJob[], sentAt: number): void
  /** Others may take this server for dead now: whatever only a living server may do has to stop. */
  onLost?(): void
}

/** This process among the servers of its database. */
export interface ThisServer {
  /** Names this process, and no other one ever. */
  readonly epoch: string
  readonly replica: string
  /** Adds to what this server says of itself, `nodes` replaces those before; the others know it when this resolves. */
  declare(what: {
    jobNames?: readonly string[]
    signatures?: readonly string[]
    nodes?: readonly string[]
  }): Promise<void>
  /** Every server that lives, this one too, oldest first. */
  living(): Promise<LivingServer[]>
  /** Those that have a handler for jobs of this name. */
  knowingJob(name: string): Promise<LivingServer[]>
  /** Those that use this side table of the index. */
  usingSignature(signature: string): Promise<LivingServer[]>
  /** Answers how to listen no longer. */
  listen(listener: HeartbeatListener): () => void
  /**
   * Whether this server may judge that another one is dead. Not within one lease after it was itself cut off, or after
   * the database's clock jumped: the others may have met the same, and be about to come back.
   */
  maySeeDead(): boolean
  /** Seconds of silence after which an earlier process of the same replica is dead. */
  readonly replacedAfterSeconds: number
  /** Leaves in order: what it has not let go yet counts as given back, not as lost by a death. */
  leave(): Promise<void>
}

interface Joining {
  /** How to reach the database; the heartbeat has a connection of its own, which no load on the pool delays. */
  connection: pg.ClientConfig
  log: Log
  /** Name of this server that stays the same after a restart. */
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

/** Makes this process known as a server of the database, and keeps it known until it leaves. */
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
    client.on('error', (error: Error) => log.warn({ error: error.message }, 'the connection of the heartbeat ended')),
  )
  line.on('error', () => undefined)

  let left = false
  let isLost = false
  /** When the last heartbeat that was written was sent, here and by the database. */
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
      log.warn({ jumped_ms: Math.round(jumpedMs), lost: isLost }, 'this server was cut off, or a clock jumped')
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
    log.warn({}, 'the database was not reached in time; others may take this server for dead')
    for (const { onLost } of listeners) onLost?.()
  }
  /** One after the other; a call while one is going on waits for one of its own. */
  const beatNow = (): Promise<void> =>
    (beating = beating.catch(() => undefined).then(() => (left ? undefined : sendBeat())))
  function goOn(wait: number): void {
    if (left) return
    next = setTimeout(() => {
      beatNow().then(
        () => goOn(waits.every),
        (error: unknown) => {
          log.warn({ error }, 'the heartbeat was not written')
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
        log.warn({ error }, 'this server could not take its leave')
      })
      await line.end()
    },
  }
}
