// Reads reports written by tools. A missing report, a report without tests, and an exit code that the report does not
// explain count as failures.
import { readFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'

/**
 * `failures`: one line for each failed test, if the report names them. `costs`: the cost of each file, if measured.
 * `skips`: the number of skipped tests by reason.
 *
 * @typedef {{ passed: number, failed: number, note: string, failures?: string[], costs?: readonly Cost[], skips?: ReadonlyMap<string, number> }} Tally
 * @typedef {import('./costs/costs.mjs').Cost} Cost
 */

/**
 * @param {string} file
 * @returns {any} null if it is missing or truncated
 */
function reportIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** @param {string} file written by `costs/reporter.mjs` @returns {Cost[]} */
export const costsIn = (file) => reportIn(file) ?? []

/** @param {Tally} tally @param {number} exitCode @returns {Tally} */
function checked({ passed, failed, note, failures = [] }, exitCode) {
  if (passed + failed === 0) return { passed: 0, failed: 1, note: 'ran no tests' }
  if (exitCode !== 0 && failed === 0) {
    return { passed, failed: 1, note: `ended with code ${exitCode}`, ...(failures.length > 0 && { failures }) }
  }
  return { passed, failed, note, ...(failures.length > 0 && { failures }) }
}

/** Returns the first line of an error message, with the location in our code. @param {string} [message] */
function firstLine(message) {
  const lines = stripVTControlCharacters(message ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const place = lines.find((line) => line.startsWith('at ') && !line.includes('node_modules'))
  const [, where] = /([^/\s(]+:\d+):\d+\)?$/.exec(place ?? '') ?? []
  return `${lines[0]?.slice(0, 300) ?? ''}${where ? ` (${where})` : ''}`
}

/** @param {number} count @param {string} word */
const mention = (count, word) => (count > 0 ? `, ${count} ${word}` : '')

const SECTION = /⎯ (Unhandled Rejection|Uncaught Exception|Unhandled Error) ⎯/

/**
 * Finds errors outside tests, which Vitest prints but does not report, with their origin and the spec that was running.
 *
 * @param {string} output
 * @returns {string[]}
 */
function strayErrors(output) {
  const lines = stripVTControlCharacters(output).split('\n')
  return lines.flatMap((line, at) => {
    const [, kind] = SECTION.exec(line) ?? []
    if (!kind) return []
    const after = lines.slice(at + 1, at + 40)
    const ours = after.find((one) => one.includes('❯') && !one.includes('node_modules') && !one.includes('node:'))
    const during = after.find((one) => one.startsWith('This error originated in'))
    const [, spec = 'no spec'] = /"([^"]+)"/.exec(during ?? '') ?? []
    const where = ours ? ` (${ours.replace('❯', '').trim()})` : ''
    return [`${spec}: ${kind}: ${after[0]?.slice(0, 300) ?? ''}${where}`]
  })
}

/** JSON report statuses of tests that did not run. */
const skippedStatuses = ['pending', 'skipped', 'todo', 'disabled']

/** @param {{ status: string, tags?: string[] }} test @returns {boolean} false for tests that belong to a wider tier */
const inThisTier = ({ status, tags = [] }) => !(skippedStatuses.includes(status) && tags.includes('all'))

/** @param {string} file @param {number} exitCode @param {string} [output] of Vitest @returns {Tally} */
export function vitestTally(file, exitCode, output = '') {
  const report = reportIn(file)
  if (!Array.isArray(report?.testResults)) return { passed: 0, failed: 1, note: 'left no report' }
  /** @type {{ name?: string, status: string, message?: string, assertionResults: { status: string, tags?: string[], fullName?: string, failureMessages?: string[] }[] }[]} */
  const files = report.testResults
  const tests = files.flatMap(({ assertionResults }) => assertionResults.filter(inThisTier))
  /** @param {string[]} statuses */
  const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length
  // files that failed to load, or whose hooks failed, have no failed test
  const broken = files.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  )
  const failures = [
    ...broken.map(({ name, message }) => `${name}: ${firstLine(message)}`),
    ...files.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status === 'failed')
        .map(({ fullName, failureMessages }) => `${name} > ${fullName}: ${firstLine(failureMessages?.[0])}`),
    ),
    ...strayErrors(output),
  ]
  const skipped = count(...skippedStatuses)
  const note = `${files.length} files${mention(broken.length, 'not loaded')}${mention(skipped, 'skipped')}`
  return checked({ passed: count('passed'), failed: count('failed') + broken.length, note, failures }, exitCode)
}

