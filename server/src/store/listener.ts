import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import { keepAlive } from './pool'

export type Notified = (payload: string) => void

/** When an outage started, and its latest error. */
export interface Down {
  since: Date
  reason: string
}

export interface Listener {
  /**
   * Calls back for each notification. After a lost connection, calls back once with an empty payload; the state must
   * then be read again.
   */
  listen(channel: string, callback: Notified): Promise<() => void>
  /** Checks for up to two seconds whether the database responds. Returns null if it does. */
  down(): Promise<Down | null>
  close(): Promise<void>
}

const RETRY_MS = 250
const CONNECT_WITHIN_MS = 5_000
const ASK_EVERY_MS = 5_000
/** A connection that has not responded for this long is closed, because it may have been lost silently. */
const ANSWER_WITHIN_MS = 5_000
const LOOK_WITHIN_MS = 2_000

interface Line {
  client: pg.Client
  socket: net.Socket
  /** Sends queries one after another. */
  ask(text: string): Promise<unknown>
}

/**
 * Listens for notifications from other servers on its own connection, and reconnects automatically. Because this
 * connection is otherwise idle, it also shows whether the database responds, however busy the other connections are.
 */
export async function openListener(config: pg.ClientConfig, log: Log, askEveryMs = ASK_EVERY_MS): Promise<Listener> {
  const callbacks = new Map<string, Set<Notified>>()
  let closed = false
  let line: Line | null = null
  let away: Down = { since: new Date(), reason: 'Not connected yet' }
  await connect()
  const asking = setInterval(() => void (line && answers(line, ANSWER_WITHIN_MS)), askEveryMs)
  asking.unref()

  /** Connects and sets `line`. Throws if the connection fails. */
  async function connect(): Promise<void> {
    const socket = new net.Socket()
    const client = new pg.Client({
      ...config,
      ...keepAlive,
      stream: () => socket,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
    })
    let last: Promise<unknown> = Promise.resolve()
    const ask = (text: string): Promise<unknown> => {
      const asked = last.then(() => client.query(text))
      last = asked.catch(() => undefined)
      return asked
    }
    const made: Line = { client, socket, ask }
    const ends: Error[] = []
    const end = (error: Error): void => {
      ends.push(error)
      lost(made, ends[0]!)
    }
    client.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''))
    client.on('error', end)
    client.on('end', () => end(new Error('The connection ended')))
    try {
      await client.connect()
      const heard = new Set<string>()
      for (;;) {
        // more channels may be added while this is waiting
        const next = [...callbacks.keys()].find((channel) => !heard.has(channel))
        if (next === undefined) break
        await ask(`listen ${client.escapeIdentifier(next)}`)
        heard.add(next)
      }
      if (ends[0]) throw ends[0]
      line = made
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  function lost(which: Line, error: Error): void {
    if (which !== line) return
    line = null
    which.socket.destroy()
    away = { since: new Date(), reason: error.message }
    if (closed) return
    log.warn({ error: error.message }, 'lost the listening connection to PostgreSQL')
    void reconnect()
  }

  async function reconnect(): Promise<void> {
    while (!closed) {
      await sleep(RETRY_MS)
      if (closed) return
      try {
        await connect()
        log.info({ since: away.since }, 'PostgreSQL responds again')
        for (const channel of callbacks.keys()) tell(channel, '')
        return
      } catch (error) {
        away.reason = error instanceof Error ? error.message : String(error)
      }
    }
  }

  /** Whether the database responds in time. A connection that takes longer than `ANSWER_WITHIN_MS` is closed. */
  async function answers(asked: Line, withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), withinMs)
    })
    const answered = asked.ask('select 1').then(
      () => true,
      () => false,
    )
    const isThere = await Promise.race([answered, late])
    clearTimeout(timer)
    if (!isThere && withinMs >= ANSWER_WITHIN_MS) lost(asked, new Error(`No answer within ${withinMs / 1000} s`))
    return isThere
  }

  function tell(channel: string, payload: string): void {
    for (const callback of callbacks.get(channel) ?? []) callback(payload)
  }

  return {
    async listen(channel, callback) {
      const known = callbacks.get(channel)
      if (known) known.add(callback)
      else {
        callbacks.set(channel, new Set([callback]))
        // if there is no connection, the channel is added when it is restored
        await line?.ask(`listen ${line.client.escapeIdentifier(channel)}`).catch((error: unknown) => {
          log.warn({ error, channel }, 'listening starts when the connection is restored')
        })
      }
      return () => void callbacks.get(channel)?.delete(callback)
    },
    async down() {
      if (!line) return away
      const asked = new Date()
      if (await answers(line, LOOK_WITHIN_MS)) return null
      return line ? { since: asked, reason: `No answer within ${LOOK_WITHIN_MS / 1000} s` } : away
    },
    async close() {
      closed = true
      clearInterval(asking)
      const last = line
      line = null
      await last?.client.end().catch(() => undefined)
    },
  }
}
