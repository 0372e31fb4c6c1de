import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandAs } from '@mainstay/engines/host/service-users'
import type { Log } from '@mainstay/engines/ports/records'
import { isAlive } from './folder-lock'
import { environment, openForChild, type Owner } from './postgres-folder'

const STOP_TIMEOUT_MS = 20_000
const END_TIMEOUT_MS = 5_000
const MAX_LOG_BYTES = 4 * 1024 * 1024

/**
 * Starts PostgreSQL as `owner` in `folder`, which is passed as file descriptor 3. Returns the process ID before
 * PostgreSQL is ready.
 */
export async function launch(
  command: readonly [string, ...string[]],
  owner: Owner,
  folder: string,
  logFile: string,
): Promise<number> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size > MAX_LOG_BYTES) await rename(logFile, `${logFile}.1`)
  // a file and not a pipe, because PostgreSQL may outlive this process
  const [log, data] = await Promise.all([open(logFile, 'a', 0o600), openForChild(folder)])
  try {
    const { file, args } = commandAs(owner, command[0], command.slice(1))
    // use a separate process group, so that Ctrl+C reaches only this process, which then stops PostgreSQL
    const child = spawn(file, args, {
      cwd: folder,
      env: environment(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd, data.fd],
    })
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('spawn', () => {
        child.unref()
        resolve(child.pid!)
      })
    })
  } finally {
    await Promise.all([log.close(), data.close()])
  }
}

/**
 * Process ID and command line of the PostgreSQL that serves this folder, according to its own files. Null if there is
 * none.
 */
export async function serving(folder: string): Promise<{ pid: number; command: string } | null> {
  const pid = Number((await readFile(path.join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n', 1)[0])
  // the process ID may have been reused
  if (!(pid > 0) || !isAlive(pid) || !(await worksIn(folder, pid))) return null
  const command = await readFile(path.join(folder, 'postmaster.opts'), 'utf8').catch(() => '')
  return { pid, command: command.trim() }
}

/** Command line in the format used in `postmaster.opts`. */
export const commandLine = ([program, ...args]: readonly string[]): string =>
  [program, ...args.map((word) => `"${word}"`)].join(' ')

const worksIn = async (folder: string, pid: number): Promise<boolean> =>
  (await readlink(`/proc/${pid}/cwd`).catch(() => null)) === folder

/**
 * Cleans up after a PostgreSQL that has ended. Kills processes that still hold its shared memory and would block the
 * next start, and removes its PID file and sockets.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  if (!existsSync('/proc/self')) return
  const deadline = Date.now() + END_TIMEOUT_MS
  for (;;) {
    const left = await orphans(folder)
    for (const pid of left) signal(pid, 'SIGKILL')
    if (left.length === 0) break
    if (Date.now() > deadline) throw new Error(`PostgreSQL processes ${left.join(', ')} did not stop`)
    await sleep(20)
  }
  // PostgreSQL would mistake any process with the recorded ID for a running server
  const notes = (await readdir(folder)).filter((name) => name === 'postmaster.pid' || name.startsWith('.s.PGSQL.'))
  await Promise.all(notes.map((name) => rm(path.join(folder, name), { force: true })))
}

/** PostgreSQL processes that run in the folder, but not other processes such as an operator's shell. */
async function orphans(folder: string): Promise<number[]> {
  const numbers = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0)
  const found = await Promise.all(
    numbers.map(async (pid) => {
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
      return name.trim() === 'postgres' && isAlive(pid) && (await worksIn(folder, pid)) ? [pid] : []
    }),
  )
  return found.flat()
}

/** Stops PostgreSQL and aborts running transactions. Committed data is kept. */
export async function stopProcess(pid: number, log: Log | null): Promise<void> {
  signal(pid, 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (isAlive(pid) && Date.now() < deadline) await sleep(10)
  if (!isAlive(pid)) return
  log?.warn({ pid }, 'PostgreSQL did not stop in time and was killed; it recovers at the next start')
  signal(pid, 'SIGQUIT')
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
