import { readFileSync } from 'node:fs'
import process from 'node:process'
import { inRoot } from './paths.mjs'
import { runLogged } from './run.mjs'

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, link?: boolean, resolved?: string }>} Packages */

/** @param {string} file @returns {Packages} */
const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages

/**
 * Compares npm's record of the installation with the lockfile. File times are unreliable: a checkout changes times but
 * not content, and `npm install` on another branch may change content but not times.
 *
 * @param {Packages} wanted of package-lock.json
 * @param {Packages} installed of node_modules/.package-lock.json
 * @returns {string[]} paths of packages that are missing or differ
 */
export const outdatedPackages = (wanted, installed) =>
  Object.entries(wanted).flatMap(([name, { version, integrity, optional, devOptional, link }]) => {
    if (!name.includes('node_modules/')) return []
    const found = installed[name]
    // packages for other platforms are never installed
    if (!found) return optional || devOptional ? [] : [name]
    if (link) return found.link ? [] : [name]
    return found.version === version && found.integrity === integrity ? [] : [name]
  })

/** @returns {string | null} why an installation is required, or null */
export function dependenciesLack() {
  try {
    const outdated = outdatedPackages(
      packagesOf(inRoot('package-lock.json')),
      packagesOf(inRoot('node_modules', '.package-lock.json')),
    )
    return outdated.length > 0 ? `${outdated.length} were missing or outdated` : null
  } catch {
    return 'not installed'
  }
}

/** Returns the command for the npm that started this process, or for the npm on the PATH if there is none. */
const npm = () => {
  const script = process.env['npm_execpath']
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}

/** Node and npm error codes for network errors, with their meanings. @type {Record<string, string>} */
const networkFaults = {
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'the name server does not respond',
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it closes connections',
  ETIMEDOUT: 'it does not respond',
  ERR_SOCKET_TIMEOUT: 'it does not respond',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'this machine has no network connection',
}
const REGISTRY_WITHIN_MS = 15_000

/**
 * Determines from the output of `npm ping` why the npm registry cannot be reached.
 *
 * @param {string} output
 * @param {boolean} timedOut
 * @returns {string | null} null if it was reached, even if it returned an error
 */
export function registryFaultIn(output, timedOut) {
  const code = Object.keys(networkFaults).find((name) => new RegExp(`\\b${name}\\b`).test(output))
  if (code !== undefined) return networkFaults[code] ?? null
  return timedOut ? 'it does not respond' : null
}

/**
 * Checks whether the npm registry can be reached, because npm itself retries failed requests for minutes.
 *
 * @param {{ log: string }} options
 * @returns {Promise<string | null>} what is wrong and how to fix it, or null
 */
export async function registryFault({ log }) {
  // in offline mode, npm uses only its cache
  if (process.env['npm_config_offline'] === 'true') return null
  const [command = 'npm', ...first] = npm()
  const words = [...first, 'ping', '--fetch-retries=0', `--fetch-timeout=${REGISTRY_WITHIN_MS - 5000}`]
  const { code, timedOut } = await runLogged(command, words, { log, timeoutMs: REGISTRY_WITHIN_MS })
  const fault = code === 0 ? null : registryFaultIn(readFileSync(log, 'utf8'), timedOut)
  return fault === null
    ? null
    : `Cannot download the packages that Mainstay needs: the npm registry cannot be reached because ${fault}.\n` +
        'Connect this machine to the network, or configure npm for your proxy or registry, and run npm start again.'
}

/** @param {{ log: string, timeoutMs?: number, live?: boolean, onLine?: (line: string) => void }} options */
export function installDependencies(options) {
  const [command = 'npm', ...first] = npm()
  // `npm start` derives its progress from the logged requests
  const words = ['ci', '--include=dev', '--no-audit', '--no-fund', ...(options.onLine ? ['--loglevel=http'] : [])]
  return runLogged(command, [...first, ...words], {
    ...options,
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  })
}

/** Returns the number of packages in the lockfile, without optional ones, which may be for other platforms. */
export const lockedPackages = () =>
  Object.entries(packagesOf(inRoot('package-lock.json'))).filter(
    ([name, { link, optional, devOptional }]) => name.includes('node_modules/') && !link && !optional && !devOptional,
  ).length
