import { createHash } from 'node:crypto'
import { S3Error, notImplemented } from '../errors'
import { announcedChecksum, checksum, type ChecksumName, type Digest } from '../store/digests'
import { decodeChunks } from '../signature/chunks'
import { UNSIGNED_PAYLOAD } from '../signature/canonical'
import type { S3Call } from './call'

/** A request body that is verified while it is read. */
export interface Incoming {
  /** Declared size in bytes; for a form, a lower bound. */
  length: number
  /** Checksum algorithm; null if there is no checksum. */
  algorithm: ChecksumName | null
  /** Fails with an `S3Error` if the bytes do not match the declared size or checksums. */
  bytes: AsyncIterable<Buffer>
  /** Returns the size and digests once all bytes have been read. `md5` is in hex. */
  digests(): { size: number; md5: string; checksum: { name: ChecksumName; value: string } | null }
}

/** Maximum size of a request body: 5 GiB. */
export const MOST_OBJECT_BYTES = 5 * 1024 ** 3

const modes = new Set([
  UNSIGNED_PAYLOAD,
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
])

function lengthOf(text: string | undefined): number {
  if (text === undefined) throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (!/^\d{1,15}$/.test(text)) throw new S3Error('InvalidArgument', 'The Content-Length header is not a number')
  return Number(text)
}

/**
 * Starts reading a body of at most `most` bytes. `algorithm`: the checksum to compute if the client declares none.
 * `ofOther`: the checksum headers do not apply to the body.
 */
export async function incoming(
  call: S3Call,
  most: number,
  algorithm: ChecksumName | null = null,
  ofOther = false,
): Promise<Incoming> {
  const { headers, signed, form } = call
  const payload = signed?.payload ?? headers['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD
  const isHash = /^[0-9a-f]{64}$/.test(payload)
  if (!isHash && !modes.has(payload)) {
    if (payload.startsWith('STREAMING-')) throw notImplemented(`the payload type ${payload}`)
    throw new S3Error('InvalidArgument', 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, or a valid sha256 value.')
  }
  const isChunked = payload.startsWith('STREAMING-')
  const length =
    form?.atLeast ?? lengthOf(isChunked ? headers['x-amz-decoded-content-length'] : headers['content-length'])
  if (length > most) throw tooLarge()
  const md5Wanted = headers['content-md5']
  if (md5Wanted !== undefined && !/^[A-Za-z0-9+/]{22}==$/.test(md5Wanted))
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.')

  const wanted = ofOther ? null : announcedChecksum(headers)
  const sum = wanted?.name ?? algorithm
  const digest: Digest | null = sum ? await checksum(sum) : null
  const [md5, sha256] = [createHash('md5'), isHash ? createHash('sha256') : null]
  const trailers = new Map<string, string>()
  const ends: { size: number; md5: string; sum: string | null } = { size: 0, md5: '', sum: null }

  async function* checked(): AsyncGenerator<Buffer> {
    const chunks = payload.startsWith('STREAMING-AWS4') ? (signed?.chunks ?? null) : null
    const source = form?.bytes ?? (call.body as AsyncIterable<Buffer>)
    let passed = 0
    if (call.isWaiting) call.response.writeContinue()
    try {
      for await (const part of isChunked ? decodeChunks(source, chunks, trailers) : source) {
        passed += part.length
        if (form ? passed > most : passed > length) throw form ? tooLarge() : incomplete()
        md5.update(part)
        sha256?.update(part)
        digest?.update(part)
        yield part
      }
    } catch (error) {
      // the client closed the connection
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') throw incomplete()
      throw error
    }
    if (!form && passed !== length) throw incomplete()
    ends.size = passed
    const bytes = md5.digest()
    ends.md5 = bytes.toString('hex')
    ends.sum = digest?.end() ?? null
    if (sha256 && sha256.digest('hex') !== payload)
      throw new S3Error(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      )
    if (md5Wanted !== undefined && md5Wanted !== bytes.toString('base64'))
      throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.')
    if (!wanted) return
    const value = wanted.value ?? trailers.get(`x-amz-checksum-${wanted.name}`)
    if (value !== ends.sum)
      throw new S3Error(
        'BadDigest',
        `The ${wanted.name.toUpperCase()} you specified did not match the calculated checksum.`,
      )
  }

  return {
    length,
    algorithm: sum,
    bytes: checked(),
    digests: () => ({
      size: ends.size,
      md5: ends.md5,
      checksum: sum && ends.sum !== null ? { name: sum, value: ends.sum } : null,
    }),
  }
}

const tooLarge = () => new S3Error('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size')
const incomplete = () =>
  new S3Error('IncompleteBody', 'You did not provide the number of bytes specified by the Content-Length HTTP header')

/** Reads a small body into memory. */
async function readAll({ bytes }: Incoming): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts)
}

/** Reads a UTF-8 body of at most `most` bytes. `ofOther`: the checksum headers do not apply to it. */
export async function readText(call: S3Call, most: number, ofOther = false): Promise<string> {
  const bytes = await readAll(await incoming(call, most, null, ofOther))
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new S3Error('MalformedXML', 'The body is not UTF-8')
  return text
}
