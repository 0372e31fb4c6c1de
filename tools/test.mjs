// `npm test`: installs missing packages, runs every check, and prints `N passed, N failed` as the last line.
//   npm test -- --only unit,lint         runs only these steps and shows their output
//   npm test -- --only unit server/src   runs only the tests in matching files
//   npm test -- --tier all               runs a tier other than the gate; see `tools/lib/tier.mjs`
//   npm test -- --record                 stores the durations of specs, which determine the order in later runs
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { byArea, costLine, LONG_FILE_MS, machineUsedMs, mostExpensive } from './lib/costs/costs.mjs'
import { recordDurations } from './lib/costs/durations.mjs'
import { logFolder, root } from './lib/paths.mjs'
import { seconds, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'
import { logOf, steps } from './lib/test-steps.mjs'
import { tierNamed } from './lib/tier.mjs'

const minute = 60_000

/**
 * Time limit for a run in minutes, and factor for the time limits of its steps. CI kills the gate after 90 minutes
 * without a result, so our limit must be lower.
 */
const limits = {
  gate: { minutes: 85, steps: 1 },
  all: { minutes: 150, steps: 3 },
  long: { minutes: 600, steps: 8 },
}

const MOST_NAMED = 40

/** @typedef {import('./lib/test-steps.mjs').Step} Step */
/** @typedef {import('./lib/reports.mjs').Tally} Tally */
/** @typedef {import('./lib/costs/costs.mjs').Cost} Cost */

/** @param {readonly string[]} names @param {import('./lib/tier.mjs').Tier} tier @returns {readonly Step[]} */
function chosen(names, tier) {
  if (names.length === 0) return steps.filter(({ tiers }) => tiers?.includes(tier) ?? true)
  const unknown = names.filter((name) => !steps.some((step) => step.name === name))
  if (unknown.length > 0) {
    throw new Error(`Unknown step: ${unknown.join(', ')}. Choose from: ${steps.map(({ name }) => name).join(', ')}`)
  }
  const needed = new Set(names.flatMap((name) => [name, ...(steps.find((step) => step.name === name)?.needs ?? [])]))
  return steps.filter(({ name, always }) => always || needed.has(name))
}

/** @typedef {Tally & { step: Step, live: boolean, took: string, cpuMs: number }} Ended */

/** @param {Step} step @param {number} timeoutMs @param {boolean} live @param {readonly string[]} filters @returns {Promise<Ended>} */
async function runStep(step, timeoutMs, live, filters) {
  const started = performance.now()
  let cpuMs = 0
  const onCpu = (/** @type {number} */ ms) => void (cpuMs += ms)
  /** @type {Tally} */
  const tally = await step.run({ log: logOf(step.name), timeoutMs, live, filters, onCpu }).catch((error) => ({
    passed: 0,
    failed: 1,
    note: error instanceof Error ? error.message : String(error),
  }))
  return { ...tally, step, live, took: seconds((performance.now() - started) / 1000), cpuMs }
}

/** @param {Ended} ended */
function tell({ step, live, took, cpuMs, passed, failed, note, failures }) {
  const log = logOf(step.name)
  const mark = failed > 0 ? 'FAILED' : 'ok'
  const cpu = cpuMs > 0 ? `CPU ${seconds(cpuMs / 1000)}` : ''
  const counts = failed > 0 ? `${passed} passed, ${failed} failed` : `${passed} passed`
  process.stdout.write(
    `${mark.padEnd(8)}${step.name.padEnd(14)}${counts.padEnd(26)}${took.padStart(9)}${cpu.padStart(14)}  ${note}\n`,
  )
  // test names first, because long output may be truncated at the end
  if (failed > 0 && failures) process.stdout.write(`${named(failures)}\n        full log: ${log}\n`)
  else if (failed > 0 && !live) showTail(log)
}

/**
 * Groups the steps that run in parallel. Steps with live output run alone.
 *
 * @param {readonly Step[]} selected
 * @param {(step: Step) => boolean} isLive
 */
function groupsOf(selected, isLive) {
  /** @type {Step[][]} */
  const groups = []
  for (const step of selected) {
    const before = groups.at(-1)
    const waits = before?.some(({ name }) => step.needs?.includes(name))
    if (before && step.beside && !waits && ![step, ...before].some(isLive)) before.push(step)
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
      `${stripVTControlCharacters(tailOf(log, 24)).replaceAll(/^/gm, '      | ')}\n        full log: ${log}\n`,
    )
  } catch {
    // the step failed before it wrote a log; its note contains the reason
  }
}

