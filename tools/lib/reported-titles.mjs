// Reads passed and failed tests from a Vitest or Playwright JSON report.

/** @typedef {{ passed: string[], failed: string[] }} Reported titles of tests, without skipped ones */

/** @param {any} suite of a Playwright report @returns {[string, string][]} title and outcome */
const outcomesIn = ({ specs = [], suites = [] }) => [
  ...specs.flatMap((/** @type {any} */ { ok, title, tests }) => {
    const ran = tests.some((/** @type {any} */ { status }) => status !== 'skipped')
    return ran ? [/** @type {[string, string]} */ ([title, ok ? 'passed' : 'failed'])] : []
  }),
  ...suites.flatMap(outcomesIn),
]

/** @param {string} text of a report @returns {Reported} */
export function titlesInReport(text) {
  const { suites, testResults } = JSON.parse(text)
  if (!Array.isArray(suites) && !Array.isArray(testResults))
    throw new Error('This is not a Vitest or Playwright report')
  /** @type {[string, string][]} */
  const outcomes = suites
    ? suites.flatMap(outcomesIn)
    : testResults.flatMap((/** @type {any} */ { assertionResults }) =>
        assertionResults.map((/** @type {any} */ { status, title }) => [title, status]),
      )
  const titles = (/** @type {string} */ wanted) =>
    outcomes.filter(([, outcome]) => outcome === wanted).map(([title]) => title)
  return { passed: titles('passed'), failed: titles('failed') }
}
