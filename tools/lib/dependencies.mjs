import { readFileSync } from 'node:fs'
import process from 'node:process'
import { inRoot } from './paths.mjs'
import { runLogged } from './run.mjs'

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, link?: boolean, resolved?: string }>} Packages */

/** @param {string} file @returns {Packages} */
const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages

/**
 * What npm wrote down while installing is compared with the lockfile, not file times: a checkout changes times
 * and no content, and `npm install` in another branch changes content and perhaps no time.
 *
 * @param {Packages} wanted of package-lock.json
 * @param {Packages} installed of node_modules/.package-lock.json
 * @returns {string[]} paths of packages that are missing or differ
 */
export const outdatedPackages = (wanted, installed) =>
  Object.entries(wanted).flatMap(([name, { version, integrity, optional, devOptional, link }]) => {
    if (!name.includes('node_modules/')) return []
    const found = installed[name]
    // those for other systems are never installed
    if (!found) return optional || devOptional ? [] : [name]
    if (link) return found.link ? [] : [name]
    return found.version === version && found.integrity === integrity ? [] : [name]
  })

/** @returns {string | null} why an installation is needed */
export function dependenciesLack() {
  try {
    const outdated = outdatedPackages(
      packagesOf(inRoot('package-lock.json')),
      packagesOf(inRoot('node_modules', '.package-lock.json')),
    )
    return outdated.length > 0 ? `${outdated.length} differ from package-lock.json` : null
  } catch {
    return 'not installed'
  }
}

/** The npm that started us, or else the one on the path. */
const npm = () => {
  const script = process.env['npm_execpath']
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}

/** Network faults as Node and npm name them, and what each means. @type {Record<string, string>} */
const networkFaults = {
  ENOTFOUND: 'its name is unknown to the name server',
  EAI_AGAIN: 'the name server does not answer',
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it ends connections',
  ETIMEDOUT: 'it does not answer',
  ERR_SOCKET_TIMEOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'this machine has no network',
}
const REGISTRY_WITHIN_MS = 15_000

/**
 * Why the npm registry cannot be reached, from what `npm ping` wrote.
 *
 * @param {string} output
 * @param {boolean} timedOut
 * @returns {string | null} null where it was reached, whatever it answered
 */
export function registryFaultIn(output, timedOut) {
  const code = Object.keys(networkFaults).find((name) => new RegExp(`\\b${name}\\b`).test(output))
  if (code !== undefined) return networkFaults[code] ?? null
  return timedOut ? 'it does not answer' : null
}

/**
 * Asks whether the npm registry can be reached, as npm itself repeats failed requests for minutes.
 *
 * @param {{ log: string }} options
 * @returns {Promise<string | null>} a sentence about what is wrong and what to do; null where nothing is
 */
export async function registryFault({ log }) {
  // whoever works offline has a full cache
  if (process.env['npm_config_offline'] === 'true') return null
  const [command = 'npm', ...first] = npm()
  const words = [...first, 'ping', '--fetch-retries=0', `--fetch-timeout=${REGISTRY_WITHIN_MS - 5000}`]
  const { code, timedOut } = await runLogged(command, words, { log, timeoutMs: REGISTRY_WITHIN_MS })
  const fault = code === 0 ? null : registryFaultIn(readFileSync(log, 'utf8'), timedOut)
  return fault === null
    ? null
    : `The packages that Mainstay needs could not be fetched: the npm registry cannot be reached, as ${fault}.\n` +
        'Connect this machine to the network, or configure npm for your proxy or registry, and run npm start again.'
}

/** @param {{ log: string, timeoutMs?: number, live?: boolean, onLine?: (line: string) => void }} options */
export function installDependencies(options) {
  const [command = 'npm', ...first] = npm()
  // by the requests that it logs, the start shows how far it is
  const words = ['ci', '--include=dev', '--no-audit', '--no-fund', ...(options.onLine ? ['--loglevel=http'] : [])]
  return runLogged(command, [...first, ...words], {
    ...options,
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  })
}

/** How many packages the lockfile has; those for other systems are never fetched. */
export const lockedPackages = () =>
  Object.entries(packagesOf(inRoot('package-lock.json'))).filter(
    ([name, { link, optional, devOptional }]) => name.includes('node_modules/') && !link && !optional && !devOptional,
  ).length
