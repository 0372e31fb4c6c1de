import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Personas } from '../personas'
import { oneAtATime, testDatabase, testPool, type TestDatabase } from './postgres'

/** Environment variable with the folder for this test run, which the global setup removes at the end. */
export const RUN_FOLDER_VARIABLE = 'MAINSTAY_TEST_RUN_FOLDER'

/** Environment variables that affect what a server writes on its first start. */
const decisive = new Set([
  'MAINSTAY_DATA',
  'MAINSTAY_ADMIN_PASSWORD',
  'MAINSTAY_AREAS',
  'MAINSTAY_CLOUD',
  'MAINSTAY_ENGINE',
  'MAINSTAY_RGW_ENDPOINT',
  'MAINSTAY_SEALING_KEY',
  'MAINSTAY_S3_KMS_KEYS',
  'DATABASE_URL',
])

/** Whether a server with this environment can start from the shared copy. */
export const canStartFromCopy = (environment: Record<string, string> = {}): boolean =>
  Object.keys(environment).every((name) => !decisive.has(name))

/**
 * Copies the data folder and the database of a server after its first start, including the specs' cast. This is three
 * times faster than a first start. The first call in a run creates the original with `start`.
 */
export async function copyStarted(
  start: (keep: { folder: string; databaseUrl: string }) => Promise<{ cast: Personas; close(): Promise<void> }>,
  folder: string,
): Promise<{ database: TestDatabase; cast: Personas }> {
  const parent = process.env[RUN_FOLDER_VARIABLE]!
  const [made, note] = [path.join(parent, 'started'), path.join(parent, 'started.json')]
  if (!existsSync(note))
    await oneAtATime(async () => {
      if (existsSync(note)) return
      await mkdir(made, { recursive: true })
      const { name, url } = await testDatabase()
      const server = await start({ folder: made, databaseUrl: url })
      await server.close()
      // otherwise, each copy would catch up on scheduled runs that have become due
      const pool = testPool({ url }, 1)
      await pool.query('delete from schedule')
      await pool.end()
      await writeFile(`${note}.new`, JSON.stringify({ template: name, cast: server.cast }))
      await rename(`${note}.new`, note)
    })
  const { template, cast } = JSON.parse(await readFile(note, 'utf8')) as { template: string; cast: Personas }
  await cp(made, folder, { recursive: true })
  return { database: await testDatabase(template), cast }
}
