import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { createTarPacker } from 'modern-tar'
import type pg from 'pg'
import { FORMAT, type BackedUpFile, type Manifest } from './archive-format'
import { rowsOf, sequencesIn, tablesIn, type BackedUpTable } from './tables'

/** A tar entry states its size before its content, so rows are collected up to this size. */
const PART_BYTES = 4 * 1024 * 1024

interface Order {
  /** A database connection that is used only for the backup. */
  client: pg.Client
  files: readonly BackedUpFile[]
  version: string
  /** The age recipient for which the backup is encrypted. */
  recipient: string
  signal: AbortSignal
  /** Called with the share of the tables copied so far, from 0 to 1. */
  onProgress?: (share: number) => void
}

/**
 * Writes a consistent backup of all tables to `sink`. Other clients can write to the database in the meantime. Rejects
 * if the sink fails.
 */
export async function writeArchive(order: Order, sink: (archive: Readable) => Promise<void>): Promise<void> {
  const { client, recipient, signal } = order
  await client.query('begin isolation level repeatable read read only')
  const { readable, controller } = createTarPacker()
  const compressed = createGzip({ level: constants.Z_BEST_SPEED })
  pipeline(Readable.fromWeb(readable as never), compressed, () => undefined)
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  const encrypted = await encrypter.encrypt(Readable.toWeb(compressed) as ReadableStream<Uint8Array>)
  const archive = Readable.fromWeb(encrypted as never, { signal })
  const add = async (name: string, content: Buffer) => {
    const writer = controller.add({ name, size: content.length, type: 'file', mode: 0o600 }).getWriter()
    await writer.write(content)
    await writer.close()
  }
  try {
    await Promise.all([sink(archive), addAll(order, add).then(() => controller.finalize())])
  } catch (error) {
    controller.error(error)
    archive.destroy()
    throw error
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

async function addAll(
  { client, files, version, signal, onProgress }: Order,
  add: (name: string, content: Buffer) => Promise<void>,
): Promise<void> {
  const tables = await tablesIn(client)
  const migrations = await client.query<{ name: string }>('select name from migration order by name')
  const manifest: Manifest = {
    ...{ format: FORMAT, version, tables, sequences: await sequencesIn(client) },
    migrations: migrations.rows.map(({ name }) => name),
    created_at: new Date().toISOString(),
  }
  await add('manifest.json', Buffer.from(JSON.stringify(manifest)))
  for (const { path, content } of files) await add(`files/${path}`, content)
  const rows: Record<string, number> = {}
  for (const [at, table] of tables.entries()) {
    signal.throwIfAborted()
    rows[table.name] = await addRows(client, table, add)
    onProgress?.((at + 1) / tables.length)
  }
  await add('end.json', Buffer.from(JSON.stringify({ rows })))
}

/** Adds the rows of a table to the archive. Returns the number of rows. */
async function addRows(
  client: pg.Client,
  table: BackedUpTable,
  add: (name: string, content: Buffer) => Promise<void>,
): Promise<number> {
  const stream = rowsOf(client, table)
  let part: Buffer[] = []
  let bytes = 0
  let number = 0
  const flush = async () => {
    if (bytes === 0) return
    await add(`tables/${table.name}/${String(++number).padStart(6, '0')}`, Buffer.concat(part))
    part = []
    bytes = 0
  }
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    part.push(chunk)
    bytes += chunk.length
    if (bytes >= PART_BYTES) await flush()
  }
  await flush()
  return stream.rowCount
}
