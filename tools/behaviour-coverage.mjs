// Shows which items of docs/behaviour.tsv are covered by tests. A test covers an item if its title ends with the ID in
// square brackets: test('deletes a router without interfaces [ST-014]').
//   npm run coverage                          counts titles in test files
//   npm run coverage -- --report FILE...      counts only items whose tests all passed in these test reports
//   npm run coverage -- --missing AREA        also lists the items in an area that have no test
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { readChecklist, readOpenItems } from './lib/checklist.mjs'
import { titlesInReport } from './lib/reported-titles.mjs'
import { readText, repositoryFiles } from './lib/repository.mjs'
import { holdsTests, idsIn, testsIn } from './lib/test-titles.mjs'

/** @returns {Set<string>} titles of tests that are not skipped */
function titlesInFiles() {
  const tests = repositoryFiles()
    .filter(holdsTests)
    .flatMap((file) => testsIn(file, readText(file)))
  return new Set(tests.filter(({ runs }) => runs).map(({ title }) => title))
}

function main() {
  const { values, positionals } = parseArgs({
    options: { report: { type: 'string', multiple: true }, missing: { type: 'string' } },
    allowPositionals: true,
  })
  const items = readChecklist()
  const reports = (values.report ? [...values.report, ...positionals] : []).map((file) =>
    titlesInReport(readFileSync(file, 'utf8')),
  )
  /** @param {Iterable<string>} titles */
  const idsOf = (titles) => new Set([...titles].flatMap(idsIn).filter((id) => items.has(id)))
  const written = idsOf(titlesInFiles())
  const passed = idsOf(reports.flatMap((report) => report.passed))
  const failed = idsOf(reports.flatMap((report) => report.failed))
  // test runners report tests without a body, and tests marked as failing, as passed
  const proven = values.report ? new Set([...passed].filter((id) => written.has(id) && !failed.has(id))) : written

  const areas = [...new Set([...items.values()].map(({ area }) => area))].sort()
  if (values.missing !== undefined && !areas.includes(values.missing)) {
    throw new Error(`Unknown area: ${values.missing}. Choose from: ${areas.join(', ')}`)
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
  const open = readOpenItems()
  for (const { id, area, side, text } of all) {
    if (area !== values.missing || proven.has(id)) continue
    const reason = open.get(id)
    process.stdout.write(`${id}  ${side.padEnd(8)}${text}${reason ? ` (open: ${reason})` : ''}\n`)
  }
}

try {
  main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
