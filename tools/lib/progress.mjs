// Output of `npm start`: one line for each step, with its current action and finally its result.
import process from 'node:process'
import { seconds } from './run.mjs'

const REDRAW_MS = 250

/** Clears the progress line before other output is written. */
export const clearLine = () => void (process.stdout.isTTY && process.stdout.write('\r\x1b[K'))

/**
 * Runs a step. On a terminal, its line is redrawn while it runs; otherwise only the result is printed.
 *
 * @param {string} name
 * @param {(tell: (doing: string) => void) => Promise<string>} work calls `tell` with its action; returns its result
 */
export async function step(name, work) {
  const started = performance.now()
  const took = () => seconds((performance.now() - started) / 1000).padStart(8)
  let doing = 'checking'
  const isTerminal = process.stdout.isTTY
  // cut to the terminal width, because a wrapped line cannot be redrawn
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
 * Parses the output of `npm ci --loglevel http` for its progress.
 *
 * @param {number} packages number of packages in the lockfile
 * @returns {(line: string) => string | null} npm's current action, or null if the line does not contain it
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
 * Parses the output of `apt-get install` for its progress.
 *
 * @returns {(line: string) => string | null} apt's current action, or null if the line does not contain it
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
 * Passes the results of a line parser to `tell`.
 *
 * @param {(line: string) => string | null} read
 * @param {(doing: string) => void} tell
 * @returns {(line: string) => void}
 */
export const following = (read, tell) => (line) => {
  const doing = read(line)
  if (doing !== null) tell(doing)
}
