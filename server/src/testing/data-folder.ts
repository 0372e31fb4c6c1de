import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { findPostgresBinaries } from '../store/postgres-binaries'
import { initialise, ownerOf } from '../store/postgres-folder'

/** Environment variable in which the global setup passes the path of the data folder to copy. */
const TEMPLATE_VARIABLE = 'MAINSTAY_TEST_DATA_FOLDER'

/** Creates the data folder that specs copy. Its database is set up, but no server has ever run on it. */
export async function makeDataTemplate(folder: string): Promise<void> {
  const postgres = path.join(folder, 'postgres')
  const owner = await ownerOf(postgres, 'db')
  const { initdb } = await findPostgresBinaries(owner !== null)
  await initialise(initdb, owner, postgres, false)
  process.env[TEMPLATE_VARIABLE] = folder
}

/** Sets up an unused database in a data folder, ten times faster than the first start of a server. */
export async function setUpDatabaseIn(folder: string): Promise<void> {
  const template = process.env[TEMPLATE_VARIABLE]
  if (!template)
    throw new Error(
      'There is no data folder: vitest has to run with testing/postgres/global-setup.ts as its globalSetup',
    )
  // the files belong to the database user, and copying with Node would not keep the owner
  await promisify(execFile)('cp', ['-a', path.join(template, 'postgres'), path.join(folder, 'postgres')])
}

/** Creates a data folder with such a database. */
export async function newDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-data-'))
  await setUpDatabaseIn(folder)
  return folder
}