/**
 * Reason for tests that were skipped because of a missing engine feature, a failed setup, or `-t` on the command line.
 */
const NO_REASON = 'no reason given'

/**
 * Counts the skipped tests in a Vitest report by the reason from `needs` (tools/lib/vitest/host-features.ts), most
 * frequent first. Returns an empty map if there is no report.
 *
 * @param {string} file
 * @returns {Map<string, number>}
 */
export function skipsByReason(file) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  /** @type {{ assertionResults: { status: string, tags?: string[], meta?: { skippedBecause?: string } }[] }[]} */
  const files = reportIn(file)?.testResults ?? []
  for (const { status, meta } of files.flatMap(({ assertionResults }) => assertionResults.filter(inThisTier))) {
    if (!skippedStatuses.includes(status)) continue
    const reason = meta?.skippedBecause ?? NO_REASON
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return new Map([...counts].toSorted(([, one], [, other]) => other - one))
}

/** @param {string} file @param {number} exitCode @returns {Tally} */
export function playwrightTally(file, exitCode) {
  const report = reportIn(file)
  if (!report?.stats || !Array.isArray(report.errors)) return { passed: 0, failed: 1, note: 'left no report' }
  const { expected, unexpected, flaky, skipped } = report.stats
  const broken = report.errors.length
  const note = `${report.suites?.length ?? 0} files${mention(flaky, 'flaky')}${mention(broken, 'errors')}${mention(skipped, 'skipped')}`
  const failures = [...report.errors.map((/** @type {{ message?: string }} */ one) => firstLine(one.message))]
  for (const suite of report.suites ?? []) failures.push(...unexpectedIn(suite))
  const costs = (report.suites ?? []).map((/** @type {PlaywrightSuite & { file: string }} */ suite) => ({
    ...{ file: `e2e/${suite.file}`, wallMs: durationOf(suite), cpuMs: 0 },
  }))
  return { ...checked({ passed: expected, failed: unexpected + flaky + broken, note, failures }, exitCode), costs }
}

/** @param {PlaywrightSuite} suite @returns {number} total duration of its tests, in milliseconds */
const durationOf = ({ suites = [], specs = [] }) =>
  specs
    .flatMap(({ tests }) => tests.flatMap(({ results = [] }) => results.map(({ duration = 0 }) => duration)))
    .concat(suites.map(durationOf))
    .reduce((sum, ms) => sum + ms, 0)

/**
 * @typedef {{ status: string, results?: { error?: { message?: string }, duration?: number }[] }} PlaywrightTest
 * @typedef {{ suites?: PlaywrightSuite[], specs?: { file: string, line: number, title: string, tests: PlaywrightTest[] }[] }} PlaywrightSuite
 */

/** @param {PlaywrightSuite} suite @returns {string[]} */
function unexpectedIn({ suites = [], specs = [] }) {
  const here = specs.flatMap(({ file, line, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected' || status === 'flaky')
      .map(
        ({ results }) => `${file}:${line} > ${title}: ${firstLine(results?.find((it) => it.error)?.error?.message)}`,
      ),
  )
  return [...here, ...suites.flatMap(unexpectedIn)]
}

/**
 * Evaluates a tool that prints the number of checked files. Zero files count as a failure, regardless of the exit code.
 *
 * @param {string} output
 * @param {number} exitCode
 * @param {RegExp} sayingHowMany its first group matches the number of files
 * @returns {Tally}
 */
export function toolTally(output, exitCode, sayingHowMany) {
  const files = Number(sayingHowMany.exec(output)?.[1] ?? 0)
  if (files === 0) return { passed: 0, failed: 1, note: 'looked at no files' }
  return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, note: `${files} files` }
}

/** @param {string} output of `tsc --listFiles` @param {number} exitCode @param {string} root @returns {Tally} */
export function compilerTally(output, exitCode, root) {
  const files = output.split('\n').filter((line) => line.startsWith(root) && !line.includes('/node_modules/')).length
  return toolTally(`${files} files`, exitCode, /^(\d+)/)
}
