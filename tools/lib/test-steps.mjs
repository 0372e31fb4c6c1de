// The steps of `npm test`, in order. Each returns how many of its checks passed and failed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { installCommand, missingPackages, searchPath } from '../system-packages.mjs'
import { installPackages } from './apt.mjs'
import { isBuilt, parts } from './build-parts.mjs'
import { dependenciesLack, installDependencies } from './dependencies.mjs'
import { guestImage, inRoot, isThere, logFolder, root } from './paths.mjs'
import { compilerTally, costsIn, playwrightTally, skipsByReason, toolTally, vitestTally } from './reports.mjs'
import { runLogged } from './run.mjs'
import { tier } from './tier.mjs'

/**
 * @typedef {import('./reports.mjs').Tally} Tally
 * @typedef {{ log: string, timeoutMs: number, live: boolean, filters: readonly string[], env?: Record<string, string>, onCpu?: (ms: number) => void }} Setting
 * @typedef {object} Step
 * @property {string} name
 * @property {number} minutes time limit in the gate; for slower machines, three times the duration on two idle cores
 * @property {readonly import('./tier.mjs').Tier[]} [tiers] that include the step; default: all
 * @property {boolean} [always] runs even if `--only` does not name it, because other steps depend on it
 * @property {readonly string[]} [needs] steps that run before this one if `--only` selects it
 * @property {boolean} [beside] runs in parallel with the previous step; the two are independent
 * @property {(setting: Setting) => Promise<Tally>} run
 */

/** @param {boolean} good @param {string} note @returns {Tally} */
const one = (good, note) => ({ passed: good ? 1 : 0, failed: good ? 0 : 1, note })

const environment = {
  MAINSTAY_GUEST_IMAGE: guestImage,
  PATH: searchPath,
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  PLAYWRIGHT_FORCE_TTY: '0',
  FORCE_COLOR: '0',
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true',
}

/** @param {string} tool of node_modules/.bin @param {readonly string[]} args @param {Setting} setting @param {Record<string, string>} [env] */
const runTool = (tool, args, setting, env = {}) =>
  run(inRoot('node_modules', '.bin', tool), args, { ...setting, env: { ...environment, ...setting.env, ...env } })

/** @param {string} command @param {readonly string[]} args @param {Setting} setting */
async function run(command, args, setting) {
  const outcome = await runLogged(command, args, setting)
  setting.onCpu?.(outcome.cpuMs)
  return outcome
}

/** @param {string} tool @param {readonly string[]} args @param {RegExp} sayingHowMany @returns {Step['run']} */
const counting = (tool, args, sayingHowMany) => async (setting) => {
  const { code, log } = await runTool(tool, args, setting)
  return toolTally(readFileSync(log, 'utf8'), code, sayingHowMany)
}

/** @param {readonly string[]} projects of vitest.config.ts @returns {Step['run']} */
const vitest = (projects) => async (setting) => {
  const [report, costs] = [`${setting.log}.json`, `${setting.log}.costs.json`]
  for (const file of [report, costs]) rmSync(file, { force: true })
  const { code, log } = await runTool(
    'vitest',
    [
      'run',
      ...projects.map((name) => `--project=${name}`),
      ...(tier === 'gate' ? ['--tags-filter=!all'] : []),
      ...['default', 'json', inRoot('tools', 'lib', 'costs', 'reporter.mjs')].map((name) => `--reporter=${name}`),
      `--outputFile.json=${report}`,
      ...setting.filters,
    ],
    setting,
    { MAINSTAY_COST_REPORT: costs },
  )
  return {
    ...vitestTally(report, code, readFileSync(log, 'utf8')),
    ...{ costs: costsIn(costs), skips: skipsByReason(report) },
  }
}

/** @type {Step['run']} */
async function dependencies(setting) {
  const lack = dependenciesLack()
  if (lack === null) return one(true, 'up to date')
  const { code } = await installDependencies(setting)
  return one(code === 0, lack)
}

/** @type {Step['run']} */
async function system(setting) {
  const missing = missingPackages('test')
  if (missing.length === 0) return one(true, 'all installed')
  const failure = await installPackages(missing, setting)
  const left = missingPackages('test')
  if (left.length === 0) return one(true, `installed ${missing.length}`)
  return one(false, `${failure ?? 'some packages are still missing'}. Run as root: ${installCommand(left)}`)
}

/** @type {Step['run']} */
async function types(setting) {
  // lists files only so that they can be counted
  const args = ['--noEmit', '--pretty', 'false', '--listFiles']
  const { code, log } = await runTool('tsc', args, { ...setting, live: false })
  const output = readFileSync(log, 'utf8')
  const problems = output
    .split('\n')
    .filter((line) => !line.startsWith('/'))
    .join('\n')
  writeFileSync(log, problems)
  if (setting.live) process.stdout.write(problems)
  return compilerTally(output, code, root)
}

