// `npm run test:ceph`: tests an attached Ceph cluster, and object storage on a real Ceph Object Gateway and on the embedded engine, and compares how
// many conformance tests they pass. Uses the gateway from MAINSTAY_RGW_ENDPOINT and its keys, or starts one with
// dev/ceph/up (as root) in a separate state folder and on free ports, and removes it at the end.
//   --keep         keeps the Ceph that was started for this run
//   --only-ceph    skips the embedded engine
//   arguments after a second -- are passed to Vitest: file names, -t 'title of a test'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { conformanceTable } from './lib/conformance-table.mjs'
import { logOfEngine, prepare, step, tellSum, testEngine } from './lib/engine-tests.mjs'
import { inRoot, logFolder } from './lib/paths.mjs'
import { runLogged, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

/** @typedef {import('./lib/engine-tests.mjs').Environment} Environment */

const log = (/** @type {string} */ name) => logOfEngine('ceph', name)

/** Finds ports that are currently free. @param {number} count @returns {Promise<number[]>} */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise((resolve, reject) => {
          server.once('error', reject)
          server.listen(0, '127.0.0.1', () =>
            resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
          )
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** @param {'up' | 'down'} name of a script in dev/ceph @param {string[]} args @param {Environment} environment */
async function script(name, args, environment) {
  const { code } = await runLogged(inRoot('dev', 'ceph', name), args, {
    ...{ log: log(name), timeoutMs: 15 * 60_000, env: environment },
  })
  if (code !== 0) throw new Error(`dev/ceph/${name} failed:\n${tailOf(log(name), 20)}`)
}

/** Returns settings for `dev/ceph/up` that avoid conflicts with another Ceph. @returns {Promise<Environment>} */
async function placeOfItsOwn() {
  const [rgw, mon, osd] = /** @type {[number, number, number]} */ (await freePorts(3))
  // the OSD uses the first free ports in its range
  const first = Math.min(osd, 65_400)
  return {
    CEPH_DIR: `/var/tmp/mainstay-ceph-test-${process.pid}`,
    CEPH_MANAGER: '1',
    ...{ CEPH_RGW_PORT: String(rgw), CEPH_MON_PORT: String(mon), CEPH_OSD_PORTS: `${first}-${first + 100}` },
  }
}

/** Reads the environment that `dev/ceph/up` wrote for clients. @param {string} folder @returns {Environment} */
const written = (folder) =>
  Object.fromEntries(
    readFileSync(path.join(folder, 'env'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => /** @type {[string, string]} */ (line.split(/=(.*)/s).slice(0, 2))),
  )

async function main() {
  const words = process.argv.slice(2)
  const second = words.indexOf('--')
  const { values } = parseArgs({
    args: second < 0 ? words : words.slice(0, second),
    options: { keep: { type: 'boolean', default: false }, 'only-ceph': { type: 'boolean', default: false } },
  })
  const forVitest = second < 0 ? [] : words.slice(second + 1)
  mkdirSync(logFolder, { recursive: true })
  stopChildrenOnInterrupt()
  for (const name of ['dependencies', 'system']) await prepare(name)
  const place = process.env['MAINSTAY_RGW_ENDPOINT'] ? null : await placeOfItsOwn()
  try {
    if (place)
      await step('Ceph', async () => {
        await script('up', [], place)
        return 'started'
      })
    const results = values['only-ceph']
      ? []
      : [await testEngine('embedded', log('embedded'), ['--project=node', 'engines/src/s3/s3.spec.ts'], {})]
    const environment = place ? written(/** @type {string} */ (place['CEPH_DIR'])) : {}
    results.push(await testEngine('Ceph RGW', log('rgw'), ['--project=ceph', ...forVitest], environment))
    process.stdout.write(`\nConformance of the engines, tests passed of tests run:\n${conformanceTable(results)}\n`)
    return tellSum(results)
  } finally {
    if (place && values.keep)
      process.stdout.write(`\nCeph keeps running. To stop it: CEPH_DIR=${place['CEPH_DIR']} dev/ceph/down --wipe\n`)
    else if (place)
      await step('Ceph', async () => {
        await script('down', ['--wipe'], place)
        return 'removed'
      })
  }
}

process.exitCode = await main().catch((error) => {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`)
  return 1
})
