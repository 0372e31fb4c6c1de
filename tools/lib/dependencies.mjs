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

/** @param {{ log: string, timeoutMs?: number, live?: boolean }} options */
export function installDependencies(options) {
  const [command = 'npm', ...first] = npm()
  return runLogged(command, [...first, 'ci', '--include=dev', '--no-audit', '--no-fund'], {
    ...options,
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
  })
}
