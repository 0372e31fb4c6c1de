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

/** The Debian package, and its program. */
export const VICTORIA_METRICS = 'victoria-metrics'

const RETENTION_DAYS = 30
/** For its caches; the process takes some more. */
const MEMORY_BYTES = 128 * 1024 * 1024
/** With less space in the data folder it takes nothing in, and goes on answering. */
const LEAST_FREE_BYTES = 512 * 1024 * 1024
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 5_000
const SHORTEST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 15_000
const MOST_LOG_BYTES = 4 * 1024 * 1024
const USER = 'mainstay'

/** Where the store answers, and the password of its user. */
export interface StoreAddress {
  url: string
  headers: Record<string, string>
}

/** A store of time series of this server's own. */
export interface VictoriaMetrics {
  /** Where it answers now; null while it starts, or starts again. */
  address(): StoreAddress | null
  /** Resolves once it answers for the first time. */
  ready: Promise<void>
  /** The process that runs now, for specs that end it; null where none does. */
  pid(): number | null
  /** Writes what it has in memory to its folder, and ends it. */
  close(): Promise<void>
}

/** The store's own bounds: a query that goes beyond them fails, and takes nothing else with it. */
const args = (folder: string, port: number): string[] => [
  `-storageDataPath=${folder}`,
  `-httpListenAddr=127.0.0.1:${port}`,
  `-retentionPeriod=${RETENTION_DAYS}d`,
  `-memory.allowedBytes=${MEMORY_BYTES}`,
  `-storage.minFreeDiskSpaceBytes=${LEAST_FREE_BYTES}`,
  // what was pushed is there at once, and not after half a minute
  '-search.latencyOffset=1s',
  // a gap of figures is a gap, also in charts of a long time
  '-search.maxStalenessInterval=5m',
  '-search.maxQueryDuration=8s',
  '-search.maxConcurrentRequests=4',
  '-search.maxQueueDuration=4s',
  '-search.maxUniqueTimeseries=50000',
  '-search.maxSamplesPerQuery=50000000',
  '-search.maxQueryLen=8KB',
  '-maxLabelsPerTimeseries=12',
  '-loggerLevel=ERROR',
  // passwords come by the environment, which others cannot read
  '-envflag.enable',
  `-httpAuth.username=${USER}`,
]

/** Pages about the process itself do not ask for the password, but for keys of their own: these, which nobody knows. */
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
 * Starts VictoriaMetrics in `<dataFolder>/metrics`, on a loopback port and behind a password, both new at each start;
 * again when it ends by itself. It ends with this process, also with one that is killed. Answers null where the program
 * is not installed; starts in the background, since nobody waits for figures.
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

  /** One life of the process: resolves when it has ended. */
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
        log.error({ err }, 'the store of figures could not be started')
      }
      if (closing.signal.aborted) return
      // one that has lived for a while begins anew at once
      pause = performance.now() - began > LONGEST_PAUSE_MS ? SHORTEST_PAUSE_MS : Math.min(LONGEST_PAUSE_MS, pause * 2)
      log.warn({ told: await lastLines(logFile), ms: pause }, 'the store of figures has ended and is started again')
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
  // the kernel ends it with this process
  const setpriv = findProgram('setpriv')
  const own = [program, ...args(pathForChild(folder), port)]
  const [first = program, ...rest] = setpriv === null ? own : [setpriv, '--pdeathsig=KILL', '--', ...own]
  const { file, args: words } = commandAs(owner, first, rest)
  const [written, data] = await Promise.all([open(logFile, 'a', 0o600), openForChild(folder)])
  try {
    const started = spawn(file, words, {
      cwd: '/',
      env: { PATH: process.env['PATH'], httpAuth_password: password, ...closedPages() },
      // Ctrl+C reaches us alone, and we stop it when we are done
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
    // a port that another program took meanwhile answers for somebody else: ours has ended then
    if (answer?.ok) return child.exitCode === null && child.signalCode === null
    await sleep(50)
  }
  return false
}

const lastLines = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trim().split('\n').slice(-3).join('\n').slice(-2000)
