import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import { isAlive } from './folder-lock'
import { findPostgresBinaries } from './postgres-binaries'
import { unprivileged, type Unprivileged } from './run-unprivileged'

/** The PostgreSQL that lives in the data folder, reached by a unix socket only. */
export interface EmbeddedPostgres {
  connection: { host: string; port: number; user: string; database: string }
  /** Stops it after what is running has been broken off; nothing committed is lost. */
  stop(): Promise<void>
}

const USER = 'mainstay'
const PORT = 5432
/** sun_path holds 108 bytes with the final zero. */
const MAX_SOCKET_PATH_BYTES = 107
/** Long enough for the recovery after a crash. */
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 20_000
const MAX_LOG_BYTES = 4 * 1024 * 1024

const settings = (socketFolder: string, durable: boolean): Record<string, string> => ({
  listen_addresses: '',
  unix_socket_directories: socketFolder,
  unix_socket_permissions: '0700',
  max_connections: '100',
  // taken as it is used: the index of 100 000 rows fits, and is not read from files again and again
  shared_buffers: '256MB',
  work_mem: '16MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '512MB',
  random_page_cost: '1.1',
  jit: 'off',
  huge_pages: 'off',
  max_parallel_workers_per_gather: '0',
  // no replicas of this database: less is written
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
 * Starts PostgreSQL in `<dataFolder>/postgres`, makes it on the first start, or goes on with the one that a killed
 * server left running. The caller holds the folder's lock. Without `durable` (tests) nothing is synced to disk.
 */
export async function startEmbeddedPostgres(options: {
  dataFolder: string
  log: Log
  durable?: boolean
}): Promise<EmbeddedPostgres> {
  const { log, durable = true } = options
  const parent = await realpath(options.dataFolder)
  const folder = path.join(parent, 'postgres')
  const binaries = await findPostgresBinaries()
  const runner = await unprivileged([binaries.postgres, folder], await ownerOf(folder))
  if (!existsSync(path.join(folder, 'PG_VERSION'))) await initialise(binaries.initdb, runner, folder, durable)

  const socketFolder = await socketFolderOf(folder, runner)
  const connection = { host: socketFolder, port: PORT, user: USER, database: USER }
  const args = ['-D', folder, '-p', String(PORT)]
  for (const [name, value] of Object.entries(settings(socketFolder, durable))) args.push('-c', `${name}=${value}`)

  let pid = await leftover(folder, socketFolder, [binaries.postgres, ...args])
  if (pid !== null) log.info({ pid }, 'going on with the PostgreSQL that was left running')
  else pid = await launch(binaries.postgres, args, runner, folder, path.join(parent, 'postgres.log'))
  await waitUntilReady(connection, pid, path.join(parent, 'postgres.log'))
  const running = pid
  return { connection, stop: () => stop(running, log) }
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | null> {
  const found = await stat(folder).catch(() => null)
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : null
}

async function initialise(initdb: string, runner: Unprivileged, folder: string, durable: boolean): Promise<void> {
  // made beside and renamed: a start that was broken off leaves no half of a database
  const making = `${folder}.new`
  await rm(making, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  if (runner.ids) await chown(making, runner.ids.uid, runner.ids.gid)
  const switches = [
    '-D',
    making,
    '-U',
    USER,
    '--auth=trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--locale-provider=builtin',
  ]
  const { file, args } = runner.command(initdb, [...switches, '--no-instructions', ...(durable ? [] : ['--no-sync'])])
  const output: Buffer[] = []
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn(file, args, { cwd: '/', env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0)
    throw new Error(`PostgreSQL could not be set up in ${folder}: ${Buffer.concat(output).toString().slice(-2000)}`)
  await rename(making, folder)
}

/** PG* variables of whoever starts the server must not steer this one. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !/^(LANG|LANGUAGE|LC_.*)$/.test(name),
  )
  return { ...Object.fromEntries(kept), LC_ALL: 'C.UTF-8' }
}

async function socketFolderOf(folder: string, runner: Unprivileged): Promise<string> {
  const fits = (place: string): boolean => Buffer.byteLength(`${place}/.s.PGSQL.${PORT}`) <= MAX_SOCKET_PATH_BYTES
  if (fits(folder)) return folder
  const short = `/tmp/mainstay-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`
  await mkdir(short, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  // in a folder that everybody writes to, this name may be somebody else's
  const found = await lstat(short)
  const ours = [process.getuid?.(), runner.ids?.uid].includes(found.uid)
  if (!found.isDirectory() || !ours)
    throw new Error(`${short} belongs to somebody else; choose a shorter MAINSTAY_DATA`)
  await chmod(short, 0o700)
  if (runner.ids) await chown(short, runner.ids.uid, runner.ids.gid)
  return short
}

/** The number of a PostgreSQL that serves this folder already in the way we want; another one is stopped, a stale file removed. */
async function leftover(folder: string, socketFolder: string, command: readonly string[]): Promise<number | null> {
  const file = path.join(folder, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n', 1)[0])
  // the number may be anybody's by now
  const servesFolder = pid > 0 && isAlive(pid) && (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === folder
  if (!servesFolder) {
    // PostgreSQL would take any process of that number, even one that has ended, for its own; we know better
    const lock = path.join(socketFolder, `.s.PGSQL.${PORT}.lock`)
    if (existsSync('/proc/self')) await Promise.all([file, lock].map((stale) => rm(stale, { force: true })))
    return null
  }
  const started = await readFile(path.join(folder, 'postmaster.opts'), 'utf8').catch(() => '')
  const wanted = `${command[0]} ${command
    .slice(1)
    .map((word) => `"${word}"`)
    .join(' ')}`
  if (started.trim() === wanted) return pid
  await stop(pid, null)
  return null
}

async function launch(
  postgres: string,
  args: string[],
  runner: Unprivileged,
  folder: string,
  logFile: string,
): Promise<number> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`)
  // a file, not a pipe: it outlives us
  const log = await open(logFile, 'a', 0o600)
  try {
    const { file, args: words } = runner.command(postgres, args)
    // a group of its own, so that Ctrl+C reaches us alone and we stop it when we are done
    const child = spawn(file, words, {
      cwd: folder,
      env: environment(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('spawn', () => {
        child.unref()
        resolve(child.pid!)
      })
    })
  } finally {
    await log.close()
  }
}

async function waitUntilReady(connection: EmbeddedPostgres['connection'], pid: number, logFile: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      return await ensureDatabase(connection)
    } catch (error) {
      if (isAlive(pid) && Date.now() < deadline) {
        await sleep(15)
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

async function stop(pid: number, log: Log | null): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  signal('SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (isAlive(pid) && Date.now() < deadline) await sleep(10)
  if (!isAlive(pid)) return
  log?.warn({ pid }, 'PostgreSQL did not stop in time and is cut off; it recovers on the next start')
  signal('SIGQUIT')
}
