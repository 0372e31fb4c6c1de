import { createReadStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '@mainstay/engines/ports/records'
import pg from 'pg'
import type { Config } from '../../../config'
import { openStore, type Store } from '../../../store/store'
import { migrations } from '../../../store/migrations/all'
import type { BackedUpFile, Manifest } from './archive-format'
import { ArchiveFault, readArchive } from './read-archive'
import { BACKUP_JOB, SEALING_KEY_FILE } from './management-backup.service'
import { tablesIn } from './tables'

interface Restored {
  /** When the backup was created, RFC 3339. */
  created_at: string
  version: string
}

/**
 * Restores a management backup into an empty installation of the same version: its database, and the files of the data
 * folder that are missing. Everything is written to the database in one transaction. Throws errors with messages for
 * operators.
 */
export async function restoreBackup(options: {
  config: Pick<Config, 'databaseUrl' | 'dataFolder' | 'sealingKey'>
  file: string
  /** The secret key, `AGE-SECRET-KEY-1…`. */
  identity: string
  log: Log
}): Promise<Restored> {
  const { config, file, identity, log } = options
  // the file is opened first, so that a wrong path does not create a database
  const source = createReadStream(file)
  await new Promise<void>((resolve, reject) => source.once('open', () => resolve()).once('error', reject))
  let opened: Opened | null = null
  try {
    const manifest = await readArchive(source, identity, {
      async manifest(found) {
        refuseOtherVersion(found)
        opened = await openEmpty(config, found, log)
      },
      file: (found) => putFile(config, found),
      client: () => opened!.client,
    })
    await (opened as unknown as Opened).finish(manifest)
    return manifest
  } finally {
    source.destroy()
    await (opened as Opened | null)?.close()
  }
}

function refuseOtherVersion({ version, migrations: done }: Manifest): void {
  const known = new Set(migrations.map(({ name }) => name))
  if (done.length === known.size && done.every((name) => known.has(name))) return
  throw new ArchiveFault(
    `The backup was created by version ${version}, which has another schema. Restore it with that version.`,
  )
}

interface Opened {
  client: pg.Client
  finish(manifest: Manifest): Promise<void>
  close(): Promise<void>
}

async function openEmpty(
  config: Pick<Config, 'databaseUrl' | 'dataFolder'>,
  manifest: Manifest,
  log: Log,
): Promise<Opened> {
  const store = await openStore({ databaseUrl: config.databaseUrl, dataFolder: config.dataFolder, log })
  try {
    const client = await connect(store)
    const { rows } = await client.query<{ used: boolean }>(
      'select exists (select from server) or exists (select from resource) or exists (select from identity_user) as used',
    )
    if (rows[0]!.used)
      throw new ArchiveFault('The installation is not empty. Restore into a new data folder or an empty database.')
    // the index is rebuilt from the rows at the next start
    const index = await client.query<{ name: string }>('select name from side_table')
    for (const { name } of index.rows) await client.query(`drop table if exists "${name}"`)
    await client.query('delete from side_table')
    const tables = (await tablesIn(client)).map(({ name }) => `"${name}"`)
    const known = new Set(tables)
    const unknown = manifest.tables.filter(({ name }) => !known.has(`"${name}"`))
    if (unknown.length > 0) throw new ArchiveFault(`This version has no table ${unknown[0]!.name}`)
    await client.query('begin')
    // rows keep their old values, so triggers must not announce, seal or check them again
    for (const table of tables) await client.query(`alter table ${table} disable trigger user`)
    await client.query(`truncate ${tables.join(', ')}`)
    return {
      client,
      async finish({ sequences }) {
        for (const [name, last] of Object.entries(sequences))
          await client.query('select setval(quote_ident($1)::regclass, $2)', [name, last])
        for (const table of tables) await client.query(`alter table ${table} enable trigger user`)
        // cancel the backup job that was running when the backup was created, because it would run again and replace
        // the backup
        await client.query('update job set cancel_requested = true where name = $1', [BACKUP_JOB])
        await client.query('commit')
      },
      async close() {
        await client.end().catch(() => undefined)
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function connect({ connection }: Store): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, options: '-c statement_timeout=0 -c TimeZone=UTC' })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/**
 * Writes a file of the data folder. An existing file is kept; an existing sealing key must be the same as the one in
 * the backup.
 */
async function putFile(
  { dataFolder, sealingKey }: Pick<Config, 'dataFolder' | 'sealingKey'>,
  { path: name, content }: BackedUpFile,
): Promise<void> {
  const target = path.resolve(dataFolder, name)
  if (!target.startsWith(`${path.resolve(dataFolder)}${path.sep}`)) throw new ArchiveFault('The backup is damaged')
  const isKey = name === SEALING_KEY_FILE
  if (isKey && sealingKey !== null) {
    if (sealingKey === content.toString().trim()) return
    throw new ArchiveFault('MAINSTAY_SEALING_KEY is not the key that the secrets in the backup are encrypted with')
  }
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
  try {
    await writeFile(target, content, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isKey && (await readFile(target, 'utf8')).trim() !== content.toString().trim())
      throw new ArchiveFault(`${target} is the key of another installation. Restore into a new data folder.`)
  }
}
