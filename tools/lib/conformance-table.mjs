// Counts the tests in `engines/src/conformance` that an engine passed, by kind.
import { readFileSync } from 'node:fs'

/** Matches the titles that `suiteOf` in engines/src/conformance/cloud.ts creates. */
const suiteTitle = /^what every engine does with (.+)$/

/** @typedef {Map<string, { passed: number, ran: number }>} Counts by kind */

/** @param {string} report of vitest, as JSON @returns {Counts} */
export function conformanceCounts(report) {
  /** @type {Counts} */
  const counts = new Map()
  /** @type {{ testResults: { assertionResults: { ancestorTitles: string[], status: string }[] }[] }} */
  let read
  try {
    read = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    return counts
  }
  for (const { ancestorTitles, status } of read.testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const kind = ancestorTitles.map((title) => suiteTitle.exec(title)?.[1]).find((found) => found !== undefined)
    if (kind === undefined || !['passed', 'failed'].includes(status)) continue
    const { passed, ran } = counts.get(kind) ?? { passed: 0, ran: 0 }
    counts.set(kind, { passed: passed + (status === 'passed' ? 1 : 0), ran: ran + 1 })
  }
  return counts
}

/**
 * Formats a table with a row for each kind and a column for each engine.
 *
 * @param {readonly { engine: string, counts: Counts }[]} engines
 */
export function conformanceTable(engines) {
  const kinds = [...new Set(engines.flatMap(({ counts }) => [...counts.keys()]))].sort()
  const cell = (/** @type {Counts} */ counts, /** @type {string} */ kind) => {
    const found = counts.get(kind)
    return found ? `${found.passed}/${found.ran}` : '–'
  }
  const line = (/** @type {string} */ first, /** @type {string[]} */ rest) =>
    `  ${first.padEnd(28)}${rest.map((text) => text.padStart(22)).join('')}`
  return [
    line(
      '',
      engines.map(({ engine }) => engine),
    ),
    ...kinds.map((kind) =>
      line(
        kind,
        engines.map(({ counts }) => cell(counts, kind)),
      ),
    ),
  ].join('\n')
}
