import { execFile } from 'node:child_process'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findProgram } from './programs'

/*
 * If the server runs as root, it runs its child processes as separate system users, so that none of them runs as root,
 * shares `nobody` with unrelated programs, or can read another's files. If an ordinary user runs the server, its child
 * processes run as that user.
 */

const run = promisify(execFile)

/**
 * Services that have their own system user: the database, virtual machines, the worker that inspects untrusted files,
 * dnsmasq (which parses packets from guests), the HAProxy that identifies guests to the metadata service, load
 * balancers, strongSwan, and the metrics store.
 */
export type Service = 'db' | 'vm' | 'files' | 'dns' | 'metadata' | 'lb' | 'vpn' | 'metrics'

export interface ServiceUser {
  name: string
  uid: number
  gid: number
}

const nameOf = (service: Service): string => `mainstay-${service}`
const known = new Map<Service, Promise<ServiceUser>>()
const ATTEMPTS = 5

/**
 * Returns the system user that a service runs as, created if missing, or null if the server does not run as root.
 * Throws a user-facing error if it cannot be created.
 */
export async function serviceUser(service: Service): Promise<ServiceUser | null> {
  if (process.getuid?.() !== 0) return null
  const found = known.get(service) ?? findOrMake(nameOf(service))
  known.set(service, found)
  // retry the lookup on the next call
  found.catch(() => known.delete(service))
  return found
}

async function findOrMake(name: string): Promise<ServiceUser> {
  let why: unknown
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const user = await lookUp(name)
    if (user) return user
    // another server may be creating the user or holding the lock on the password file
    await run(program('useradd'), [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
      name,
    ]).catch(async (error: unknown) => {
      why = error
      await sleep(200 * (attempt + 1))
    })
  }
  const user = await lookUp(name)
  if (user) return user
  const reason = why instanceof Error ? why.message.trim() : 'unknown'
  throw new Error(
    `The server runs as root and cannot create the system user ${name} for its child processes (${reason}): ` +
      `create it with "useradd --system --no-create-home --shell /usr/sbin/nologin ${name}", or run the server as an ordinary user`,
  )
}

async function lookUp(name: string): Promise<ServiceUser | null> {
  const entry = await run('getent', ['passwd', name]).then(
    ({ stdout }) => stdout.trim().split(':'),
    () => null,
  )
  if (!entry) return null
  const [uid, gid] = [Number(entry[2]), Number(entry[3])]
  if (!(uid > 0) || !(gid > 0))
    throw new Error(`The user ${name} must not be root, but its user ID is ${entry[2]} and its group ID is ${entry[3]}`)
  return { name, uid, gid }
}

/**
 * Returns a command line that switches to `user` and permanently drops privileges before it runs the program: the
 * program keeps only the given groups and capabilities, and cannot gain others. Returns the command unchanged if `user`
 * is null.
 */
export function commandAs(
  user: Pick<ServiceUser, 'uid' | 'gid'> | null,
  file: string,
  args: readonly string[],
  more: { groups?: readonly (string | number)[]; capabilities?: readonly string[] } = {},
): { file: string; args: string[] } {
  if (!user) return { file, args: [...args] }
  const { groups = [], capabilities = [] } = more
  const kept = ['-all', ...capabilities.map((name) => `+${name}`)].join(',')
  return {
    file: program('setpriv'),
    args: [
      `--reuid=${user.uid}`,
      `--regid=${user.gid}`,
      groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`,
      `--inh-caps=${kept}`,
      `--ambient-caps=${kept}`,
      `--bounding-set=${kept}`,
      '--no-new-privs',
      '--',
      file,
      ...args,
    ],
  }
}

/**
 * Returns a command line for a program that a root server runs as root. Limits the program and its child processes to
 * these capabilities. With `canGain`, child processes can gain them through file capabilities, regardless of their
 * user.
 */
export function commandWithin(
  capabilities: readonly string[],
  file: string,
  args: readonly string[],
  { canGain = false } = {},
): { file: string; args: string[] } {
  const kept = ['-all', ...capabilities.map((name) => `+${name}`)].join(',')
  const words = [
    `--bounding-set=${kept}`,
    '--inh-caps=-all',
    ...(canGain ? [] : ['--no-new-privs']),
    '--',
    file,
    ...args,
  ]
  return { file: program('setpriv'), args: words }
}

/** Throws a user-facing error if the program is missing. */
function program(name: string): string {
  const file = findProgram(name)
  if (file !== null) return file
  throw new Error(
    `The program ${name} is missing: install it (packages passwd and util-linux), or run the server as an ordinary user`,
  )
}
