import { spawn } from 'node:child_process'
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/*
 * The server as installed: a built program in a separate process on a data folder, which can be killed and restarted.
 * For crash specs, benchmarks and journeys; specs that do not need a process use start-server.ts, which is faster.
 */

export interface ProgramOptions {
  /** Data folder. It outlives the program; `removeData` deletes it. */
  folder: string
  hypervisor?: 'simulated' | 'qemu'
  world?: 'empty' | 'demo' | 'busy' | 'degraded'
  /** Folder of a release to run from source instead of the current build. */
  release?: string
  /**
   * Additional environment variables, which override all others. If they select a cloud, the local engine is not
   * configured.
   */
  environment?: Record<string, string>
  /** A command that runs the program; the program's command line is appended to it. */
  through?: readonly string[]
  /** Command-line arguments, such as `--reset-admin`. */
  words?: readonly string[]
  readyWithinMs?: number
}

export interface ServerProgram {
  /** URL of the self-service panel, without a trailing slash. */
  url: string
  adminUrl: string
  pid: number
  folder: string
  /** Time from the start of the process until it reported that it was ready. */
  readyAfterMs: number
  /** The output of the process so far. */
  said(): string
  /** Kills the process, as in a crash; resolves once it is gone. */
  kill(): Promise<void>
  /** Stops the program gracefully. Throws if it exits with an error. */
  stop(): Promise<void>
}

export const ADMIN_PASSWORD = 'correct horse 12'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const entry = (release: string | undefined): string[] =>
  release === undefined
    ? [path.join(root, 'server/dist/main.js')]
    : ['--import', 'tsx', path.join(release, 'server/src/main.ts')]
const kept = /^(PATH|HOME|LANG|TMPDIR|CI|NODE_OPTIONS|MAINSTAY_ENDS_WITH)$/

/** Spawns the program without waiting; for specs in which it does not become ready. */
export function spawnProgram(options: ProgramOptions) {
  const { folder, hypervisor, world, environment, release, through = [], words = [] } = options
  const inherited = Object.entries(process.env).filter(([name]) => kept.test(name))
  const [file, ...args] = [...through, process.execPath, ...entry(release), ...words] as [string, ...string[]]
  const child = spawn(file, args, {
    cwd: release ?? root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(inherited),
      MAINSTAY_DATA: folder,
      MAINSTAY_PORT: '0',
      MAINSTAY_ADMIN_PORT: '0',
      ...(environment?.['MAINSTAY_ENGINE'] !== 'openstack' && {
        MAINSTAY_S3_PORT: '0',
        MAINSTAY_HYPERVISOR: hypervisor ?? 'simulated',
        MAINSTAY_WORLD: world ?? 'empty',
      }),
      MAINSTAY_ADMIN_PASSWORD: ADMIN_PASSWORD,
      MAINSTAY_SAMPLE_IMAGE: 'none',
      // no spec that runs the program reads metrics
      MAINSTAY_METRICS_URL: 'off',
      MAINSTAY_LOG_LEVEL: 'warn',
      // specs and benchmarks send more requests than people do
      MAINSTAY_CALLS_PER_SECOND: '100000',
      ...environment,
    },
  })
  let text = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (const listener of [...listeners]) listener()
    })
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: 127, signal: null }))
  })
  /** Resolves with the first match in the output; rejects if the process exits or the time is up. */
  const says = (pattern: RegExp, withinMs: number) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text)
        if (found) finish(() => resolve(found))
      }
      const giveUp = (why: string) => finish(() => reject(new Error(`the server ${why}:\n${text.slice(-4000)}`)))
      const timer = setTimeout(() => giveUp(`did not say ${pattern} in ${withinMs} ms`), withinMs)
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        listeners.delete(look)
        settle()
      }
      listeners.add(look)
      void ended.then(({ code, signal }) => giveUp(`ended (${signal ?? code}) before it said ${pattern}`))
      look()
    })
  return { child, ended, says, said: () => text }
}

