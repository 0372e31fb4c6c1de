// `npm start`: from a clone to a running server. Uses nothing but Node itself until the packages are installed.
// Words after `--` go to the server.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { installPackages } from './lib/apt.mjs'
import { buildIfChanged } from './lib/build-parts.mjs'
import { dependenciesLack, installDependencies } from './lib/dependencies.mjs'
import { inRoot } from './lib/paths.mjs'
import { withFewRights } from './lib/root-rights.mjs'
import { seconds, stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'
import { installCommand, missingPackages } from './system-packages.mjs'

const logs = inRoot('.cache', 'start-logs')
const triedStamp = inRoot('.cache', 'system-packages-tried')

/** With a cloud behind it this machine runs no virtual machines, unless it is an engine as well. */
const hasCloud =
  !process.env['MAINSTAY_ENGINE']?.startsWith('embedded') &&
  (process.argv.some((word) => word === '--cloud' || word.startsWith('--cloud=')) ||
    Boolean(process.env['MAINSTAY_CLOUD']) ||
    process.env['MAINSTAY_ENGINE'] === 'openstack')

/** @param {string} name @param {() => Promise<string>} work its answer is what there is to say */
async function step(name, work) {
  const started = performance.now()
  const said = await work()
  const took = seconds((performance.now() - started) / 1000)
  process.stdout.write(`  ${name.padEnd(17)}${said.padEnd(44)}${took.padStart(8)}\n`)
}

/** @param {string} what @param {string} log */
function giveUp(what, log) {
  process.stderr.write(`\n${tailOf(log, 25)}\n\n${what}. The whole log: ${log}\n`)
  process.exit(1)
}

async function dependencies() {
  const lack = dependenciesLack()
  if (lack === null) return 'up to date'
  const { code, log } = await installDependencies({ log: `${logs}/npm-ci.log` })
  if (code !== 0) giveUp('npm ci failed', log)
  return `installed (${lack})`
}

/** A failed attempt is not repeated at every start: the second start of the day must be quick, online or not. */
function triedToday(/** @type {string} */ names) {
  try {
    const [what, at] = readFileSync(triedStamp, 'utf8').split('\n')
    return what === names && Date.now() - Number(at) < 86_400_000
  } catch {
    return false
  }
}

async function system() {
  if (hasCloud) return 'not needed: there is a cloud'
  const missing = missingPackages('run')
  if (missing.length === 0) return 'all there'
  const names = missing.map(({ name }) => name).join(' ')
  if (triedToday(names)) return `missing: ${names}`
  const failure = await installPackages(missing, { log: `${logs}/apt.log` })
  const still = missingPackages('run')
  if (still.length === 0) {
    rmSync(triedStamp, { force: true })
    return `installed ${names}`
  }
  mkdirSync(inRoot('.cache'), { recursive: true })
  writeFileSync(triedStamp, `${names}\n${Date.now()}`)
  if (failure) process.stdout.write(`  system packages  ${failure}\n`)
  return `missing: ${names}`
}

function explainMissing() {
  if (hasCloud) return
  const missing = missingPackages('run')
  if (missing.length === 0) return
  const lines = missing.map(({ name, purpose }) => `    ${name.padEnd(18)}${purpose}`)
  process.stdout.write(
    `\n  Mainstay runs without these, but not all of it:\n${lines.join('\n')}\n` +
      `  Install them with: ${installCommand(missing)}\n\n`,
  )
}

async function build() {
  const { built, failed } = await buildIfChanged(logs)
  if (failed) giveUp(`building the ${failed.name} failed`, failed.log)
  return built.length === 0 ? 'unchanged' : `built ${built.join(' and ')}`
}

async function prepare() {
  stopChildrenOnInterrupt()
  process.stdout.write('\n')
  await step('dependencies', dependencies)
  await step('system packages', system)
  await step('build', build)
  explainMissing()
  process.stdout.write('\n')
  // from here on the signals are the server's
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
}

await prepare()

const main = inRoot('server', 'dist', 'main.js')
const fewRights = withFewRights([process.execPath, '--enable-source-maps', main, ...process.argv.slice(2)])
if (fewRights) {
  // rights are given up for good by a process that begins without them
  const server = spawn(fewRights.file, fewRights.args, { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => server.kill(signal))
  server.once('error', (error) => {
    process.stderr.write(`The server could not be started: ${error.message}\n`)
    process.exit(1)
  })
  server.once('close', (code) => process.exit(code ?? 1))
} else {
  // in this very process: nothing stands between it and a signal, the terminal or the environment
  process.argv.splice(1, 1, main)
  process.setSourceMapsEnabled(true)
  await import(pathToFileURL(main).href)
}
