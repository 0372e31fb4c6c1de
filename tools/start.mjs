// `npm start`: prepares a fresh clone and starts the server. Uses only Node's built-in modules until the packages are
// installed. Arguments after `--` are passed to the server.
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { installPackages } from './lib/apt.mjs'
import { buildIfChanged } from './lib/build-parts.mjs'
import { dependenciesLack, installDependencies, lockedPackages, registryFault } from './lib/dependencies.mjs'
import { inRoot } from './lib/paths.mjs'
import { aptProgress, clearLine, following, npmProgress, step } from './lib/progress.mjs'
import { withFewRights } from './lib/root-rights.mjs'
import { stopChildrenOnInterrupt, tailOf } from './lib/run.mjs'
import { missingPackages } from './system-packages.mjs'

const logs = inRoot('.cache', 'start-logs')
const triedStamp = inRoot('.cache', 'system-packages-tried')

/** True if the server manages a cloud and runs no virtual machines on this host. */
const hasCloud =
  !process.env['MAINSTAY_ENGINE']?.startsWith('embedded') &&
  (process.argv.some((word) => word === '--cloud' || word.startsWith('--cloud=')) ||
    Boolean(process.env['MAINSTAY_CLOUD']) ||
    process.env['MAINSTAY_ENGINE'] === 'openstack')

/** Prints the end of a log and the failed step, and exits. @param {string} what @param {string} log */
function giveUp(what, log) {
  clearLine()
  process.stderr.write(`${tailOf(log, 25)}\n\n${what}. Full log: ${log}\n`)
  process.exit(1)
}

/** @typedef {(doing: string) => void} Tell */

/** @param {Tell} tell */
async function dependencies(tell) {
  const lack = dependenciesLack()
  if (lack === null) return 'up to date'
  tell('checking the npm registry')
  const fault = await registryFault({ log: `${logs}/npm-ping.log` })
  if (fault !== null) {
    clearLine()
    process.stderr.write(`${fault}\n`)
    process.exit(1)
  }
  tell('fetching packages')
  const { code, log } = await installDependencies({
    log: `${logs}/npm-ci.log`,
    onLine: following(npmProgress(lockedPackages()), tell),
  })
  if (code !== 0) giveUp('npm could not install the packages', log)
  return `installed (${lack})`
}

/**
 * Returns true if the installation of these packages failed within the last day. It is not retried then, so that later
 * starts are quick, even offline.
 */
function triedToday(/** @type {string} */ names) {
  try {
    const [what, at] = readFileSync(triedStamp, 'utf8').split('\n')
    return what === names && Date.now() - Number(at) < 86_400_000
  } catch {
    return false
  }
}

/** Shows only the number; the server lists the packages when it is ready. @param {readonly unknown[]} missing */
const lack = (missing) => `${missing.length} ${missing.length === 1 ? 'is' : 'are'} missing`

/** @param {Tell} tell */
async function system(tell) {
  const purpose = hasCloud ? 'manage' : 'run'
  const missing = missingPackages(purpose)
  if (missing.length === 0) return 'all installed'
  const names = missing.map(({ name }) => name).join(' ')
  if (triedToday(names)) return lack(missing)
  tell(`installing ${missing.length} Debian packages`)
  const failure = await installPackages(missing, { log: `${logs}/apt.log`, onLine: following(aptProgress(), tell) })
  const still = missingPackages(purpose)
  if (still.length === 0) {
    rmSync(triedStamp, { force: true })
    return `installed ${missing.length} packages`
  }
  mkdirSync(inRoot('.cache'), { recursive: true })
  writeFileSync(triedStamp, `${names}\n${Date.now()}`)
  return `${lack(still)}${failure === null ? '' : `: ${failure}`}`
}

/** @param {Tell} tell */
async function build(tell) {
  const { built, failed } = await buildIfChanged(logs, (part) => tell(`building the ${part}`))
  if (failed) giveUp(`Building the ${failed.name} failed`, failed.log)
  return built.length === 0 ? 'unchanged' : `built ${built.join(' and ')}`
}

async function prepare() {
  stopChildrenOnInterrupt()
  process.stdout.write('\n')
  await step('dependencies', dependencies)
  await step('system packages', system)
  await step('build', build)
  process.stdout.write('  server           starting\n')
  // from here on, the server handles signals
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
}

await prepare()

const main = inRoot('server', 'dist', 'main.js')
const fewRights = withFewRights([process.execPath, '--enable-source-maps', main, ...process.argv.slice(2)])
if (fewRights) {
  // a new process, because capabilities can only be dropped permanently when a process starts
  const server = spawn(fewRights.file, fewRights.args, { stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => server.kill(signal))
  server.once('error', (error) => {
    process.stderr.write(`Cannot start the server: ${error.message}\n`)
    process.exit(1)
  })
  server.once('close', (code) => process.exit(code ?? 1))
} else {
  // in the same process, so that signals, terminal and environment reach the server directly
  process.argv.splice(1, 1, main)
  process.setSourceMapsEnabled(true)
  await import(pathToFileURL(main).href)
}
