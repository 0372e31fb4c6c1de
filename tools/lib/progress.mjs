// What `npm start` shows of each step: a line that says what the step is doing and, once it is done, what it did.
import process from 'node:process'
import { seconds } from './run.mjs'

const REDRAW_MS = 250

/** Removes a line that is redrawn, before something else is written. */
export const clearLine = () => void (process.stdout.isTTY && process.stdout.write('\r\x1b[K'))

/**
 * Runs a step of the start. On a terminal its line is redrawn while it runs; elsewhere only the outcome is written.
 *
 * @param {string} name
 * @param {(tell: (doing: string) => void) => Promise<string>} work calls `tell` with what it is doing, and answers what it did
 */
export async function step(name, work) {
  const started = performance.now()
  const took = () => seconds((performance.now() - started) / 1000).padStart(8)
  let doing = 'checking'
  const isTerminal = process.stdout.isTTY
  // a line that wraps could not be redrawn
  const draw = () =>
    process.stdout.write(`\r\x1b[K${`  ${name.padEnd(17)}${doing}`.slice(0, process.stdout.columns - 11)} ${took()}`)
  const timer = isTerminal ? setInterval(draw, REDRAW_MS) : undefined
  try {
    const did = await work((text) => {
      doing = text
      if (isTerminal) draw()
    })
    clearLine()
    process.stdout.write(`  ${name.padEnd(17)}${did.padEnd(44)}${took()}\n`)
  } finally {
    clearInterval(timer)
  }
}

/**
 * Reads the progress of `npm ci --loglevel http` from its lines.
 *
 * @param {number} packages how many there are in the lockfile
 * @returns {(line: string) => string | null} what npm is doing; null where the line does not say
 */
export function npmProgress(packages) {
  let fetched = 0
  return (line) => {
    if (!/^npm http .*\.tgz\b/.test(line)) return null
    fetched = Math.min(fetched + 1, packages)
    return `fetched ${fetched} of ${packages} packages`
  }
}

/**
 * Reads the progress of `apt-get install` from its lines.
 *
 * @returns {(line: string) => string | null} what apt is doing; null where the line does not say
 */
export function aptProgress() {
  let packages = 0
  const done = { fetched: 0, unpacked: 0, installed: 0 }
  return (line) => {
    const counted = /(\d+) newly installed/.exec(line)
    if (counted) packages = Number(counted[1])
    const verb = /^Get:\d+ /.test(line)
      ? 'fetched'
      : line.startsWith('Unpacking ')
        ? 'unpacked'
        : line.startsWith('Setting up ')
          ? 'installed'
          : null
    if (verb === null || packages === 0) return null
    done[verb]++
    return `${verb} ${done[verb]} of ${packages} packages`
  }
}

/**
 * Passes on what a reader of lines makes of them.
 *
 * @param {(line: string) => string | null} read
 * @param {(doing: string) => void} tell
 * @returns {(line: string) => void}
 */
export const following = (read, tell) => (line) => {
  const doing = read(line)
  if (doing !== null) tell(doing)
}
