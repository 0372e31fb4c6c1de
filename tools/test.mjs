// `npm test`: brings what is needed, runs every check, and ends with the line `N passed, N failed`.
//   npm test -- --only unit,lint         some steps, with their output
//   npm test -- --only unit server/src   and of those tests only some files
import { mkdirSync } from 'node:fs'
import process from 'node:process'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { logFolder, root } from './lib/paths.mjs'
import { seconds, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'
import { logOf, steps } from './lib/test-steps.mjs'

/** A continuous-integration run is cut off at 90 minutes without a last line; ours must come before. */
const wholeRunMs = 85 * 60_000

const MOST_NAMED = 40

/** @typedef {import('./lib/test-steps.mjs').Step} Step */
/** @typedef {import('./lib/reports.mjs').Tally} Tally */

/** @param {readonly string[]} names @returns {readonly Step[]} */
function chosen(names) {
  if (names.length === 0) return steps
  const unknown = names.filter((name) => !steps.some((step) => step.name === name))
  if (unknown.length > 0) {
    throw new Error(`no step ${unknown.join(', ')}; steps are ${steps.map(({ name }) => name).join(', ')}`)
  }
  const needed = new Set(names.flatMap((name) => [name, ...(steps.find((step) => step.name === name)?.needs ?? [])]))
  return steps.filter(({ name, always }) => always || needed.has(name))
}

/** @param {Step} step @param {number} timeoutMs @param {boolean} live @param {readonly string[]} filters @returns {Promise<Tally>} */
async function runStep(step, timeoutMs, live, filters) {
  const log = logOf(step.name)
  const started = performance.now()
  /** @type {Tally} */
  const tally = await step.run({ log, timeoutMs, live, filters }).catch((error) => ({
    passed: 0,
    failed: 1,
    note: error instanceof Error ? error.message : String(error),
  }))
  const took = seconds((performance.now() - started) / 1000)
  const { passed, failed, note, failures } = tally
  const mark = failed > 0 ? 'FAILED' : 'ok'
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`
  process.stdout.write(`${mark.padEnd(8)}${step.name.padEnd(14)}${counts.padEnd(26)}${took.padStart(9)}  ${note}\n`)
  // names first: whoever cuts a long output may keep its beginning only
  if (failed > 0 && failures) process.stdout.write(`${named(failures)}\n        the whole log: ${log}\n`)
  else if (failed > 0 && !live) showTail(log)
  return tally
}

/** @param {readonly string[]} failures */
const named = (failures) =>
  failures
    .slice(0, MOST_NAMED)
    .map((line) => `      | ${line.replaceAll(root, '')}`)
    .join('\n')

/** @param {string} log */
function showTail(log) {
  try {
    process.stdout.write(
      `${stripVTControlCharacters(tailOf(log, 60)).replaceAll(/^/gm, '      | ')}\n        the whole log: ${log}\n`,
    )
  } catch {
    // the step failed before it had anything to log; its note says why
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { only: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  })
  const names = values.only.flatMap((list) => list.split(',')).filter(Boolean)
  const selected = chosen(names)
  mkdirSync(logFolder, { recursive: true })
  stopChildrenOnInterrupt()

  const deadline = performance.now() + wholeRunMs
  let passed = 0
  let failed = 0
  /** @type {string[]} */
  const failures = []
  for (const step of selected) {
    const timeoutMs = Math.max(1_000, Math.min(step.minutes * 60_000, deadline - performance.now()))
    const asked = names.includes(step.name)
    const tally = await runStep(step, timeoutMs, asked, asked ? positionals : [])
    passed += tally.passed
    failed += tally.failed
    failures.push(...(tally.failures ?? []))
    // without packages nothing below can run, and each would only repeat it
    if (step.name === 'dependencies' && tally.failed > 0) break
  }
  // and once more at its end
  if (failures.length > 0) process.stdout.write(`\nfailed:\n${named(failures)}\n`)
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
  process.exitCode = failed > 0 ? 1 : 0
}

await main().catch((error) => {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`)
  process.exitCode = 1
})
