import { spawn } from 'node:child_process'
import { access, chmod, constants, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../../store/embedded-postgres'
import { makeDataTemplate, setUpDatabaseIn } from '../data-folder'
import { silentLogger } from '../silent-logger'
import { RUN_FOLDER_VARIABLE } from './started'
import { makeTemplate, POSTGRES_VARIABLE, urlOf } from './postgres'

/**
 * Vitest's `globalSetup`: one PostgreSQL for the whole run, either at TEST_DATABASE_URL (as a superuser) or a temporary
 * embedded one, in which specs create their own databases with `testDatabase`. Also a data folder, which specs copy
 * with `newDataFolder`. The repository checks require neither.
 */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.projects.every(({ name }) => name === 'checks')) return undefined
  const parent = await mkdtemp(path.join(await quickFolder(), 'mainstay-test-postgres-'))
  await chmod(parent, 0o755)
  const [template, folder] = [path.join(parent, 'template'), path.join(parent, 'data')]
  for (const one of [template, folder]) await mkdir(one)
  process.env[RUN_FOLDER_VARIABLE] = parent
  const remove = () => rm(parent, { recursive: true, force: true })
  await makeDataTemplate(template)
  const given = process.env['TEST_DATABASE_URL']
  if (given) {
    process.env[POSTGRES_VARIABLE] = given
    await makeTemplate(given)
    return remove
  }
  await setUpDatabaseIn(folder)
  const postgres = await startEmbeddedPostgres({ dataFolder: folder, log: silentLogger, durable: false })
  endWithThisProcess(folder, parent)
  const stop = async (): Promise<void> => {
    await postgres.stop()
    await remove()
  }
  try {
    process.env[POSTGRES_VARIABLE] = urlOf(postgres.connection)
    await makeTemplate(urlOf(postgres.connection))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

const MEMORY_FOLDER = '/dev/shm'
const LEAST_FREE = 4 * 2 ** 30

/**
 * Returns a folder in memory if there is room, otherwise one in the directory for temporary files. Each database has
 * about 1300 files; on ext4, creating and removing them took half of PostgreSQL's CPU time.
 */
async function quickFolder(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = await statfs(MEMORY_FOLDER)
    if (bavail * bsize >= LEAST_FREE) return MEMORY_FOLDER
  } catch {
    // the folder does not exist on this host
  }
  return tmpdir()
}

/**
 * Stops the PostgreSQL server in a data folder and removes `removed` when this process exits, even if it is killed with
 * SIGKILL: the kernel then closes the pipe from which a shell reads.
 */
export function endWithThisProcess(dataFolder: string, removed = dataFolder): void {
  const script = `
    folder="$1/postgres"
    serves() { [ "$(readlink "/proc/$pid/cwd")" = "$folder" ]; }
    cat >/dev/null
    read -r pid <"$folder/postmaster.pid" && serves && kill -QUIT "$pid"
    while serves; do sleep 0.1; done
    rm -rf "$2"`
  const args = ['-c', script, 'sh', dataFolder, removed]
  const watcher = spawn('sh', args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.once('error', () => undefined)
  watcher.unref()
  // the pipe must not keep this process running
  ;(watcher.stdin as unknown as { unref(): void }).unref()
}
