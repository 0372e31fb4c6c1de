import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { S3Error } from '../../errors'

/* Reads multipart/form-data sent by browsers: size-limited fields, then one file, which is streamed. */

/** S3's limit for everything before the file, including field names and boundaries, in bytes. */
export const MOST_FIELD_BYTES = 20 * 1024
/**
 * Size of the chunks that are parsed until the file begins. They are small because the parser does not report where in
 * a chunk the file begins.
 */
const PIECE_BYTES = 1024
const MOST_PARTS = 1000

export interface Form {
  /** Values by lower-case name; repeated values are joined with commas. */
  fields: ReadonlyMap<string, string>
  /** Base name of the file; undefined if none was sent. */
  fileName: string | undefined
  /** Content of the file. Ends once the whole form has been read; fails with an `S3Error` if the form is invalid. */
  bytes: AsyncIterable<Buffer>
}

const malformed = () =>
  new S3Error('MalformedPOSTRequest', 'The body of your POST request is not well-formed multipart/form-data.')
const notOneFile = () => new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.')

/** Replaces the parser's errors, which contain no useful details. */
const asRefusal = (error: unknown): unknown =>
  error instanceof S3Error || (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? error : malformed()

function createParser(contentType: string): InstanceType<typeof Busboy> {
  const { limits, isPartAFile } = {
    limits: {
      fieldSize: MOST_FIELD_BYTES,
      headerSize: MOST_FIELD_BYTES,
      headerPairs: 100,
      files: 2,
      parts: MOST_PARTS,
    },
    // some clients send a file name with every field
    isPartAFile: (name: string | undefined) => name?.toLowerCase() === 'file',
  }
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits, isPartAFile })
  } catch {
    throw malformed()
  }
}

/**
 * Reads a form up to its file; fields after the file are ignored. Throws `MaxPostPreDataLengthExceeded`,
 * `MalformedPOSTRequest`, or `InvalidArgument` if there is no file.
 */
export async function readForm(body: Readable, contentType: string): Promise<Form> {
  const parser = createParser(contentType)
  const fields = new Map<string, string>()
  const files: { stream: NodeJS.ReadableStream & AsyncIterable<Buffer>; name: string | undefined }[] = []
  parser.on('field', (name: string | undefined, value) => {
    const word = (name ?? '').toLowerCase()
    const before = fields.get(word)
    if (files.length === 0) fields.set(word, before === undefined ? value : `${before},${value}`)
  })
  parser.on('file', (_, stream, name: string | undefined) => {
    stream.on('error', () => undefined)
    files.push({ stream, name })
    if (files.length > 1) stream.resume()
  })
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => (stop = resolve))
  const failed = new Promise<never>((_, reject) => parser.once('error', reject))
  failed.catch(() => undefined)
  parser.on('error', () => undefined)
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve))
  const write = (piece: Buffer) =>
    Promise.race([new Promise<void>((resolve) => parser.write(piece, () => resolve())), failed, stopped])

  // keeps the connection open when reading stops early, so that an error response can be sent
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>
  let rest: Buffer = Buffer.alloc(0)
  try {
    let passed = 0
    while (files.length === 0) {
      if (rest.length === 0) {
        const next = await chunks.next()
        if (next.done) {
          parser.end()
          await Promise.race([finished, failed])
          throw notOneFile()
        }
        rest = next.value
      }
      const piece = rest.subarray(0, Math.min(PIECE_BYTES, MOST_FIELD_BYTES - passed))
      if (piece.length === 0)
        throw new S3Error(
          'MaxPostPreDataLengthExceeded',
          `Your POST request fields preceding the upload file were too large: at most ${MOST_FIELD_BYTES} bytes.`,
        )
      await write(piece)
      passed += piece.length
      rest = rest.subarray(piece.length)
    }
  } catch (error) {
    throw asRefusal(error)
  }
  if (fields.has('')) throw malformed()

  async function goOn(): Promise<void> {
    await write(rest)
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) await write(next.value)
    parser.end()
    await Promise.race([finished, failed, stopped])
  }
  const [file] = files
  async function* bytes(): AsyncGenerator<Buffer> {
    const ends = goOn()
    ends.catch((error: Error) => (file!.stream as unknown as { destroy(error: Error): void }).destroy(error))
    try {
      yield* file!.stream
      await ends
      if (files.length > 1) throw notOneFile()
    } catch (error) {
      throw asRefusal(error)
    } finally {
      stop()
    }
  }
  return { fields, fileName: file!.name, bytes: bytes() }
}
