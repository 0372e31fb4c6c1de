import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { S3Error } from '@mainstay/engines/s3/errors'
import { decodeChunks } from '@mainstay/engines/s3/signature/chunks'
import { announcedChecksum, checksum } from '@mainstay/engines/s3/store/digests'
import { UNSIGNED_PAYLOAD } from '@mainstay/engines/s3/signature/canonical'

/** A request body and the headers that describe it. */
export interface SentBody {
  headers: Record<string, string>
  payload: string
  /**
   * Fails with an `S3Error` before the last bytes if the body does not match the headers. Null if the request has no
   * body.
   */
  bytes: AsyncIterable<Buffer> | null
}

const chunkedPayload = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'
const ofChunks = new Set(['x-amz-decoded-content-length', 'x-amz-trailer', 'x-amz-sdk-checksum-algorithm'])

const incomplete = () =>
  new S3Error('IncompleteBody', 'You did not provide the number of bytes specified by the Content-Length HTTP header')

/** Removes headers that describe chunks, because the body is sent unchunked. */
function plainHeaders(headers: Record<string, string>, length: number): Record<string, string> {
  const { 'content-encoding': encoding = '', ...rest } = headers
  const kept = Object.entries(rest).filter(([name]) => !ofChunks.has(name))
  const encodings = encoding.split(',').map((one) => one.trim())
  const others = encodings.filter((one) => one !== '' && one.toLowerCase() !== 'aws-chunked').join(', ')
  return {
    ...Object.fromEntries(kept),
    ...(others !== '' && { 'content-encoding': others }),
    'content-length': String(length),
  }
}

function lengthOf(text: string | undefined): number {
  if (text === undefined) throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
  if (!/^\d{1,15}$/.test(text)) throw new S3Error('InvalidArgument', 'The Content-Length header is not a number')
  return Number(text)
}

/** Yields all parts, but holds the last one back until `check` has passed. */
async function* heldBack(source: AsyncIterable<Buffer>, check: () => void): AsyncGenerator<Buffer> {
  let held: Buffer | null = null
  for await (const part of source) {
    if (part.length === 0) continue
    if (held) yield held
    held = part
  }
  check()
  if (held) yield held
}

/**
 * Prepares a body for an S3 service that does not fully check bodies itself. The body is sent unchunked. If its hash or
 * checksum does not match, it is aborted before the end, so that nothing is stored. The hash is not signed, because
 * such services accept signed hashes only for some calls. Rejects with an `S3Error`.
 */
export async function checkedBody(
  body: Readable,
  { headers, payload }: { headers: Record<string, string>; payload: string },
): Promise<SentBody> {
  const isChunked = payload === chunkedPayload
  const wanted = announcedChecksum(headers)
  const hash = /^[0-9a-f]{64}$/.test(payload) ? createHash('sha256') : null
  if (!isChunked && !wanted && !hash) return { headers, payload, bytes: body }
  const length = lengthOf(isChunked ? headers['x-amz-decoded-content-length'] : headers['content-length'])
  const digest = wanted && (await checksum(wanted.name))
  const trailers = new Map<string, string>()
  let passed = 0

  async function* counted(): AsyncGenerator<Buffer> {
    for await (const part of isChunked ? decodeChunks(body, null, trailers) : (body as AsyncIterable<Buffer>)) {
      passed += part.length
      if (passed > length) throw incomplete()
      digest?.update(part)
      hash?.update(part)
      yield part
    }
  }
  const check = (): void => {
    if (passed !== length) throw incomplete()
    if (hash && hash.digest('hex') !== payload)
      throw new S3Error(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      )
    if (!wanted || !digest) return
    if ((wanted.value ?? trailers.get(`x-amz-checksum-${wanted.name}`)) !== digest.end())
      throw new S3Error(
        'BadDigest',
        `The ${wanted.name.toUpperCase()} you specified did not match the calculated checksum.`,
      )
  }
  const bytes = heldBack(counted(), check)
  const sent = { headers: plainHeaders(headers, length), payload: UNSIGNED_PAYLOAD }
  if (length > 0) return { ...sent, bytes }
  // check an empty body now, because it is complete as soon as the headers are sent
  const first = await bytes.next()
  if (!first.done) throw incomplete()
  return { ...sent, bytes: nothing() }
}

async function* nothing(): AsyncGenerator<Buffer> {}
