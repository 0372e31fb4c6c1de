import { spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgram } from '@mainstay/engines/host/programs'
import { commandAs } from '@mainstay/engines/host/service-users'
import type { Log } from '@mainstay/engines/ports/records'
import { pathForChild, handOver, openForChild, ownerOf, type Owner } from '../../store/postgres-folder'

/** Name of the Debian package and of its program. */
export const VICTORIA_METRICS = 'victoria-metrics'

const RETENTION_DAYS = 30
/** Memory for caches. The process uses somewhat more in total. */
const MEMORY_BYTES = 128 * 1024 * 1024
/** With less free space than this in the data folder, the store accepts no samples but still answers queries. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 5_000
const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000
const MOST_LOG_BYTES = 4 * 1024 * 1024
const USER = 'mainstay'

/** URL of the store, and the headers that authorize requests. */
export interface StoreAddress {
  url: string
  headers: Record<string, string>
}

/** A time series store that this server runs. */
export interface VictoriaMetrics {
  /** Address of the store; null while it starts or restarts. */
  address(): StoreAddress | null
  /** Resolves when the store first responds. */
  ready: Promise<void>
  /** PID of the running process, for tests that kill it; null if there is none. */
  pid(): number | null
  /** Flushes samples from memory to disk and stops the process. */
  close(): Promise<void>
}

/**
 * Command-line arguments of the store. They set limits, so that an expensive query fails without affecting other
 * queries.
 */
const args = (folder: string, port: number): string[] => [
  `-storageDataPath=${folder}`,
  `-httpListenAddr=127.0.0.1:${port}`,
  `-retentionPeriod=${RETENTION_DAYS}d`,
  `-memory.allowedBytes=${MEMORY_BYTES}`,
  `-storage.minFreeDiskSpaceBytes=${LEAST_FREE_BYTES}`,
  // makes pushed samples visible within a second instead of half a minute
  '-search.latencyOffset=1s',
  // keeps gaps visible, even in charts that cover a long time
  '-search.maxStalenessInterval=5m',
  '-search.maxQueryDuration=8s',
  '-search.maxConcurrentRequests=4',
  '-search.maxQueueDuration=4s',
  '-search.maxUniqueTimeseries=50000',
  '-search.maxSamplesPerQuery=50000000',
  '-search.maxQueryLen=8KB',
  '-maxLabelsPerTimeseries=12',
  '-loggerLevel=ERROR',
  // passwords are passed in the environment, which other users cannot read
  '-envflag.enable',
  `-httpAuth.username=${USER}`,
]

/** Keys for the pages about the process, which do not use the password. Random keys make these pages inaccessible. */
const closedPages = () =>
  Object.fromEntries(
    ['flagsAuthKey', 'metricsAuthKey', 'pprofAuthKey'].map((name) => [name, randomBytes(24).toString('base64url')]),
  )

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Runs VictoriaMetrics in `<dataFolder>/metrics` on a loopback port, and restarts it when it exits. The port and the
 * password change with each start. The store stops together with this process, even if this process is killed. Starts
 * in the background, because nothing depends on metrics. Returns null if the program is not installed.
 */
export function startVictoriaMetrics({ dataFolder, log }: { dataFolder: string; log: Log }): VictoriaMetrics | null {
  const program = findProgram(VICTORIA_METRICS)
  if (program === null) return null
  const folder = path.join(dataFolder, 'metrics')
  const logFile = path.join(dataFolder, 'metrics.log')
  const closing = new AbortController()
  let child: ChildProcess | null = null
  let address: StoreAddress | null = null
  let isReady!: () => void
  const ready = new Promise<void>((resolve) => (isReady = resolve))

  /** Runs the process once; resolves when it has exited. */
  async function live(command: string): Promise<void> {
    const owner = await ownerOf(folder, 'metrics')
    await makeFolder(folder, owner)
    const port = await freePort()
    const password = randomBytes(24).toString('base64url')
    if (closing.signal.aborted) return
    const started = await launch({ program: command, port, password, folder, owner, logFile })
    child = started
    const ended = new Promise<void>((resolve) => started.once('exit', () => resolve()))
    const reached: StoreAddress = {
      url: `http://127.0.0.1:${port}`,
      headers: { authorization: `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}` },
    }
    if (await answers(reached, started)) {
      address = reached
      isReady()
    } else if (started.exitCode === null) started.kill('SIGKILL')
    await ended
    ;[address, child] = [null, null]
  }

  async function keepAlive(command: string): Promise<void> {
    let pause = SHORTEST_PAUSE_MS
    while (!closing.signal.aborted) {
      const began = performance.now()
      try {
        await live(command)
      } catch (err) {
        log.error({ err }, 'failed to start the metrics store')
      }
      if (closing.signal.aborted) return
      // a process that ran for a while is restarted after the shortest pause
      pause = performance.now() - began > LONGEST_PAUSE_MS ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pause * 2)
      log.warn({ told: await lastLines(logFile), ms: pause }, 'the metrics store has ended; restarting it')
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  const living = keepAlive(program)

  return {
    address: () => address,
    ready,
    pid: () => child?.pid ?? null,
    async close() {
      closing.abort()
      child?.kill('SIGTERM')
      const late = setTimeout(() => child?.kill('SIGKILL'), STOP_WITHIN_MS)
      await living
      clearTimeout(late)
    },
  }
}

async function makeFolder(folder: string, owner: Owner): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await handOver(owner, folder)
}

async function launch(given: {
  program: string
  port: number
  password: string
  folder: string
  owner: Owner
  logFile: string
}): Promise<ChildProcess> {
  const { program, port, password, folder, owner, logFile } = given
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  )
  if (size > MOST_LOG_BYTES) await rename(logFile, `${logFile}.1`)
  // the kernel kills the store when this process dies
  const setpriv = findProgram('setpriv')
  const own = [program, ...args(pathForChild(folder), port)]
  const [first = program, ...rest] = setpriv === null ? own : [setpriv, '--pdeathsig=KILL', '--', ...own]
  const { file, args: words } = commandAs(owner, first, rest)
  const [written, data] = await Promise.all([open(logFile, 'a', 0o600), openForChild(folder)])
  try {
    const started = spawn(file, words, {
      cwd: '/',
      env: { PATH: process.env['PATH'], httpAuth_password: password, ...closedPages() },
      // keeps Ctrl+C away from the store; this process stops it once it is no longer in use
      detached: true,
      stdio: ['ignore', written.fd, written.fd, data.fd],
    })
    await new Promise<void>((resolve, reject) => started.once('error', reject).once('spawn', () => resolve()))
    started.unref()
    return started
  } finally {
    await Promise.all([written.close(), data.close()])
  }
}

async function answers({ url }: StoreAddress, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + READY_WITHIN_MS
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2000) }).catch(() => null)
    await answer?.body?.cancel()
    // if another program has taken the port, our process has exited
    if (answer?.ok) return child.exitCode === null && child.signalCode === null
    await sleep(50)
  }
  return false
}

const lastLines = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join('\n').slice(-2000)
