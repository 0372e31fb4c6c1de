import { execFile } from 'node:child_process'
import { chown, mkdir } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { asOrdinary } from '@mainstay/engines/embedded/dataplane/testing/driver-process'
import type { ProgramOptions } from '../server-program'

const run = promisify(execFile)

/** ID of the user `nobody`; PostgreSQL requires a user that has a name. */
const ordinary = 65_534
const become = asOrdinary(true, ordinary)

/** Whether ordinary users of this host may create the namespaces and network devices that networking needs. */
const mayHaveNetworks = (): Promise<boolean> => {
  const [file = '', ...words] = become
  const namespaces = ['unshare', '--user', '--map-root-user', '--mount', '--net', '--']
  return run(file, [...words, ...namespaces, 'sh', '-c', 'exec 3<>/dev/net/tun'], { cwd: '/' }).then(
    () => true,
    () => false,
  )
}

type AsUser = Pick<ProgramOptions, 'through'> & { environment: Record<string, string> }

/** Gives the ordinary user the folder, and returns how to start the server as this user. */
async function ownerOf(folder: string, through: readonly string[]): Promise<AsUser> {
  const home = path.join(folder, 'home')
  await mkdir(home)
  for (const place of [folder, home]) await chown(place, ordinary, ordinary)
  return { through, environment: { HOME: home } }
}

/**
 * Starts the server as an ordinary user who owns its folder. Without root, the current user is already an ordinary one.
 * If the host does not allow ordinary users to do what networking requires, the server is started as the current user.
 */
export async function asOrdinaryUser(folder: string): Promise<AsUser> {
  if (process.getuid?.() !== 0 || !(await mayHaveNetworks())) return { environment: {} }
  return ownerOf(folder, become)
}

/** Like `asOrdinaryUser`, but the user has no access to devices, and the host may refuse what networking requires. */
export async function asRestrictedUser(folder: string): Promise<AsUser> {
  if (process.getuid?.() !== 0) return { environment: {} }
  const user = ['setpriv', `--reuid=${ordinary}`, `--regid=${ordinary}`, '--clear-groups', '--']
  return ownerOf(folder, user)
}
