import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'

/** Identifies a process uniquely; a PID alone is not enough, because PIDs are reused. */
export interface ProcessId {
  pid: number
  /** Start time since boot, in kernel clock ticks. */
  startTicks: number
  bootId: string
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Spawned {
  process: ProcessId
  exit: Promise<Exit>
}

/** Stays the same until the host reboots. */
export const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

interface Stat {
  state: string
  cpuTicks: number
  startTicks: number
}

/** See `man 5 proc`. The program name, in parentheses, may contain any character. */
function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const number = (index: number) => Number(fields[index - 3])
  return { state: fields[0] ?? '', cpuTicks: number(14) + number(15), startTicks: number(22) }
}

/** Returns false as soon as the process has exited, even if it has not been reaped yet (zombie). */
export function isAlive({ pid, startTicks, bootId: boot }: ProcessId): boolean {
  try {
    const stat = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return stat.startTicks === startTicks && !'ZX'.includes(stat.state) && boot === bootId()
  } catch {
    return false
  }
}

/** Identifies a process that another server started but has not recorded yet, by checking its working directory. */
export async function processIn(folder: string, pid: number): Promise<ProcessId | null> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== folder) return null
    return { pid, startTicks: parseStat(await readFile(`/proc/${pid}/stat`, 'utf8')).startTicks, bootId: bootId() }
  } catch {
    return null
  }
}

/**
 * Returns the PIDs of the processes whose working directory is below this folder, grouped by directory. Processes of
 * other users are skipped unless they are readable.
 */
export async function processesBelow(folder: string): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const at = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (at.startsWith(`${folder}/`)) found.set(at, [...(found.get(at) ?? []), Number(name)])
  }
  return found
}

/** Returns the command line of a process, or an empty list if it has exited. */
export const wordsOf = async (pid: number): Promise<string[]> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')

/** Starts a process that outlives this one: in its own session and without inherited pipes. */
export async function spawnDetached(
  program: string,
  args: readonly string[],
  { folder, errors, input }: { folder: string; errors: string; input: string | null },
): Promise<Spawned> {
  const log = openSync(errors, 'a', 0o600)
  const inherited = input === null ? null : openSync(input, 'r')
  try {
    const stdio = ['ignore', log, log, ...(inherited === null ? [] : [inherited])] as const
    const child = spawn(program, args, { cwd: folder, detached: true, stdio: [...stdio] })
    const exit = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }))
      child.once('error', () => resolve({ code: 127, signal: null }))
    })
    child.unref()
    const pid = child.pid ?? 0
    return { process: { pid, startTicks: startOf(pid), bootId: bootId() }, exit }
  } finally {
    closeSync(log)
    if (inherited !== null) closeSync(inherited)
  }
}

/** Identifies a process that another process started for us; null if it has exited. */
export function identify(pid: number): ProcessId | null {
  const process = { pid, startTicks: startOf(pid), bootId: bootId() }
  return isAlive(process) ? process : null
}

function startOf(pid: number): number {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).startTicks
  } catch {
    return 0
  }
}

export function kill(process_: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(process_)) return
  try {
    process.kill(process_.pid, signal)
  } catch {
    // the process exited between the check and the signal
  }
}

/**
 * Resolves to true once the process has exited, or to false on timeout. Polls, because the kernel notifies only the
 * parent process.
 */
export async function isGoneWithin(process_: ProcessId, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (isAlive(process_)) {
    if (Date.now() > end) return false
    await pause(20)
  }
  return true
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

// Part of the kernel ABI: USER_HZ is 100 on all architectures that can run the QEMU machines.
const ticksPerSecond = 100

/** Returns the CPU time used by a process, in seconds. */
export async function processorSeconds({ pid }: ProcessId): Promise<number> {
  return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8')).cpuTicks / ticksPerSecond
}
