// `npm run test:infrastructure`: tests how Mainstay manages other hosts, in a lab of three nodes. Starts the lab with
// dev/lab/up (as root) in a separate folder and network, and removes it at the end, even if this command is killed.
//   --keep         keeps the lab
//   --only-specs   skips the browser journeys
//   arguments after a second -- are passed to Vitest, and journeys are skipped: file names, -t 'title of a test'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { logOfEngine, prepare, step, stepOfTests, tell, tellSum, testEngine } from './lib/engine-tests.mjs'
import { inRoot, logFolder } from './lib/paths.mjs'
import { runLogged, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

const NODES = '3'
const minute = 60_000
const PLACE = '/var/tmp'
const PREFIX = 'mainstay-lab-test-'
const down = inRoot('dev', 'lab', 'down')
const log = (/** @type {string} */ name) => logOfEngine('infrastructure', name)

/** @param {'up' | 'down'} name of a script in dev/lab @param {string} folder of the lab @param {string[]} args */
async function script(name, folder, args = []) {
  const options = { log: log(name), timeoutMs: 20 * minute, env: { LAB_DIR: folder } }
  const { code } = await runLogged(inRoot('dev', 'lab', name), args, options)
  if (code !== 0) throw new Error(`dev/lab/${name} failed:\n${tailOf(log(name), 20)}`)
}

/** Removes the labs of earlier runs that were killed together with their cleanup processes. */
async function removeOldLabs() {
  const old = readdirSync(PLACE).filter(
    (name) => name.startsWith(PREFIX) && !existsSync(`/proc/${name.slice(PREFIX.length)}`),
  )
  for (const name of old) await script('down', path.join(PLACE, name))
  return `${old.length} old ones removed`
}

/**
 * Starts a process that removes the lab when this process ends, even if it is killed. Returns a function that stops the
 * new process.
 */
function removeAtEnd(/** @type {string} */ folder) {
  const watcher = spawn('sh', ['-c', 'read -r line && exit; exec "$1"', 'sh', down], {
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/', env: { ...process.env, LAB_DIR: folder } },
  })
  watcher.once('error', () => undefined)
  watcher.unref()
  const pipe = /** @type {import('node:net').Socket} */ (watcher.stdin)
  pipe.unref()
  return () => void pipe.end('keep\n')
}

/** Runs the browser journeys that need a lab. @param {Record<string, string>} environment */
async function journeys(environment) {
  await prepare('build')
  const started = performance.now()
  const tally = await stepOfTests('browser').run({
    ...{ log: log('journeys'), timeoutMs: 20 * minute, live: false, filters: ['.lab.e2e.ts'], env: environment },
  })
  return tell('journeys', log('journeys'), started, tally)
}

async function main() {
  const words = process.argv.slice(2)
  const second = words.indexOf('--')
  const args = second < 0 ? words : words.slice(0, second)
  const { values } = parseArgs({
    args,
    options: { keep: { type: 'boolean', default: false }, 'only-specs': { type: 'boolean', default: false } },
  })
  const filters = second < 0 ? [] : words.slice(second + 1)
  // use another prefix for a lab that is kept, so that later runs do not remove it
  const folder = path.join(PLACE, `${values.keep ? 'mainstay-lab-kept-' : PREFIX}${process.pid}`)
  const environment = { LAB_DIR: folder }
  mkdirSync(logFolder, { recursive: true })
  stopChildrenOnInterrupt()
  for (const name of ['dependencies', 'system']) await prepare(name)
  await step('labs', removeOldLabs)
  const keep = removeAtEnd(folder)
  try {
    await step('lab', async () => {
      await script('up', folder, [NODES])
      return `${NODES} nodes`
    })
    const results = [await testEngine('nodes', log('nodes'), ['--project=lab', ...filters], environment)]
    return tellSum(values['only-specs'] || filters.length > 0 ? results : [...results, await journeys(environment)])
  } finally {
    if (values.keep) {
      keep()
      process.stdout.write(`\nThe lab keeps running. To remove it: LAB_DIR=${folder} dev/lab/down\n`)
    } else
      await step('lab', async () => {
        await script('down', folder)
        return 'removed'
      })
  }
}

process.exitCode = await main().catch((error) => {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`)
  return 1
})
