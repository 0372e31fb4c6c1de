// `npm run test:infrastructure`: tests what Mainstay does with other hosts on a lab of three nodes, which it starts
// with dev/lab/up (as root) in a separate folder and network, and removes at the end.
//   --keep         keeps the lab
//   arguments after a second -- are passed to Vitest: file names, -t 'title of a test'
import { mkdirSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { logOfEngine, prepare, step, tellSum, testEngine } from './lib/engine-tests.mjs'
import { inRoot, logFolder } from './lib/paths.mjs'
import { runLogged, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'

const NODES = '3'
const environment = { LAB_DIR: `/var/tmp/mainstay-lab-test-${process.pid}` }
const log = (/** @type {string} */ name) => logOfEngine('infrastructure', name)

/** @param {'up' | 'down'} name of a script in dev/lab @param {string[]} args */
async function script(name, args) {
  const options = { log: log(name), timeoutMs: 20 * 60_000, env: environment }
  const { code } = await runLogged(inRoot('dev', 'lab', name), args, options)
  if (code !== 0) throw new Error(`dev/lab/${name} failed:\n${tailOf(log(name), 20)}`)
}

async function main() {
  const words = process.argv.slice(2)
  const second = words.indexOf('--')
  const args = second < 0 ? words : words.slice(0, second)
  const { values } = parseArgs({ args, options: { keep: { type: 'boolean', default: false } } })
  mkdirSync(logFolder, { recursive: true })
  stopChildrenOnInterrupt()
  for (const name of ['dependencies', 'system']) await prepare(name)
  try {
    await step('lab', async () => {
      await script('up', [NODES])
      return `${NODES} nodes`
    })
    const filters = second < 0 ? [] : words.slice(second + 1)
    return tellSum([await testEngine('nodes', log('nodes'), ['--project=lab', ...filters], environment)])
  } finally {
    if (values.keep)
      process.stdout.write(`\nThe lab keeps running. To remove it: LAB_DIR=${environment.LAB_DIR} dev/lab/down\n`)
    else
      await step('lab', async () => {
        await script('down', [])
        return 'removed'
      })
  }
}

process.exitCode = await main().catch((error) => {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n\n0 passed, 1 failed\n`)
  return 1
})
