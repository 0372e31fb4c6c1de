import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { startEmbeddedPostgres } from '../store/embedded-postgres'
import { makeDataTemplate, setUpDatabaseIn } from './data-folder'
import { quiet } from './quiet'
import { makeTemplate, POSTGRES_VARIABLE, urlOf } from './postgres'

/**
 * For vitest's `globalSetup`: one PostgreSQL for the whole run, that of TEST_DATABASE_URL (a superuser's) or an
 * embedded one that is thrown away. Specs take databases of their own from it with `testDatabase`. And one data folder,
 * of which specs take copies with `newDataFolder`.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const parent = await mkdtemp(path.join(tmpdir(), 'mainstay-test-postgres-'))
  await chmod(parent, 0o755)
  const [template, folder] = [path.join(parent, 'template'), path.join(parent, 'data')]
  for (const one of [template, folder]) await mkdir(one)
  const remove = () => rm(parent, { recursive: true, force: true })
  await makeDataTemplate(template)
  const given = process.env['TEST_DATABASE_URL']
  if (given) {
    process.env[POSTGRES_VARIABLE] = given
    await makeTemplate(given)
    return remove
  }
  await setUpDatabaseIn(folder)
  const postgres = await startEmbeddedPostgres({ dataFolder: folder, log: quiet, durable: false })
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
