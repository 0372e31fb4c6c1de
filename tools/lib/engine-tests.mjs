// Code shared by the commands that test engines on real systems: steps with one line of output each, and Vitest runs.
import { rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { conformanceCounts } from './conformance-table.mjs'
import { guestImage, inRoot, logFolder } from './paths.mjs'
import { vitestTally } from './reports.mjs'
import { runLogged, seconds, tailOf } from './run.mjs'
import { logOf, steps } from './test-steps.mjs'

/** @typedef {Record<string, string>} Environment */
/** @typedef {{ engine: string, passed: number, failed: number, counts: import('./conformance-table.mjs').Counts }} Result */

const minute = 60_000

/** @param {string} name @param {string} said @param {number} started */
const line = (name, said, started) => {
  const took = seconds((performance.now() - started) / 1000)
  process.stdout.write(`${name.padEnd(26)}${said.padEnd(40)}${took.padStart(10)}\n`)
}

/** Runs `work` and prints its result in one line. @param {string} name @param {() => Promise<string>} work */
export async function step(name, work) {
  const started = performance.now()
  line(name, await work(), started)
}

/** @param {string} name name of a step in `npm test` */
export function stepOfTests(name) {
  const found = steps.find((one) => one.name === name)
  if (!found) throw new Error(`There is no step ${name} in tools/lib/test-steps.mjs`)
  return found
}

/** Runs a step of `npm test`. Throws if the step fails. @param {string} name */
export const prepare = (name) =>
  step(name, async () => {
    const found = stepOfTests(name)
    const { failed, note } = await found.run({
      log: logOf(name),
      timeoutMs: found.minutes * minute,
      live: false,
      filters: [],
    })
    if (failed > 0) throw new Error(`${name}: ${note}; full log: ${logOf(name)}`)
    return note
  })

/**
 * @param {string} name name of the engine or journey
 * @param {string} log
 * @param {number} started
 * @param {import('./reports.mjs').Tally} tally
 */
export function tell(name, log, started, { passed, failed, note }) {
  line(name, `${passed} passed, ${failed} failed, ${note}`, started)
  if (failed > 0) process.stdout.write(`${tailOf(log, 60)}\n  full log: ${log}\n`)
  return { engine: name, passed, failed }
}

/** @param {string} family prefix of the log file's name @param {string} name */
export const logOfEngine = (family, name) => path.join(logFolder, `${family}-${name}.log`)

/**
 * Runs Vitest and counts the conformance tests that an engine passed.
 *
 * @param {string} engine name to display
 * @param {string} log
 * @param {readonly string[]} args for Vitest
 * @param {Environment} environment
 * @returns {Promise<Result>}
 */
export async function testEngine(engine, log, args, environment) {
  const report = `${log}.json`
  rmSync(report, { force: true })
  const started = performance.now()
  const { code } = await runLogged(
    inRoot('node_modules', '.bin', 'vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    {
      ...{ log, timeoutMs: 120 * minute },
      env: { MAINSTAY_GUEST_IMAGE: guestImage, MAINSTAY_TEST_TIER: 'all', ...environment },
    },
  )
  return { ...tell(engine, log, started, vitestTally(report, code)), counts: conformanceCounts(report) }
}

/** Prints the totals. Returns the exit code. @param {readonly Pick<Result, 'passed' | 'failed'>[]} results */
export function tellSum(results) {
  const sum = (/** @type {'passed' | 'failed'} */ which) => results.reduce((total, one) => total + one[which], 0)
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`)
  return sum('failed') > 0 ? 1 : 0
}
