import { readFileSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'

/** A command that runs as somebody who is not root, and who that is; `ids` is null when we are not root anyway. */
export interface Unprivileged {
  command(program: string, args: readonly string[]): { file: string; args: string[] }
  ids: { uid: number; gid: number } | null
}

// linux/capability.h
const DAC_OVERRIDE = 1
const DAC_READ_SEARCH = 2

/**
 * How to run a program that refuses to be root and yet has to reach `places` (its own files, its data), even below a
 * folder that only root may enter. Root becomes `owner` (`nobody` where null) and keeps at most one capability: to pass
 * by the read permissions of folders and files. Throws an error for people where that is impossible.
 */
export async function unprivileged(
  places: readonly string[],
  owner: { uid: number; gid: number } | null,
): Promise<Unprivileged> {
  if (process.getuid?.() !== 0) return { ids: null, command: (file, args) => ({ file, args: [...args] }) }
  const ids = owner ?? nobody()
  const setpriv = await findProgram('setpriv')
  if (!setpriv) {
    throw new Error(
      'PostgreSQL does not run as root, and setpriv (util-linux) is missing: install it, or set DATABASE_URL',
    )
  }
  const blocked = (await Promise.all(places.map(openToAll))).find((place) => place !== null)
  const capability = blocked ? reachingCapability() : null
  if (blocked && !capability) {
    throw new Error(
      `PostgreSQL does not run as root, and its user cannot enter ${blocked}: ` +
        'run the server as an ordinary user, choose another MAINSTAY_DATA, or set DATABASE_URL',
    )
  }
  const kept = capability ? `-all,+${capability}` : '-all'
  const switches = [
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    '--clear-groups',
    `--inh-caps=${kept}`,
    `--ambient-caps=${kept}`,
    `--bounding-set=${kept}`,
    // access(2) forgets the capabilities of everybody but root unless told not to
    ...(capability ? ['--securebits=+no_setuid_fixup'] : []),
    '--no-new-privs',
  ]
  return { ids, command: (program, args) => ({ file: setpriv, args: [...switches, '--', program, ...args] }) }
}

function nobody(): { uid: number; gid: number } {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return entry ? { uid: Number(entry[1]), gid: Number(entry[2]) } : { uid: 65534, gid: 65534 }
}

function reachingCapability(): 'dac_read_search' | 'dac_override' | null {
  const held = /^CapPrm:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))
  const bits = held ? BigInt(`0x${held[1]}`) : 0n
  const has = (bit: number): boolean => ((bits >> BigInt(bit)) & 1n) === 1n
  if (has(DAC_READ_SEARCH)) return 'dac_read_search'
  return has(DAC_OVERRIDE) ? 'dac_override' : null
}

/** The first folder on the way that a stranger may not enter, or null. */
async function openToAll(place: string): Promise<string | null> {
  for (let folder = path.dirname(path.resolve(place)); ; folder = path.dirname(folder)) {
    const { mode } = await stat(folder)
    if ((mode & 0o001) === 0) return folder
    if (folder === path.dirname(folder)) return null
  }
}

async function findProgram(name: string): Promise<string | null> {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/bin', '/bin', '/usr/sbin', '/sbin']
  for (const folder of folders.filter(Boolean)) {
    const file = path.join(folder, name)
    const found = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (found) return file
  }
  return null
}