/** @type {Step['run']} */
async function guest(setting) {
  // the script keeps an image that matches the recipe
  const script = 'tools/guest-image/build.sh'
  if (!isThere(script)) return one(false, `${script} is missing`)
  const { code } = await run('sh', [inRoot(script), guestImage], { ...setting, env: environment })
  const good = code === 0 && existsSync(guestImage)
  return one(good, good ? `${Math.round(statSync(guestImage).size / (1 << 20))} MiB` : `ended with code ${code}`)
}

/** @type {Step['run']} */
async function build(setting) {
  const { code } = await run(process.execPath, [inRoot('tools', 'build.mjs')], { ...setting, env: environment })
  const missing = parts.filter((part) => !isBuilt(part)).map(({ name }) => name)
  return one(code === 0 && missing.length === 0, missing.length === 0 ? 'console, server' : `no ${missing.join(', ')}`)
}

/** @type {Step['run']} */
async function budget(setting) {
  const { code } = await run(process.execPath, [inRoot('tools', 'bundle-budget.mjs')], setting)
  return one(code === 0, code === 0 ? 'kept' : 'exceeded')
}

/** @type {Step['run']} */
async function browser(setting) {
  const report = `${setting.log}.json`
  rmSync(report, { force: true })
  const { code } = await runTool('playwright', ['test', ...setting.filters], setting, {
    MAINSTAY_PLAYWRIGHT_REPORT: report,
  })
  return playwrightTally(report, code)
}

/** Runs an earlier release side by side with this one. Requires a clone with history. @type {Step['run']} */
async function versions(setting) {
  const { code } = await run(process.execPath, [inRoot('tools', 'test-versions.mjs')], setting)
  return one(code === 0, code === 0 ? 'an earlier release next to this one' : `ended with code ${code}`)
}

/** Runs the tests that need several hosts, if this host can start a lab of them. @type {Step['run']} */
async function infrastructure(setting) {
  const isRoot = process.getuid?.() === 0
  const lack = isRoot ? lackOfLab() : 'root'
  if (lack !== null) {
    const failed = isRoot && process.env['CI'] === 'true' ? 1 : 0
    return { passed: 0, failed, skips: new Map([[`a lab of nodes: ${lack}`, 1]]), note: `not run: ${lack}` }
  }
  const { code, log } = await run(process.execPath, [inRoot('tools', 'test-infrastructure.mjs')], setting)
  const [, passed = 0, failed = 1] = /^(\d+) passed, (\d+) failed$/m.exec(readFileSync(log, 'utf8')) ?? []
  return { passed: Number(passed), failed: code === 0 ? 0 : Math.max(1, Number(failed)), note: 'a lab of three nodes' }
}

/** Returns why this host cannot start a lab, or null if it can. */
function lackOfLab() {
  const { status, stderr } = spawnSync(inRoot('dev', 'lab', 'check'), { encoding: 'utf8', timeout: 60_000 })
  return status === 0 ? null : stderr?.trim().replace(/^lab: /, '') || 'dev/lab/check failed'
}

/** Tiers that run other tests in addition to the storms. @type {Step['tiers']} */
const notLong = ['gate', 'all']

const finishedOn = /Finished .*on (\d+) files/

/** @type {readonly Step[]} */
export const steps = [
  { name: 'dependencies', minutes: 10, always: true, run: dependencies },
  { name: 'system', minutes: 15, needs: [], run: system },
  { name: 'types', minutes: 6, tiers: notLong, run: types },
  { name: 'lint', minutes: 6, beside: true, tiers: notLong, run: counting('oxlint', [], finishedOn) },
  { name: 'format', minutes: 3, tiers: notLong, run: counting('oxfmt', ['--check', '.'], finishedOn) },
  {
    name: 'unused',
    minutes: 5,
    beside: true,
    tiers: notLong,
    run: counting('knip', ['--reporter=symbols', '--reporter=./tools/lib/knip-count.mjs'], finishedOn),
  },
  { name: 'checks', minutes: 5, beside: true, tiers: notLong, run: vitest(['checks']) },
  { name: 'guest', minutes: 10, needs: ['system'], beside: true, run: guest },
  { name: 'unit', minutes: 45, needs: ['system', 'guest'], run: vitest(['node', 'console']) },
  { name: 'build', minutes: 6, tiers: notLong, run: build },
  { name: 'budget', minutes: 3, needs: ['build'], tiers: notLong, run: budget },
  { name: 'browser', minutes: 25, needs: ['system', 'guest', 'build'], tiers: notLong, run: browser },
  { name: 'infrastructure', minutes: 25, needs: ['system', 'build'], tiers: ['all'], run: infrastructure },
  { name: 'versions', minutes: 20, needs: ['system'], tiers: ['long'], run: versions },
]

/** @param {string} name */
export const logOf = (name) => path.join(logFolder, `${name}.log`)
