// Reads what the tools say about themselves, and believes no silence: a missing report, a report of nothing, and an
// exit code that its report does not explain all count as a failure.
import { readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number, note: string }} Tally */

/**
 * @param {string} file
 * @returns {any} null when it is missing or cut off
 */
function reportIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

/** @param {Tally} tally @param {number} exitCode @returns {Tally} */
function checked({ passed, failed, note }, exitCode) {
  if (passed + failed === 0) return { passed: 0, failed: 1, note: 'ran no tests' }
  if (exitCode !== 0 && failed === 0) return { passed, failed: 1, note: `ended with code ${exitCode}` }
  return { passed, failed, note }
}

/** @param {number} count @param {string} word */
const mention = (count, word) => (count > 0 ? `, ${count} ${word}` : '')

/** @param {string} file @param {number} exitCode @returns {Tally} */
export function vitestTally(file, exitCode) {
  const report = reportIn(file)
  if (!Array.isArray(report?.testResults)) return { passed: 0, failed: 1, note: 'left no report' }
  /** @type {{ status: string, assertionResults: { status: string }[] }[]} */
  const files = report.testResults
  const tests = files.flatMap(({ assertionResults }) => assertionResults)
  /** @param {string[]} statuses */
  const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length
  // a file that could not be loaded, or whose hooks failed, fails without a failed test
  const broken = files.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
  ).length
  const skipped = count('pending', 'skipped', 'todo', 'disabled')
  const note = `${files.length} files${mention(broken, 'not loaded')}${mention(skipped, 'skipped')}`
  return checked({ passed: count('passed'), failed: count('failed') + broken, note }, exitCode)
}

/** @param {string} file @param {number} exitCode @returns {Tally} */
export function playwrightTally(file, exitCode) {
  const report = reportIn(file)
  if (!report?.stats || !Array.isArray(report.errors)) return { passed: 0, failed: 1, note: 'left no report' }
  const { expected, unexpected, flaky, skipped } = report.stats
  const broken = report.errors.length
  const note = `${report.suites?.length ?? 0} files${mention(flaky, 'flaky')}${mention(broken, 'errors')}${mention(skipped, 'skipped')}`
  return checked({ passed: expected, failed: unexpected + flaky + broken, note }, exitCode)
}

/**
 * A tool that looks at files and says at how many: zero is a failure, whatever its exit code.
 *
 * @param {string} output
 * @param {number} exitCode
 * @param {RegExp} sayingHowMany its first group is the number
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
