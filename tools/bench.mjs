// `npm run bench [-- NAME...] [--quick|--whole]`: runs the benches, and fails if a bound in bench/baseline.json is
// exceeded. `--quick` measures less. `--whole` measures amounts that take too long for a regular run: 20 GB and ten
// million keys in S3. `openstack` requires a cloud and runs only if it is named.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { judge } from './lib/bench-table.mjs'
import { buildIfChanged } from './lib/build-parts.mjs'
import { guestImage, inRoot } from './lib/paths.mjs'
import { runLogged, seconds, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

/** @typedef {import('../bench/protocol.ts').Row} Row */

const { values, positionals: wanted } = parseArgs({
  options: { quick: { type: 'boolean' }, whole: { type: 'boolean' } },
  allowPositionals: true,
})
const much = values.quick ? 'quick' : values.whole ? 'whole' : undefined
const files = readdirSync(inRoot('bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => (wanted.length === 0 ? !file.startsWith('openstack') : wanted.some((name) => file.includes(name))))
  .sort()

stopChildrenOnInterrupt()
const { failed } = await buildIfChanged(inRoot('.cache', 'bench-logs'))
if (failed) {
  process.stderr.write(`${tailOf(failed.log, 25)}\nBuilding the ${failed.name} failed.\n`)
  process.exit(1)
}

/** Time limit for each file. MAINSTAY_TAB_MINUTES extends it for bench/tab.bench.ts. */
const mostMinutes = (much === 'whole' ? 90 : 15) + Number(process.env['MAINSTAY_TAB_MINUTES'] ?? 0)

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
      env: { MAINSTAY_GUEST_IMAGE: guestImage, MAINSTAY_BENCH: much },
    },
  )
  const [load = 0] = loadavg()
  process.stdout.write(
    `${file.padEnd(40)}${seconds(outcome.seconds).padStart(10)}   load of the machine ${load.toFixed(1)}\n`,
  )
  if (outcome.code === 0 && existsSync(output)) rows.push(...JSON.parse(readFileSync(output, 'utf8')))
  else failures.push(`${file} failed:\n${tailOf(log, 25)}`)
}

/** @type {import('./lib/bench-table.mjs').Baseline} */
const baseline = JSON.parse(readFileSync(inRoot('bench', 'baseline.json'), 'utf8'))
const isWhole = wanted.length === 0
// the comparison with nginx is skipped if nginx is not installed
const hasNginx = spawnSync('nginx', ['-v']).status === 0
const bounds = Object.entries(baseline).filter(
  ([name]) => !isWhole || (!name.startsWith('cloud, ') && (hasNginx || name !== 'object storage, GET 64 MiB')),
)
const { lines, faults } = judge(rows, Object.fromEntries(bounds), isWhole)
process.stdout.write(`\n${lines.join('\n')}\n`)
for (const fault of [...failures, ...faults]) process.stdout.write(`\nfailed: ${fault}`)
process.stdout.write('\n')
process.exitCode = failures.length + faults.length > 0 ? 1 : 0
