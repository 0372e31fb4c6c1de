import { mkdir } from 'node:fs/promises'
import type { Log } from '@mainstay/engines/ports/records'
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { startEmbeddedPostgres } from './embedded-postgres'
import { lockFolder } from './folder-lock'
import { takeLease, type Lease } from './lease'
import { openListener, type Down } from './listener'
import { migrate } from './migrate'
import { openPool, withProblems } from './pool'
import type { Database } from './schema'

/** The database as used by the rest of the server. */
export interface Store {
  pool: pg.Pool
  db: Kysely<Database>
  /** Whether the database is in the data folder. If so, the folder is locked. */
  isEmbedded: boolean
  /** Connection settings for other clients. */
  connection: pg.ClientConfig
  /**
   * Calls back for each `pg_notify` on a channel, from any server, and with '' if notifications may have been missed.
   */
  listen(channel: string, callback: (payload: string) => void): Promise<() => void>
  /** Takes an exclusive right among all servers. Returns null if another server holds it. */
  lease(name: string, seconds: number): Promise<Lease | null>
  /** Start and reason of a database outage; null if the database responds. Takes at most two seconds. */
  down(): Promise<Down | null>
  close(): Promise<void>
}

/**
 * Opens the database at `databaseUrl` (PostgreSQL 15 or later), or the embedded one in `dataFolder`, and migrates its
 * schema. Throws errors with messages for operators if the folder is in use, the version is too old, or the connection
 * fails.
 */
export async function openStore(options: { databaseUrl: string | null; dataFolder: string; log: Log }): Promise<Store> {
  const { databaseUrl, dataFolder, log } = options
  if (databaseUrl !== null) return connectStore({ connectionString: databaseUrl }, log)
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  const lock = await lockFolder(dataFolder)
  try {
    const embedded = await startEmbeddedPostgres({ dataFolder, log })
    try {
      const store = await connectStore(embedded.connection, log)
      return {
        ...store,
        isEmbedded: true,
        async close() {
          await store.close()
          await embedded.stop()
          await lock.release()
        },
      }
    } catch (error) {
      await embedded.stop()
      throw error
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function connectStore(connection: pg.ClientConfig, log: Log): Promise<Store> {
  const pool = openPool(connection, log)
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: withProblems(pool) }) })
  try {
    await requireVersion(pool)
    await migrate(pool)
    const listener = await openListener(connection, log)
    return {
      pool,
      db,
      isEmbedded: false,
      connection,
      listen: listener.listen,
      down: listener.down,
      lease: (name, seconds) => takeLease(db, log, name, seconds),
      async close() {
        await listener.close()
        await pool.end()
      },
    }
  } catch (error) {
    await pool.end()
    throw error
  }
}

async function requireVersion(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ number: string; name: string }>(
    "select current_setting('server_version_num') number, current_setting('server_version') name",
  )
  if (Number(rows[0]!.number) < 150_000)
    throw new Error(`PostgreSQL 15 or later is required, but DATABASE_URL points to version ${rows[0]!.name}`)
}
