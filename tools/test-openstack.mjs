// `npm run test:openstack`: the engine's tests on a real OpenStack, beside those of the embedded engine, and how many of
// what every engine must do each of them passed.
//   --cloud NAME      an entry of clouds.yaml; without it what OS_* say, or else a cloud that dev/openstack/up brings up here
//   --keep            leaves a cloud running that was brought up for this
//   --only-cloud      without the embedded engine
//   --storm SECONDS   only two servers under random commands and kills for so long, then index and cloud row by row
//   --journey         only the life of a machine in a browser
//   --sweep           only removes what earlier runs have left in the cloud
//   --record          also keeps the cloud's answers anew, for the specs that are without a cloud
//   after a second --, words for vitest: names of files, -t 'name of a test'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { conformanceCounts, conformanceTable } from './lib/conformance-table.mjs'
import { guestImage, inRoot, logFolder } from './lib/paths.mjs'
import { vitestTally } from './lib/reports.mjs'
import { runLogged, seconds, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'
import { logOf, steps } from './lib/test-steps.mjs'

/** @typedef {Record<string, string>} Environment */

const minute = 60_000
const stateFolder = process.env['OPENSTACK_DIR'] ?? '/var/tmp/openstack-dev'
const log = (/** @type {string} */ name) => path.join(logFolder, `openstack-${name}.log`)

/** @param {string} name @param {() => Promise<string>} work */
async function step(name, work) {
  const started = performance.now()
  const said = await work()
  const took = seconds((performance.now() - started) / 1000)
  process.stdout.write(`${name.padEnd(26)}${said.padEnd(40)}${took.padStart(10)}\n`)
}

/** @param {string} name of a step of `npm test` */
function stepOfTests(name) {
  const found = steps.find((one) => one.name === name)
  if (!found) throw new Error(`npm test has no step ${name}`)
  return found
}

/** @param {string} name of a step of `npm test` */
const prepare = (name) =>
  step(name, async () => {
    const found = stepOfTests(name)
    const { failed, note } = await found.run({
      log: logOf(name),
      timeoutMs: found.minutes * minute,
      live: false,
      filters: [],
    })
    if (failed > 0) throw new Error(`${name}: ${note}; the whole log: ${logOf(name)}`)
    return note
  })

/** @param {string} name of a script of dev/openstack @param {number} minutes @param {string[]} [args] */
async function script(name, minutes, args = []) {
  const timeoutMs = minutes * minute
  const { code } = await runLogged(inRoot('dev', 'openstack', name), args, { log: log(name), timeoutMs })
  if (code !== 0) throw new Error(`dev/openstack/${name} failed:\n${tailOf(log(name), 20)}`)
}

/** What `dev/openstack/up` wrote for those who come. @returns {Environment} */
function developmentCloud() {
  const said = readFileSync(path.join(stateFolder, 'openrc'), 'utf8')
  const bus = /OPENSTACK_NOTIFICATIONS_URL='([^']+)'/.exec(said)?.[1] ?? ''
  return {
    OS_CLIENT_CONFIG_FILE: path.join(stateFolder, 'clouds.yaml'),
    MAINSTAY_CLOUD: 'dev-admin',
    MAINSTAY_CLOUD_LOGS: path.join(stateFolder, 'log'),
    OPENSTACK_NOTIFICATIONS_URL: bus,
  }
}

/**
 * The cloud to test on, and whether it was brought up for this.
 *
 * @param {string | undefined} name
 * @returns {Promise<{ environment: Environment, isOurs: boolean }>}
 */
async function findCloud(name) {
  if (name !== undefined) return { environment: { MAINSTAY_CLOUD: name }, isOurs: false }
  if (process.env['OS_AUTH_URL']) return { environment: {}, isOurs: false }
  const isUp = existsSync(path.join(stateFolder, 'run', 'ready'))
  await step('cloud', async () => {
    await script('up', 25, ['--fake-hosts', '2'])
    return isUp ? 'was up' : 'brought up'
  })
  return { environment: developmentCloud(), isOurs: !isUp }
}

/**
 * @param {string} engine
 * @param {readonly string[]} args of vitest
 * @param {Environment} environment
 */
