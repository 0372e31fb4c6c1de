import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { root } from './paths.mjs'

/**
 * `cpuMs`: CPU time used by the command and by child processes that it waited for; 0 if it was killed.
 *
 * @typedef {{ code: number, seconds: number, cpuMs: number, timedOut: boolean, log: string }} Outcome
 */

/** Running process groups, which an interrupt also ends. @type {Set<number>} */
const running = new Set()

/** @param {number} group @param {NodeJS.Signals} signal */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal)
  } catch {
    // the process group has already ended
  }
}

/** Shell wrapper that writes the command's CPU time to descriptor 3, because Node cannot measure it. */
const timed = '"$@" 3>&-; code=$?; times >&3; exit "$code"'

/**
 * @param {string} told output of `times`: the second line is user and system time of children, as in `1m2.50s 0m0.25s`
 */
function cpuOf(told) {
  const [, commands = ''] = told.split('\n')
  return [...commands.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, rest]) => sum + Number(minutes) * 60_000 + Number(rest) * 1000,
    0,
  )
}

/**
 * Ends the running commands on an interrupt. They run in separate process groups, so Ctrl+C in the terminal does not
 * reach them directly.
 */
export function stopChildrenOnInterrupt() {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => {
      for (const group of running) signalGroup(group, 'SIGTERM')
      setTimeout(() => {
        for (const group of running) signalGroup(group, 'SIGKILL')
        process.exit(signal === 'SIGINT' ? 130 : 143)
      }, 2_000)
    })
  }
}

/**
 * Runs a command and writes its output to a log file. `live` also prints the output; `onLine` is called for each line.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ log: string, env?: Record<string, string | undefined>, timeoutMs?: number, live?: boolean, onLine?: (line: string) => void }} options
 * @returns {Promise<Outcome>}
 */
export function runLogged(command, args, { log, env = {}, timeoutMs, live = false, onLine }) {
  mkdirSync(path.dirname(log), { recursive: true })
  const file = createWriteStream(log)
  file.write(`$ ${[command, ...args].join(' ')}\n`)
  const started = performance.now()
  const child = spawn('sh', ['-c', timed, 'sh', command, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let told = ''
  child.stdio[3]?.on('data', (/** @type {Buffer} */ chunk) => (told += chunk.toString()))
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      file.write(chunk)
      if (live) process.stdout.write(chunk)
    })
    if (onLine && stream) createInterface({ input: stream }).on('line', onLine)
  }
  return new Promise((resolve) => {
    let timedOut = false
    const group = child.pid
    if (group) running.add(group)
    const stop = () => {
      timedOut = true
      if (!group) return
      signalGroup(group, 'SIGTERM')
      setTimeout(() => signalGroup(group, 'SIGKILL'), 5_000).unref()
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs)
    /** @param {number} code */
    const finish = (code) => {
      clearTimeout(timer)
      if (group) {
        // leftover processes would block ports and keep our pipes open
        signalGroup(group, 'SIGKILL')
        running.delete(group)
      }
      if (timedOut) file.write(`\nstopped: took longer than ${Math.round((timeoutMs ?? 0) / 1000)} s\n`)
      file.end(() =>
        resolve({ code, timedOut, log, seconds: (performance.now() - started) / 1000, cpuMs: cpuOf(told) }),
      )
    }
    child.once('error', (error) => {
      file.write(`${error.message}\n`)
      finish(127)
    })
    child.once('exit', (code) => {
      // a leftover grandchild may keep the pipes open, so wait at most one second for the last output
      const last = setTimeout(() => finish(code ?? 1), 1_000)
      child.once('close', () => {
        clearTimeout(last)
        finish(code ?? 1)
      })
    })
  })
}

/** @param {string} file @param {number} lines */
export const tailOf = (file, lines) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')

/** @param {number} value */
export const seconds = (value) => `${value.toFixed(1)} s`
