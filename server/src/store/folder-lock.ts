import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'

export interface FolderLock {
  release(): Promise<void>
}

/**
 * Makes this process the only server that uses a folder, until the process ends in any way. Throws an error with the
 * process ID if another server is using the folder.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = path.join(folder, 'server.lock')
  // not truncated, because the file names the current holder
  const handle = await open(file, 'a+', 0o600)
  const taken = await flock(handle.fd)
  if (taken === 'missing') {
    await handle.close()
    return lockByNumber(`${file}.pid`)
  }
  if (taken === 'refused') {
    const holder = (await readFile(file, 'utf8').catch(() => '')).trim()
    await handle.close()
    throw inUse(folder, holder)
  }
  await handle.truncate(0)
  await handle.write(`${process.pid}\n`, 0)
  // the file is kept, because removing it while another process locks it could result in two holders
  return { release: () => handle.close() }
}

const inUse = (folder: string, holder: string): Error =>
  new Error(
    `Another server${holder ? ` (process ${holder})` : ''} is using the folder ${folder}; stop it, or choose another MAINSTAY_DATA`,
  )

// The lock belongs to the open file, which the short-lived child process shares. It therefore outlives the child and is
// released when this process ends.
function flock(fd: number): Promise<'taken' | 'refused' | 'missing'> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['--nonblock', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
    child.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? resolve('missing') : reject(error),
    )
    child.once('exit', (code) => resolve(code === 0 ? 'taken' : 'refused'))
  })
}

// Used if flock(1) is missing: a file with the process ID, which is stale if there is no such process.
async function lockByNumber(file: string): Promise<FolderLock> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await writeFile(file, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
      return { release: () => rm(file, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = Number((await readFile(file, 'utf8').catch(() => '')).trim())
    if (holder > 0 && holder !== process.pid && isAlive(holder)) throw inUse(path.dirname(file), String(holder))
    // if several processes find the stale file, only one of them can rename it
    const aside = `${file}.${process.pid}`
    const seen = await stat(file).catch(() => null)
    await rename(file, aside).catch(() => undefined)
    const moved = await stat(aside).catch(() => null)
    if (seen && moved && seen.ino !== moved.ino) await rename(aside, file).catch(() => undefined)
    else await rm(aside, { force: true })
  }
  throw inUse(path.dirname(file), '')
}

/** Whether a process is running. Returns false for zombies. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return !existsSync('/proc/self')
  }
}
