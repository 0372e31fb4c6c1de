import { createHash } from 'node:crypto'
import { S3Error } from '../errors'
import { scopeText, sha256Hex, signatureOf } from './canonical'
import type { Verified } from './verify'

/* aws-chunked: a body of chunks, each with its size and an optional signature, followed by trailers. */

const MOST_LINE = 16 * 1024
const MOST_TRAILER_BYTES = 16 * 1024
/**
 * AWS rejects smaller chunks, except the last one. They are accepted here because some clients send them, but only up
 * to a limit, because each chunk is costly.
 */
const [SMALL_BYTES, MOST_SMALL] = [8192, 100_000]
const EMPTY = sha256Hex('')

const incomplete = () => new S3Error('IncompleteBody', 'The request body terminated unexpectedly')
const notSigned = () => new S3Error('SignatureDoesNotMatch', 'The signature of a chunk does not match')

/** Reads lines and bytes from a stream. */
function readerOf(source: AsyncIterable<Buffer>) {
  const parts = source[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const next = await parts.next()
    if (next.done) throw incomplete()
    rest = rest.length === 0 ? next.value : Buffer.concat([rest, next.value])
  }
  return {
    async line(): Promise<string> {
      for (;;) {
        const end = rest.indexOf('\r\n')
        if (end > MOST_LINE || (end < 0 && rest.length > MOST_LINE)) throw incomplete()
        if (end >= 0) {
          const line = rest.subarray(0, end).toString('latin1')
          rest = rest.subarray(end + 2)
          return line
        }
        await more()
      }
    },
    /** Returns the next bytes, up to `most`. */
    async some(most: number): Promise<Buffer> {
      if (rest.length === 0) await more()
      const taken = rest.subarray(0, most)
      rest = rest.subarray(taken.length)
      return taken
    },
    async isAtEnd(): Promise<boolean> {
      while (rest.length === 0) {
        const next = await parts.next()
        if (next.done) return true
        rest = next.value
      }
      return false
    },
  }
}

/**
 * Decodes a chunked body. After the last chunk, adds the trailers to `trailers` by lower-case name. Throws an `S3Error`
 * if the body is truncated, a signature is wrong or there are too many small chunks. `chunks`: null if the chunks are
 * not signed.
 */
export async function* decodeChunks(
  source: AsyncIterable<Buffer>,
  chunks: Verified['chunks'] | null,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = readerOf(source)
  let last = chunks?.seed ?? ''
  let small = 0
  const sign = (kind: string, hashes: readonly string[]): string =>
    signatureOf(chunks!.key, [kind, chunks!.time, scopeText(chunks!.scope), last, ...hashes].join('\n'))

  for (;;) {
    const line = await reader.line()
    const [, size, signature] = /^([0-9a-fA-F]{1,12})(?:;chunk-signature=([0-9a-f]{64}))?\s*$/.exec(line) ?? []
    if (size === undefined) throw incomplete()
    if (chunks && signature === undefined) throw notSigned()
    let left = Number.parseInt(size, 16)
    if (left < SMALL_BYTES && ++small > MOST_SMALL)
      throw new S3Error('InvalidChunkSizeError', `More than ${MOST_SMALL} chunks have fewer than ${SMALL_BYTES} bytes`)
    const hash = chunks ? createHash('sha256') : null
    const isLast = left === 0
    while (left > 0) {
      const part = await reader.some(left)
      left -= part.length
      hash?.update(part)
      yield part
    }
    if (hash) {
      const expected = sign('AWS4-HMAC-SHA256-PAYLOAD', [EMPTY, hash.digest('hex')])
      if (expected !== signature) throw notSigned()
      last = expected
    }
    if (isLast) break
    if ((await reader.line()) !== '') throw incomplete()
  }

  const lines: string[] = []
  let size = 0
  // an empty line follows the trailers, but some clients omit it
  while (!(await reader.isAtEnd())) {
    const line = await reader.line()
    if ((size += line.length + 2) > MOST_TRAILER_BYTES) throw incomplete()
    if (line === '') continue
    const at = line.indexOf(':')
    if (at < 0) throw incomplete()
    const [name, value] = [line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]
    if (name === 'x-amz-trailer-signature') {
      const hashed = sha256Hex(lines.map((it) => `${it}\n`).join(''))
      if (chunks && sign('AWS4-HMAC-SHA256-TRAILER', [hashed]) !== value) throw notSigned()
      lines.length = 0
      continue
    }
    lines.push(`${name}:${value}`)
    trailers.set(name, value)
  }
  if (chunks && lines.length > 0) throw notSigned()
}
