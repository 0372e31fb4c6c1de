import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'

export type Notified = (payload: string) => void

export interface Listener {
  /** Calls back for each notification, and once with an empty payload after the connection was lost: look anew then. */
  listen(channel: string, callback: Notified): Promise<() => void>
  close(): Promise<void>
}

const RETRY_MS = 500

/** One connection of its own that hears what other servers announce, and comes back by itself. */
export async function openListener(config: pg.ClientConfig, log: Log): Promise<Listener> {
  const callbacks = new Map<string, Set<Notified>>()
  let closed = false
  let client = await connect()

  async function connect(): Promise<pg.Client> {
    const made = new pg.Client({ ...config, keepAlive: true })
    made.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''))
    made.on('error', (error) => log.warn({ error }, 'the listening connection failed'))
    await made.connect()
    for (const channel of callbacks.keys()) await made.query(`listen ${made.escapeIdentifier(channel)}`)
    made.once('end', () => void reconnect())
    return made
  }

  async function reconnect(): Promise<void> {
    while (!closed) {
      await sleep(RETRY_MS)
      if (closed) return
      try {
        client = await connect()
        for (const channel of callbacks.keys()) tell(channel, '')
        return
      } catch (error) {
        log.warn({ error }, 'the listening connection is still down')
      }
    }
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
        // a connection that is just down listens to it when it is back
        await client.query(`listen ${client.escapeIdentifier(channel)}`).catch((error: unknown) => {
          log.warn({ error, channel }, 'listening starts when the connection is back')
        })
      }
      return () => void callbacks.get(channel)?.delete(callback)
    },
    async close() {
      closed = true
      await client.end().catch(() => undefined)
    },
  }
}
