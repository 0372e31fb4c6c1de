import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import { isAlive } from './folder-lock'
import { findPostgresBinaries } from './postgres-binaries'
import { restrictAccess, pathForChild, handOver, initialise, openForChild, ownerOf, ROLE } from './postgres-folder'
import { removeLeftovers, commandLine, launch, serving, stopProcess } from './postgres-process'

/** The PostgreSQL server in the data folder. It can be reached only through a Unix socket. */
export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string }
  /** Stops PostgreSQL and aborts running transactions. Committed data is kept. */
  stop(): Promise<void>
}

const PORT = 5432
/** Maximum length of a socket path: `sun_path` holds 108 bytes, including the terminating zero. */
const MAX_SOCKET_PATH_BYTES = 107
/** How long PostgreSQL may take to start, which is long enough for a crash recovery. */
const START_TIMEOUT_MS = 120_000
/** How often the PostgreSQL process is checked. */
const WATCH_MS = 250
const LONGEST_PAUSE_MS = 4_000

const settings = (socketFolder: string, durable: boolean): Record<string, string> => ({
  listen_addresses: '',
  unix_socket_directories: socketFolder,
  unix_socket_permissions: '0700',
  max_connections: '100',
  // memory is allocated only as required; this is large enough to cache the index of 100 000 rows
  shared_buffers: '256MB',
  work_mem: '16MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '512MB',
  random_page_cost: '1.5',
  jit: 'off',
  huge_pages: 'off',
  max_parallel_workers_per_gather: '0',
  // there is no replication, so less WAL is required
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '512MB',
  autovacuum_naptime: '15s',
  log_checkpoints: 'off',
  fsync: durable ? 'on' : 'off',
  synchronous_commit: durable ? 'on' : 'off',
  full_page_writes: durable ? 'on' : 'off',
})

/**
 * Starts PostgreSQL in `<dataFolder>/postgres`. Creates the cluster on the first start, and adopts a PostgreSQL that a
 * killed server left running. Restarts it if it ends. The caller must hold the lock on the folder. Without `durable`
 * (in tests), nothing is synced to disk.
 */
export async function startEmbeddedPostgres(options: {
  dataFolder: string
  log: Log
  durable?: boolean
}): Promise<EmbeddedPostgres> {
  const { log, durable = true } = options
  const parent = await realpath(options.dataFolder)
  const folder = path.join(parent, 'postgres')
  const logFile = path.join(parent, 'postgres.log')
  const owner = await ownerOf(folder, 'db')
  const binaries = await findPostgresBinaries(owner !== null)
  if (!existsSync(path.join(folder, 'PG_VERSION'))) await initialise(binaries.initdb, owner, folder, durable)

  const args = ['-D', pathForChild(folder), '-p', String(PORT)]
  for (const [name, value] of Object.entries(settings(pathForChild(folder), durable)))
    args.push('-c', `${name}=${value}`)
  const command = [binaries.postgres, ...args] as const
  const way = await wayTo(folder)
  const connection = { host: way.host, port: PORT, user: ROLE, database: ROLE }

  async function start(): Promise<number> {
    await removeLeftovers(folder)
    const started = await launch(command, owner, folder, logFile)
    await waitUntilReady(connection, started, logFile)
    return started
  }

  /** Adopts a running PostgreSQL that has the expected command line, and stops any other. */
  async function adopt(): Promise<number | null> {
    const running = await serving(folder)
    const isNew = await restrictAccess(owner, folder)
    if (!running) return null
    if (running.command === commandLine(command) && !isNew) {
      log.info({ pid: running.pid }, 'using the PostgreSQL server that was left running')
      await waitUntilReady(connection, running.pid, logFile)
      return running.pid
    }
    await stopProcess(running.pid, null)
    return null
  }

  let pid: number
  try {
    pid = (await adopt()) ?? (await handOver(owner, folder).then(start))
  } catch (error) {
    await way.close()
    throw error
  }

  let stopped = false
  let starting: Promise<void> | null = null
  async function startAgain(): Promise<void> {
    const began = performance.now()
    log.error({ pid }, 'PostgreSQL ended unexpectedly; restarting it')
    for (let attempt = 0; !stopped; attempt++) {
      try {
        pid = await start()
        log.info({ pid, ms: Math.round(performance.now() - began) }, 'PostgreSQL is running again')
        return
      } catch (error) {
        log.error({ error }, 'failed to restart PostgreSQL')
        await sleep(Math.min(LONGEST_PAUSE_MS, WATCH_MS * 2 ** attempt))
      }
    }
  }
  const watching = setInterval(() => {
    if (starting || isAlive(pid)) return
    starting = startAgain().finally(() => (starting = null))
  }, WATCH_MS)
  watching.unref()

  return {
    connection,
    async stop() {
      stopped = true
      clearInterval(watching)
      await starting
      if (isAlive(pid)) await stopProcess(pid, log)
      await way.close()
    },
  }
}

/**
 * Where clients reach the socket in a folder. If its path is too long, the folder is kept open and addressed through
 * its file descriptor.
 */
async function wayTo(folder: string): Promise<{ host: string; close(): Promise<void> }> {
  const fits = (place: string): boolean => Buffer.byteLength(`${place}/.s.PGSQL.${PORT}`) <= MAX_SOCKET_PATH_BYTES
  if (fits(folder)) return { host: folder, close: () => Promise.resolve() }
  if (!existsSync('/proc/self/fd')) throw new Error(`The path of ${folder} is too long; choose a shorter MAINSTAY_DATA`)
  const handle = await openForChild(folder)
  return { host: `/proc/self/fd/${handle.fd}`, close: () => handle.close() }
}

async function waitUntilReady(connection: EmbeddedPostgres['connection'], pid: number, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      return await ensureDatabase(connection)
    } catch (error) {
      if (isAlive(pid) && Date.now() < deadline) {
        await sleep(50)
        continue
      }
      const told = (await readFile(logFile, 'utf8').catch(() => '')).trim().split('\n').slice(-6).join('\n')
      throw new Error(`PostgreSQL did not start: ${told}`, { cause: error })
    }
  }
}

async function ensureDatabase(connection: EmbeddedPostgres['connection']): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [connection.database])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(connection.database)}`)
  } finally {
    await client.end()
  }
}
