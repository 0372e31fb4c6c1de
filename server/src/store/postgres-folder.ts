import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { commandAs, serviceUser, type Service } from '@mainstay/engines/host/service-users'

/** The user that runs a child process and owns its files; null for the user of this process. */
export type Owner = { uid: number; gid: number } | null

/** Name of the server's role and database. */
export const ROLE = 'mainstay'

/*
 * The kernel authenticates clients on the socket (peer), and only the server's own user is accepted. There is no
 * password that could be stolen, and not even the user that runs PostgreSQL can connect.
 */
const HBA = `# Written by the server at each start.\nlocal all ${ROLE} peer map=server\n`
const identOf = (user: string): string => `# Written by the server at each start.\nserver "${user}" ${ROLE}\n`

/**
 * Path of a folder that is passed to a child process as file descriptor 3, so that the child does not require access to
 * the parent folders.
 */
const AS_FILE_3 = '/proc/self/fd/3'
const hasProc = existsSync('/proc/self/fd')
export const pathForChild = (folder: string): string => (hasProc ? AS_FILE_3 : folder)
export const openForChild = (folder: string): Promise<FileHandle> => open(folder, 'r')

/** The environment for PostgreSQL, without inherited PG* variables and locale settings. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !/^(LANG|LANGUAGE|LC_.*)$/.test(name),
  )
  return { ...Object.fromEntries(kept), LC_ALL: 'C.UTF-8' }
}

/**
 * The user that runs the service with its files in a folder. If the server does not run as root, this is the server's
 * user. Otherwise it is the service's system user, unless a regular user created and owns the data folder.
 */
export async function ownerOf(folder: string, service: Service): Promise<Owner> {
  const own = await serviceUser(service)
  if (!own) return null
  const [parent, found] = await Promise.all([stat(path.dirname(folder)), stat(folder).catch(() => null)])
  return found && found.uid !== 0 && found.uid === parent.uid ? { uid: found.uid, gid: found.gid } : own
}

/** Creates the database cluster on the first start. Throws an error with a message for operators. */
export async function initialise(initdb: string, owner: Owner, folder: string, durable: boolean): Promise<void> {
  // the cluster is created in a temporary folder and then renamed, so that an interrupted start leaves no incomplete
  // cluster
  const making = `${folder}.new`
  await rm(making, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
  await mkdir(making, { mode: 0o700 })
  if (owner) await chown(making, owner.uid, owner.gid)
  const handle = await openForChild(making)
  try {
    const { file, args } = commandAs(owner, initdb, [
      ...['-D', pathForChild(making), '-U', ROLE, '--auth-local=peer', '--auth-host=reject'],
      ...['-E', 'UTF8', '--locale=C.UTF-8', '--locale-provider=builtin', '--no-instructions'],
      ...(durable ? [] : ['--no-sync']),
    ])
    const { code, output } = await run(file, args, handle.fd)
    if (code !== 0) throw new Error(`Cannot set up PostgreSQL in ${folder}: ${output.slice(-2000)}`)
  } finally {
    await handle.close()
  }
  await rename(making, folder)
}

/**
 * Allows only the user of this process to connect. Returns whether the configuration changed, in which case a running
 * server has not read it yet.
 */
export async function restrictAccess(owner: Owner, folder: string): Promise<boolean> {
  const wanted = { 'pg_hba.conf': HBA, 'pg_ident.conf': identOf(userInfo().username) }
  let isNew = false
  for (const [name, text] of Object.entries(wanted)) {
    const file = path.join(folder, name)
    if ((await readFile(file, 'utf8').catch(() => null)) === text) continue
    isNew = true
    // create a new file, so that a symlink in its place is not followed
    await rm(`${file}.new`, { force: true })
    const handle = await open(`${file}.new`, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      if (owner) await handle.chown(owner.uid, owner.gid)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(`${file}.new`, file)
  }
  return isNew
}

/** Transfers an older server's files, which belong to another user, to the current owner. */
export async function handOver(owner: Owner, folder: string): Promise<void> {
  if (!owner || (await stat(folder)).uid === owner.uid) return
  const { code, output } = await run('chown', ['-R', '-h', '-P', `${owner.uid}:${owner.gid}`, folder])
  if (code !== 0) throw new Error(`Cannot change the owner of ${folder} to its service user: ${output.slice(-500)}`)
}

function run(file: string, args: readonly string[], third?: number): Promise<{ code: number | null; output: string }> {
  const output: Buffer[] = []
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe', ...(third === undefined ? [] : [third])] as const
    const child = spawn(file, args, { cwd: '/', env: environment(), stdio: [...stdio] })
    child.stdout!.on('data', (chunk: Buffer) => output.push(chunk))
    child.stderr!.on('data', (chunk: Buffer) => output.push(chunk))
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output: Buffer.concat(output).toString() }))
  })
}