const MOST_EXPENSIVE = 10

/**
 * Prints the most expensive files, and writes the costs of all files and areas to `costs.txt`.
 *
 * @param {readonly Cost[]} costs
 * @param {boolean} isGate
 */
function tellCosts(costs, isGate) {
  if (costs.length === 0) return
  const files = mostExpensive(costs)
  const table = (/** @type {readonly Cost[]} */ rows) => rows.map((row) => `${costLine(row)}\n`).join('')
  const log = path.join(logFolder, 'costs.txt')
  writeFileSync(log, `wall and processor time by area\n${table(byArea(costs))}\nby file\n${table(files)}`)
  process.stdout.write(
    `\nthe most expensive files (all files and areas: ${log})\n${table(files.slice(0, MOST_EXPENSIVE))}`,
  )
  const long = files.filter(({ file, wallMs }) => wallMs > LONG_FILE_MS && !file.startsWith('e2e/')).length
  if (isGate && long > 0)
    process.stdout.write(`warning: ${long} files of the gate take more than ${LONG_FILE_MS / 1000} s each\n`)
}

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: [] },
      tier: { type: 'string', default: process.env['MAINSTAY_TEST_TIER'] ?? 'gate' },
      record: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const tier = tierNamed(values.tier)
  // read by specs
  process.env['MAINSTAY_TEST_TIER'] = tier
  const names = values.only.flatMap((list) => list.split(',')).filter(Boolean)
  const selected = chosen(names, tier)
  mkdirSync(logFolder, { recursive: true })
  stopChildrenOnInterrupt()

  const [began, usedBefore] = [performance.now(), machineUsedMs()]
  const deadline = began + limits[tier].minutes * minute
  /** @type {Cost[]} */
  const costs = []
  /** @type {Map<string, number>} */
  const skips = new Map()
  let passed = 0
  let failed = 0
  /** @type {string[]} */
  const failures = []
  /** @param {Step} step */
  const isAsked = ({ name }) => names.includes(name)
  for (const group of groupsOf(selected, isAsked)) {
    const timeLeftMs = deadline - performance.now()
    const underWay = group.map((step) => {
      const timeoutMs = Math.max(1_000, Math.min(step.minutes * limits[tier].steps * minute, timeLeftMs))
      return runStep(step, timeoutMs, isAsked(step), isAsked(step) ? positionals : [])
    })
    for (const run of underWay) {
      const ended = await run
      tell(ended)
      passed += ended.passed
      failed += ended.failed
      failures.push(...(ended.failures ?? []))
      costs.push(...(ended.costs ?? []))
      for (const [reason, count] of ended.skips ?? []) skips.set(reason, (skips.get(reason) ?? 0) + count)
    }
    // without packages, all later steps would fail for the same reason
    if (group[0]?.name === 'dependencies' && failed > 0) break
  }
  tellCosts(costs, tier === 'gate')
  if (values.record) recordDurations(costs)
  const took = (performance.now() - began) / minute
  const used = (machineUsedMs() - usedBefore) / minute
  process.stdout.write(`took ${took.toFixed(1)} min, ${used.toFixed(1)} CPU minutes of the whole machine\n`)
  // repeats the failures at the end of the output
  if (failures.length > 0) process.stdout.write(`\nfailed:\n${named(failures)}\n`)
  const skipped = [...skips].map(([reason, count]) => `${count} (${reason})`).join(', ')
  process.stdout.write(`\nskipped: ${skipped || 'none'}\n${passed} passed, ${failed} failed\n`)
  process.exitCode = failed > 0 ? 1 : 0
}

await main().catch((error) => {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`)
  process.exitCode = 1
})
