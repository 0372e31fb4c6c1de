// `npm run test:openstack`: tests the OpenStack engine on a real cloud and the embedded engine, and compares how many
// conformance tests they pass.
//   --cloud NAME      entry in clouds.yaml; default: the cloud from OS_*, otherwise one started by dev/openstack/up
//   --keep            keeps the cloud that was started for this run
//   --only-cloud      skips the embedded engine
//   --storm SECONDS   only runs two servers with random commands and kills, then compares index and cloud row by row
//   --journey         only runs the browser journeys
//   --sweep           only removes objects that earlier runs left in the cloud
//   --record          also records the cloud's responses for specs that run without a cloud
//   arguments after a second -- are passed to Vitest: file names, -t 'title of a test'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { conformanceTable } from './lib/conformance-table.mjs'
import { logOfEngine, prepare, step, stepOfTests, tell, tellSum, testEngine } from './lib/engine-tests.mjs'
import { inRoot, logFolder } from './lib/paths.mjs'
import { runLogged, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

/** @typedef {import('./lib/engine-tests.mjs').Environment} Environment */

const minute = 60_000
const stateFolder = process.env['OPENSTACK_DIR'] ?? '/var/tmp/openstack-dev'
const log = (/** @type {string} */ name) => logOfEngine('openstack', name)

/** @param {string} name of a script in dev/openstack @param {number} minutes @param {string[]} [args] */
async function script(name, minutes, args = []) {
  const timeoutMs = minutes * minute
  const { code } = await runLogged(inRoot('dev', 'openstack', name), args, { log: log(name), timeoutMs })
  if (code !== 0) throw new Error(`dev/openstack/${name} failed:\n${tailOf(log(name), 20)}`)
}

/** Reads the environment that `dev/openstack/up` wrote for clients. @returns {Environment} */
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
 * Finds the cloud to run the tests on. `isOurs`: it was started for this run.
 *
 * @param {string | undefined} name
 * @returns {Promise<{ environment: Environment, isOurs: boolean }>}
 */
async function findCloud(name) {
  if (name !== undefined) return { environment: { MAINSTAY_CLOUD: name }, isOurs: false }
  if (process.env['OS_AUTH_URL']) return { environment: {}, isOurs: false }
  const isUp = existsSync(path.join(stateFolder, 'run', 'ready'))
  await step('cloud', async () => {
    await script('up', 25, ['--fake-hosts', '2', '--balancers', '--vpn'])
    return isUp ? 'already running' : 'started'
  })
  return { environment: developmentCloud(), isOurs: !isUp }
}

/**
 * @param {string} engine
 * @param {readonly string[]} args of vitest
 * @param {Environment} environment
 */
const test = (engine, args, environment) => testEngine(engine, log(engine), args, environment)

/**
 * Runs the browser journeys from `npm test` on the cloud.
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
  return { ...tell('journey', log('journey'), started, tally), counts: new Map() }
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
    if (code !== 0) throw new Error(`objects created by tests could not be removed:\n${tailOf(log('sweep'), 20)}`)
    return 'objects of tests removed'
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
    const embedded = ['--project=node', 'engines/src/embedded/embedded.records.all.spec.ts']
    const onQemu = ['--project=node', 'engines/src/embedded/embedded.qemu.all.spec.ts']
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
    if (!values.journey) process.stdout.write(`\nConformance of the engines, tests passed of tests run:\n${table}\n`)
    return tellSum(results)
  } finally {
    // also removes the objects from an aborted run
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