/** Starts the server and waits until it is ready. */
export async function startProgram(options: ProgramOptions): Promise<ServerProgram> {
  const started = performance.now()
  const { child, ended, says, said } = spawnProgram(options)
  try {
    const [, url = '', adminUrl = ''] = await says(
      /self-service +(\S+)\n +administration +(\S+)\n/,
      options.readyWithinMs ?? 120_000,
    )
    const readyAfterMs = performance.now() - started
    return {
      url,
      adminUrl,
      pid: child.pid!,
      folder: options.folder,
      readyAfterMs,
      said,
      async kill() {
        child.kill('SIGKILL')
        await ended
      },
      async stop() {
        child.kill('SIGTERM')
        const { code, signal } = await ended
        if (code !== 0) throw new Error(`the server ended with ${signal ?? code}:\n${said().slice(-4000)}`)
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    await ended
    throw error
  }
}

/** PID of the process that uses a folder, from a PID file in it; null if there is none. */
async function processOf(folder: string, numberFile: string): Promise<number | null> {
  const pid = Number((await readFile(path.join(folder, numberFile), 'utf8').catch(() => '')).split('\n', 1)[0])
  if (!(pid > 0)) return null
  const works = await readlink(`/proc/${pid}/cwd`).catch(() => null)
  return works === (await realpath(folder)) ? pid : null
}

const isThere = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function end(pid: number, signal: NodeJS.Signals): Promise<void> {
  try {
    process.kill(pid, signal)
  } catch {
    // the process has already exited
  }
  while (isThere(pid)) await pause(10)
}

/** PID of the database that a killed server leaves running. */
export const databaseProcess = (folder: string) => processOf(path.join(folder, 'postgres'), 'postmaster.pid')

/** Stops the database abruptly, as in a power failure. */
export async function killDatabase(folder: string): Promise<void> {
  const pid = await databaseProcess(folder)
  // immediate shutdown: nothing more is written, and no process remains
  if (pid !== null) await end(pid, 'SIGQUIT')
}

/** PIDs of running virtual machines, by instance ID. */
export async function machineProcesses(folder: string): Promise<Map<string, number>> {
  const machines = path.join(folder, 'engine', 'machines')
  const found = new Map<string, number>()
  for (const id of await readdir(machines).catch(() => [])) {
    const pid = await processOf(path.join(machines, id), 'qemu.pid')
    if (pid !== null) found.set(id, pid)
  }
  return found
}

/**
 * PIDs of the processes that maintain the virtual machines' networks. A killed server leaves them to the next server.
 */
async function networkProcesses(folder: string): Promise<number[]> {
  const read = (file: string) => readFile(path.join(folder, 'engine', 'network', file), 'utf8').catch(() => '')
  const { holder } = JSON.parse((await read('capsule.json')) || '{}') as { holder?: { pid: number } }
  const [holders, others] = [holder ? [`${holder.pid} sh`] : [], (await read('pids')).trim().split('\n')]
  const kept = [...holders, ...others].map((line) => line.split(' '))
  const names = await Promise.all(kept.map(([pid]) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')))
  // the PID may have been reused
  return kept.flatMap(([pid, program], at) =>
    program !== undefined && names[at]!.trim() === program ? Number(pid) : [],
  )
}

/** Kills virtual machines and networks, as a restart of their host would. */
export async function killMachinesAndNetworks(folder: string): Promise<void> {
  for (const pid of (await machineProcesses(folder)).values()) await end(pid, 'SIGKILL')
  for (const pid of await networkProcesses(folder)) await end(pid, 'SIGKILL')
}

/** Kills the processes that still use the folder, and removes the folder. */
export async function removeData(folder: string): Promise<void> {
  await killMachinesAndNetworks(folder)
  await killDatabase(folder)
  await rm(folder, { recursive: true, force: true })
}
