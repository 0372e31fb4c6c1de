import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** Name of the host in our known hosts file, regardless of its address. */
export const ALIAS = 'node'

const PREFIX = 'mainstay-ssh-'
/** No connection attempt takes this long, so older folders are leftovers. */
const STALE_MS = 5 * 60_000

/** Returns the parent folder for keys, which is in memory where possible. */
const placeOfKeys = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

const inUse = new Set<string>()

/** Writes the keys for a single connection attempt to a new folder. */
export async function writeKeys({ privateKey, hostKey }: { privateKey: string; hostKey: string }): Promise<string> {
  const folder = await mkdtemp(join(placeOfKeys(), `${PREFIX}${process.pid}-`))
  inUse.add(folder)
  const [type = '', blob = ''] = hostKey.trim().split(/\s+/)
  const options = { mode: 0o600 }
  await writeFile(join(folder, 'key'), `${privateKey.trim()}\n`, options)
  await writeFile(join(folder, 'known_hosts'), `${ALIAS} ${type} ${blob}\n`, options)
  return folder
}

/** Removes the keys of a connection attempt. */
export async function removeKeys(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  inUse.delete(folder)
}

/** Removes keys that were left behind by servers that were killed while they connected. */
export async function sweepKeys(place = placeOfKeys()): Promise<void> {
  for (const name of await readdir(place)) {
    const folder = join(place, name)
    if (!name.startsWith(PREFIX) || inUse.has(folder)) continue
    const about = await stat(folder).catch(() => null)
    if (!about || about.uid !== process.getuid?.()) continue
    const pid = Number(/^(\d+)-/.exec(name.slice(PREFIX.length))?.[1])
    const isLeft = pid === process.pid || (pid > 0 && !isRunning(pid)) || Date.now() - about.mtimeMs > STALE_MS
    if (isLeft) await removeKeys(folder)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
