// `npm run bench [-- NAME...] [--quick]`: measures, and fails when a bound of bench/baseline.json is broken.
// `--quick` measures less of everything. `openstack` needs a cloud that is told, and is measured only when it is named.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import process from 'node:process'
import { judge } from './lib/bench-table.mjs'
import { buildIfChanged } from './lib/build-parts.mjs'
import { guestImage, inRoot } from './lib/paths.mjs'
import { runLogged, seconds, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

/** @typedef {import('../bench/protocol.ts').Row} Row */

const words = process.argv.slice(2)
const isQuick = words.includes('--quick')
const wanted = words.filter((word) => !word.startsWith('--'))
const files = readdirSync(inRoot('bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => (wanted.length === 0 ? !file.startsWith('openstack') : wanted.some((name) => file.includes(name))))
  .sort()

stopChildrenOnInterrupt()
const { failed } = await buildIfChanged(inRoot('.cache', 'bench-logs'))
if (failed) {
  process.stderr.write(`${tailOf(failed.log, 25)}\nbuilding the ${failed.name} failed\n`)
  process.exit(1)
}

/** Of one file; more where it is told how long it measures (bench/tab.bench.ts). */
const mostMinutes = 15 + Number(process.env['MAINSTAY_TAB_MINUTES'] ?? 0)

/** @type {Row[]} */
const rows = []
/** @type {string[]} */
const failures = []
for (const file of files) {
  const log = inRoot('.cache', 'bench-logs', `${file}.log`)
  const output = `${log}.json`
  rmSync(output, { force: true })
  const outcome = await runLogged(
    process.execPath,
    ['--expose-gc', '--import', 'tsx', inRoot('tools', 'lib', 'bench-runner.ts'), inRoot('bench', file), output],
    {
      log,
      timeoutMs: mostMinutes * 60_000,
      env: { MAINSTAY_GUEST_IMAGE: guestImage, MAINSTAY_BENCH: isQuick ? 'quick' : undefined },
    },
  )
  process.stdout.write(`${file.padEnd(40)}${seconds(outcome.seconds).padStart(10)}\n`)
  if (outcome.code === 0 && existsSync(output)) rows.push(...JSON.parse(readFileSync(output, 'utf8')))
  else failures.push(`${file} failed:\n${tailOf(log, 25)}`)
}

/** @type {import('./lib/bench-table.mjs').Baseline} */
const baseline = JSON.parse(readFileSync(inRoot('bench', 'baseline.json'), 'utf8'))
const isWhole = wanted.length === 0
const bounds = Object.entries(baseline).filter(([name]) => !isWhole || !name.startsWith('cloud, '))
const { lines, faults } = judge(rows, Object.fromEntries(bounds), isWhole)
process.stdout.write(`\n${lines.join('\n')}\n`)
for (const fault of [...failures, ...faults]) process.stdout.write(`\nbroken: ${fault}`)
process.stdout.write('\n')
process.exitCode = failures.length + faults.length > 0 ? 1 : 0
