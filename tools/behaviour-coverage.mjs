// Which items of docs/behaviour.tsv tests prove. A test proves an item by naming its id in square brackets at the
// end of its title: test('a router without interfaces can be deleted [ST-014]').
//   npm run coverage                          by the titles that stand in test files
//   npm run coverage -- --report FILE...      only those that passed in these reports of Vitest or Playwright
//   npm run coverage -- --missing AREA        and the items of an area that no test proves
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { readChecklist } from './lib/checklist.mjs'
import { isTest, readText, repositoryFiles } from './lib/repository.mjs'
import { idsIn, testsIn } from './lib/test-titles.mjs'

/** @returns {Set<string>} titles of tests that run when their file does */
function titlesInFiles() {
  const tests = repositoryFiles()
    .filter(isTest)
    .flatMap((file) => testsIn(file, readText(file)))
  return new Set(tests.filter(({ runs }) => runs).map(({ title }) => title))
}

/** @param {any} suite of a Playwright report @returns {string[]} */
const passedSpecs = ({ specs = [], suites = [] }) => [
  ...specs.flatMap((/** @type {any} */ { ok, title, tests }) =>
    ok && tests.some((/** @type {any} */ { status }) => status === 'expected') ? [title] : [],
  ),
  ...suites.flatMap(passedSpecs),
]

/** @param {string} file @returns {string[]} */
function passedTitles(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'))
  if (Array.isArray(report.suites)) return report.suites.flatMap(passedSpecs)
  if (!Array.isArray(report.testResults)) throw new Error(`${file} is no report of Vitest or Playwright`)
  return report.testResults.flatMap((/** @type {any} */ { assertionResults }) =>
    assertionResults.flatMap((/** @type {any} */ { status, title }) => (status === 'passed' ? [title] : [])),
  )
}

function main() {
  const { values, positionals } = parseArgs({
    options: { report: { type: 'string', multiple: true }, missing: { type: 'string' } },
    allowPositionals: true,
  })
  const items = readChecklist()
  const reports = values.report ? [...values.report, ...positionals] : []
  /** @param {Iterable<string>} titles */
  const idsOf = (titles) => new Set([...titles].flatMap(idsIn).filter((id) => items.has(id)))
  const written = idsOf(titlesInFiles())
  // runners report a test without a body, and one that is marked to fail, as passed
  const passed = idsOf(reports.flatMap(passedTitles))
  const proven = values.report ? new Set([...passed].filter((id) => written.has(id))) : written

  const areas = [...new Set([...items.values()].map(({ area }) => area))].sort()
  if (values.missing !== undefined && !areas.includes(values.missing)) {
    throw new Error(`no area ${values.missing}; areas are ${areas.join(', ')}`)
  }
  /** @param {string} name @param {readonly import('./lib/checklist.mjs').Item[]} of */
  const line = (name, of) => {
    const done = of.filter(({ id }) => proven.has(id)).length
    const percent = Math.floor((done * 100) / of.length)
    process.stdout.write(`${name.padEnd(20)}${`${done} of ${of.length}`.padStart(14)}${`${percent} %`.padStart(8)}\n`)
  }
  const all = [...items.values()]
  for (const area of areas)
    line(
      area,
      all.filter((item) => item.area === area),
    )
  line('all', all)
  for (const { id, area, side, text } of all) {
    if (area === values.missing && !proven.has(id)) process.stdout.write(`${id}  ${side.padEnd(8)}${text}\n`)
  }
}

try {
  main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
