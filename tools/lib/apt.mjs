import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { findCommand } from '../system-packages.mjs'
import { runLogged } from './run.mjs'

/** @typedef {import('../system-packages.mjs').SystemPackage} SystemPackage */

const quiet = /** @type {const} */ ({ stdio: 'ignore' })

/** @returns {readonly string[] | null} prefix for apt-get commands, or null if the required privileges are missing */
function privilege() {
  if (!findCommand('apt-get')) return null
  if (process.getuid?.() === 0) return []
  const sudo = findCommand('sudo')
  return sudo && spawnSync(sudo, ['-n', 'true'], quiet).status === 0 ? [sudo, '-n'] : null
}

/**
 * @param {readonly SystemPackage[]} packages
 * @param {{ log: string, timeoutMs?: number, live?: boolean, onLine?: (line: string) => void }} options
 * @returns {Promise<string | null>} why the installation failed, or null
 */
export async function installPackages(packages, options) {
  const before = privilege()
  if (before === null) return 'installing needs apt-get, and root or passwordless sudo'
  const settings = [
    'DPkg::Lock::Timeout=120',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=15',
    'Acquire::https::Timeout=15',
  ].flatMap((setting) => ['-o', setting])
  const apt = [...before, 'env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', 'apt-get', ...settings, '-q']
  const install = [...apt, 'install', '-y', '--no-install-recommends', ...packages.map(({ name }) => name)]
  /** @param {readonly string[]} words */
  const run = ([command = 'apt-get', ...args]) => runLogged(command, args, options)

  for (const { answers } of packages)
    if (answers !== undefined)
      await run([...before, 'sh', '-c', 'printf "%s\\n" "$1" | debconf-set-selections', 'sh', answers])
  for (const { masked } of packages)
    if (masked !== undefined)
      await run([
        ...before,
        'sh',
        '-c',
        'mkdir -p "$1" && ln -sf /dev/null "$1/$2"',
        'sh',
        '/etc/systemd/system',
        masked,
      ])
  await run([...apt, 'update']) // ignore failures, because outdated package lists may be sufficient
  const { code, log } = await run(install)
  if (code === 0) return null
  const isAway = /Temporary failure resolving|Could not resolve|Could not connect|Connection timed out/.test(
    readFileSync(log, 'utf8'),
  )
  return `${isAway ? "Debian's package archive cannot be reached" : 'apt-get failed'}, see ${log}`
}
