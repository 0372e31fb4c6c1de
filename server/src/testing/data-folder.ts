import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { findPostgresBinaries } from '../store/postgres-binaries'
import { initialise, ownerOf } from '../store/postgres-folder'

/** Where the global setup says that a data folder is, to be copied. */
const TEMPLATE_VARIABLE = 'MAINSTAY_TEST_DATA_FOLDER'

/** Makes the data folder that others are copied from: its database is set up and has never run. */
export async function makeDataTemplate(folder: string): Promise<void> {
  const postgres = path.join(folder, 'postgres')
  const owner = await ownerOf(postgres, 'db')
  const { initdb } = await findPostgresBinaries(owner !== null)
  await initialise(initdb, owner, postgres, false)
  process.env[TEMPLATE_VARIABLE] = folder
}

/** Gives a data folder a database that is set up and has never run: what a server does at its first start, in a tenth of the time. */
export async function setUpDatabaseIn(folder: string): Promise<void> {
  const template = process.env[TEMPLATE_VARIABLE]
  if (!template)
    throw new Error(
      'There is no data folder: vitest has to run with testing/postgres/global-setup.ts as its globalSetup',
    )
  // its files belong to the user of the database, which Node does not copy
  await promisify(execFile)('cp', ['-a', path.join(template, 'postgres'), path.join(folder, 'postgres')])
}

/** A new data folder, with such a database. */
export async function newDataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-data-'))
  await setUpDatabaseIn(folder)
  return folder
}
