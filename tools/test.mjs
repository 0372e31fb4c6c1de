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

/** @typedef {Tally & { step: Step, live: boolean, took: string }} Ended */

/** @param {Step} step @param {number} timeoutMs @param {boolean} live @param {readonly string[]} filters @returns {Promise<Ended>} */
async function runStep(step, timeoutMs, live, filters) {
  const started = performance.now()
  /** @type {Tally} */
  const tally = await step.run({ log: logOf(step.name), timeoutMs, live, filters }).catch((error) => ({
    passed: 0,
    failed: 1,
    note: error instanceof Error ? error.message : String(error),
  }))
  return { ...tally, step, live, took: seconds((performance.now() - started) / 1000) }
}

/** @param {Ended} ended */
function tell({ step, live, took, passed, failed, note, failures }) {
  const log = logOf(step.name)
  const mark = failed > 0 ? 'FAILED' : 'ok'
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`
  process.stdout.write(`${mark.padEnd(8)}${step.name.padEnd(14)}${counts.padEnd(26)}${took.padStart(9)}  ${note}\n`)
  // names first: whoever cuts a long output may keep its beginning only
  if (failed > 0 && failures) process.stdout.write(`${named(failures)}\n        the whole log: ${log}\n`)
  else if (failed > 0 && !live) showTail(log)
}

/** Those that run at the same time; each by itself where their output is shown. @param {readonly Step[]} selected @param {(step: Step) => boolean} isLive */
function groupsOf(selected, isLive) {
  /** @type {Step[][]} */
  const groups = []
  for (const step of selected) {
    const before = groups.at(-1)
    if (before && step.beside && ![step, ...before].some(isLive)) before.push(step)
    else groups.push([step])
  }
  return groups
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
      `${stripVTControlCharacters(tailOf(log, 24)).replaceAll(/^/gm, '      | ')}\n        the whole log: ${log}\n`,
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
  /** @param {Step} step */
  const isAsked = ({ name }) => names.includes(name)
  for (const group of groupsOf(selected, isAsked)) {
    const timeLeftMs = deadline - performance.now()
    const underWay = group.map((step) => {
      const timeoutMs = Math.max(1_000, Math.min(step.minutes * 60_000, timeLeftMs))
      return runStep(step, timeoutMs, isAsked(step), isAsked(step) ? positionals : [])
    })
    for (const run of underWay) {
      const ended = await run
      tell(ended)
      passed += ended.passed
      failed += ended.failed
      failures.push(...(ended.failures ?? []))
    }
    // without packages nothing below can run, and each would only repeat it
    if (group[0]?.name === 'dependencies' && failed > 0) break
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
