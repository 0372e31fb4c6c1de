import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, open, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { userInfo } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { commandAs, serviceUser, type Service } from '@mainstay/engines/host/service-users'

/** Who a child with files of its own runs as and its files belong to; null: the user of this process. */
export type Owner = { uid: number; gid: number } | null

/** The name of the role and of the database that the server uses. */
export const ROLE = 'mainstay'

/*
 * Whoever comes in by the socket is who the kernel says that they are, and only the server's own user is let in: there
 * is no password that could be read, and not even the user whom the database runs as can use it.
 */
const HBA = `# Written by the server at each start.\nlocal all ${ROLE} peer map=server\n`
const identOf = (user: string): string => `# Written by the server at each start.\nserver "${user}" ${ROLE}\n`

/** What a child that was given the folder as its file 3 calls it: there, folders above it need not be entered. */
const AS_FILE_3 = '/proc/self/fd/3'
const hasProc = existsSync('/proc/self/fd')
export const pathForChild = (folder: string): string => (hasProc ? AS_FILE_3 : folder)
export const openForChild = (folder: string): Promise<FileHandle> => open(folder, 'r')

/** PG* variables of whoever starts the server must not steer this one. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PG') && !/^(LANG|LANGUAGE|LC_.*)$/.test(name),
  )
  return { ...Object.fromEntries(kept), LC_ALL: 'C.UTF-8' }
}

/**
 * Who runs the service that keeps its files in a folder. An ordinary server itself. Root: the system user of the service, except
 * where an ordinary user made the data folder and goes on owning it.
 */
export async function ownerOf(folder: string, service: Service): Promise<Owner> {
  const own = await serviceUser(service)
  if (!own) return null
  const [parent, found] = await Promise.all([stat(path.dirname(folder)), stat(folder).catch(() => null)])
  return found && found.uid !== 0 && found.uid === parent.uid ? { uid: found.uid, gid: found.gid } : own
}

/** Makes the database on the first start. Throws an error for people. */
export async function initialise(initdb: string, owner: Owner, folder: string, durable: boolean): Promise<void> {
  // made beside and renamed: a start that was broken off leaves no half of a database
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
    if (code !== 0) throw new Error(`PostgreSQL could not be set up in ${folder}: ${output.slice(-2000)}`)
  } finally {
    await handle.close()
  }
  await rename(making, folder)
}

/** Lets nobody in but the user of this process. Answers whether that is new: who runs already does not know it. */
export async function restrictAccess(owner: Owner, folder: string): Promise<boolean> {
  const wanted = { 'pg_hba.conf': HBA, 'pg_ident.conf': identOf(userInfo().username) }
  let isNew = false
  for (const [name, text] of Object.entries(wanted)) {
    const file = path.join(folder, name)
    if ((await readFile(file, 'utf8').catch(() => null)) === text) continue
    isNew = true
    // made anew, so that a link in its place leads nowhere
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

/** Gives the files of an older server, which let another user own them, to whom they belong now. */
export async function handOver(owner: Owner, folder: string): Promise<void> {
  if (!owner || (await stat(folder)).uid === owner.uid) return
  const { code, output } = await run('chown', ['-R', '-h', '-P', `${owner.uid}:${owner.gid}`, folder])
  if (code !== 0) throw new Error(`${folder} could not be given to the user of its service: ${output.slice(-500)}`)
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
