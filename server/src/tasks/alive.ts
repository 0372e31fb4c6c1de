import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import { ALIVE_LOCK } from './claim'

const RETRY_MS = 500

/** Holds the lock by which other servers know that this one lives; comes back by itself. Answers how to let go. */
export async function holdAliveLock(
  connection: pg.ClientConfig,
  owner: string,
  log: Log,
): Promise<() => Promise<void>> {
  let closed = false
  let client = await hold()

  async function hold(): Promise<pg.Client> {
    const made = new pg.Client({ ...connection, keepAlive: true })
    made.on('error', (error) => log.warn({ error }, 'the connection that shows that this server lives failed'))
    await made.connect()
    await made.query('select pg_advisory_lock($1, hashtext($2))', [ALIVE_LOCK, owner])
    made.once('end', () => again())
    return made
  }
  function again(): void {
    if (closed) return
    const timer = setTimeout(() => {
      hold().then(
        (made) => {
          client = made
          if (closed) void made.end()
        },
        () => again(),
      )
    }, RETRY_MS)
    timer.unref()
  }
  return async () => {
    closed = true
    await client.end().catch(() => undefined)
  }
}
