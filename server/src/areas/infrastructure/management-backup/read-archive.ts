import { once } from 'node:events'
import { pipeline, Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import type pg from 'pg'
import { End, Manifest, type BackedUpFile } from './archive-format'
import { rowsInto, type BackedUpTable } from './tables'

const MOST_JSON_BYTES = 16 * 1024 * 1024

/** Thrown if a file is not a backup, is damaged, or cannot be opened with the key. `message` is for operators. */
export class ArchiveFault extends Error {}

/** Receives the contents of a backup, in order. */
export interface ArchiveReader {
  manifest(manifest: Manifest): Promise<void>
  file(file: BackedUpFile): Promise<void>
  /** Returns the connection to which rows are written. Called after the manifest and the files have been read. */
  client(): pg.Client
}

/**
 * Reads a backup with the secret key (`AGE-SECRET-KEY-1…`). Returns the manifest. Throws an `ArchiveFault`, for example
 * if the backup is truncated or contains fewer rows than were written to it.
 */
export async function readArchive(source: Readable, identity: string, reader: ArchiveReader): Promise<Manifest> {
  const gunzip = createGunzip()
  let isDamaged = false
  pipeline(Readable.fromWeb((await decrypted(source, identity)) as never), gunzip, (error) => {
    isDamaged = error != null && error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.name !== 'AbortError'
  })
  const entries = Readable.toWeb(gunzip).pipeThrough(createTarDecoder() as never)
  const contents = new Contents(reader)
  try {
    for await (const entry of entries as unknown as AsyncIterable<ParsedTarEntry>) await contents.take(entry)
    return contents.complete()
  } catch (error) {
    contents.giveUp()
    throw isDamaged ? damaged() : error
  }
}

const damaged = (what = 'The backup is damaged or incomplete') => new ArchiveFault(what)

/** Passes the entries of a backup on to a reader, and counts the rows. */
class Contents {
  readonly #reader: ArchiveReader
  readonly #rows: Record<string, number> = {}
  #manifest: Manifest | null = null
  #table: { of: BackedUpTable; into: Writable & { rowCount: number } } | null = null
  #written: Record<string, number> | null = null

  constructor(reader: ArchiveReader) {
    this.#reader = reader
  }

  async take({ header, body }: ParsedTarEntry): Promise<void> {
    const [folder, ...rest] = header.name.split('/')
    if (header.name === 'manifest.json') {
      this.#manifest = manifestIn(await contentOf(body))
      await this.#reader.manifest(this.#manifest)
    } else if (!this.#manifest) throw new ArchiveFault('The file is not a management backup')
    else if (folder === 'files') await this.#reader.file({ path: rest.join('/'), content: await contentOf(body) })
    else if (folder === 'tables') await this.#takeRows(this.#manifest, rest[0] ?? '', body)
    else if (header.name === 'end.json') {
      await this.#endTable()
      this.#written = End.parse(JSON.parse((await contentOf(body)).toString())).rows
    }
  }

  async #takeRows({ tables }: Manifest, name: string, body: ReadableStream<Uint8Array>): Promise<void> {
    if (this.#table?.of.name !== name) {
      await this.#endTable()
      const of = tables.find((table) => table.name === name)
      if (!of) throw damaged()
      this.#table = { of, into: rowsInto(this.#reader.client(), of) }
    }
    const { into } = this.#table
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      if (!into.write(chunk)) await once(into, 'drain')
  }

  async #endTable(): Promise<void> {
    if (!this.#table) return
    const { of, into } = this.#table
    into.end()
    await finished(into)
    this.#rows[of.name] = into.rowCount
    this.#table = null
  }

  /** Returns the manifest. Throws unless the backup has its end entry and all of its rows. */
  complete(): Manifest {
    if (!this.#manifest || !this.#written) throw damaged()
    for (const [name, count] of Object.entries(this.#written))
      if ((this.#rows[name] ?? 0) !== count) throw damaged(`The backup lacks rows of the table ${name}`)
    return this.#manifest
  }

  giveUp(): void {
    this.#table?.into.destroy()
  }
}

async function decrypted(source: Readable, identity: string): Promise<ReadableStream<Uint8Array>> {
  const decrypter = new Decrypter()
  try {
    decrypter.addIdentity(identity.trim())
  } catch {
    throw new ArchiveFault('This is not a key for management backups. It starts with AGE-SECRET-KEY-1.')
  }
  try {
    return await decrypter.decrypt(Readable.toWeb(source) as ReadableStream<Uint8Array>)
  } catch (error) {
    const isOther = /no identity matched/i.test((error as Error).message)
    throw new ArchiveFault(
      isOther ? 'The backup was encrypted with another key' : 'The file is not a management backup',
    )
  }
}

function manifestIn(content: Buffer): Manifest {
  const found = Manifest.safeParse(JSON.parse(content.toString()))
  if (found.success) return found.data
  throw new ArchiveFault('The backup has a format that this version does not support')
}

async function contentOf(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > MOST_JSON_BYTES) throw damaged()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