async function test(engine, args, environment) {
  const report = `${log(engine)}.json`
  rmSync(report, { force: true })
  const started = performance.now()
  const { code } = await runLogged(
    inRoot('node_modules', '.bin', 'vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    { log: log(engine), timeoutMs: 120 * minute, env: { MAINSTAY_GUEST_IMAGE: guestImage, ...environment } },
  )
  return { ...tell(engine, started, vitestTally(report, code)), counts: conformanceCounts(report) }
}

/**
 * What `npm test` does in a browser on this machine, on the cloud: the life of a machine.
 *
 * @param {Environment} environment
 */
async function journey(environment) {
  await prepare('build')
  const started = performance.now()
  const tally = await stepOfTests('browser').run({
    log: log('journey'),
    timeoutMs: 30 * minute,
    live: false,
    filters: ['e2e/journeys'],
    env: { ...environment, MAINSTAY_ENGINE: 'openstack' },
  })
  return { ...tell('journey', started, tally), counts: new Map() }
}

/** @param {string} name also of the log @param {number} started @param {import('./lib/reports.mjs').Tally} tally */
function tell(name, started, { passed, failed, note }) {
  const took = seconds((performance.now() - started) / 1000)
  process.stdout.write(
    `${name.padEnd(26)}${`${passed} passed, ${failed} failed, ${note}`.padEnd(40)}${took.padStart(10)}\n`,
  )
  if (failed > 0) process.stdout.write(`${tailOf(log(name), 60)}\n  the whole log: ${log(name)}\n`)
  return { engine: name, passed, failed }
}

/** @param {Environment} environment */
const sweep = (environment) =>
  step('sweep', async () => {
    const program = inRoot('engines', 'src', 'openstack', 'testing', 'sweep-program.ts')
    const { code } = await runLogged(process.execPath, ['--import', 'tsx', program], {
      log: log('sweep'),
      timeoutMs: 10 * minute,
      env: environment,
    })
    if (code !== 0) throw new Error(`what tests made could not be removed:\n${tailOf(log('sweep'), 20)}`)
    return 'the cloud is as it was'
  })

async function main() {
  const words = process.argv.slice(2)
  const second = words.indexOf('--')
  const { values } = parseArgs({
    args: second < 0 ? words : words.slice(0, second),
    options: {
      cloud: { type: 'string' },
      journey: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      'only-cloud': { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      storm: { type: 'string' },
      sweep: { type: 'boolean', default: false },
    },
  })
  const forVitest = second < 0 ? [] : words.slice(second + 1)
  mkdirSync(logFolder, { recursive: true })
  stopChildrenOnInterrupt()
  for (const name of ['dependencies', 'system', 'guest']) await prepare(name)
  const { environment: cloud, isOurs } = await findCloud(values.cloud)
  const run = randomBytes(2).toString('hex')
  const environment = values.sweep ? cloud : { ...cloud, MAINSTAY_TEST_RUN: `${run}-` }
  try {
    if (values.sweep) {
      await sweep(environment)
      return 0
    }
    const embedded = ['--project=node', 'engines/src/embedded/embedded.records.spec.ts']
    const onQemu = ['--project=node', 'engines/src/embedded/embedded.qemu.spec.ts']
    const results =
      values['only-cloud'] || values.storm || values.journey
        ? []
        : [await test('embedded, simulated', embedded, {}), await test('embedded, QEMU', onQemu, {})]
    const files = values.storm ? ['server/src/testing/crash/storm.cloud.spec.ts'] : forVitest
    if (!values.journey)
      results.push(
        await test('OpenStack', ['--project=openstack', ...files], {
          ...environment,
          ...(values.storm && { MAINSTAY_STORM_SECONDS: values.storm }),
          ...(values.record && { MAINSTAY_RECORD: '1' }),
        }),
      )
    const table = conformanceTable(results)
    if (values.journey || files.length === 0) results.push(await journey(environment))
    if (!values.journey)
      process.stdout.write(`\nWhat every engine must do, tests passed of those that ran:\n${table}\n`)
    const sum = (/** @type {'passed' | 'failed'} */ which) => results.reduce((total, one) => total + one[which], 0)
    process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`)
    return sum('failed') > 0 ? 1 : 0
  } finally {
    // also what a run that was broken off has left
    if (!values.sweep) await sweep(environment)
    if (isOurs && !values.keep)
      await step('cloud', async () => {
        await script('down', 5)
        return 'stopped'
      })
  }
}

process.exitCode = await main().catch((error) => {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`)
  return 1
})
