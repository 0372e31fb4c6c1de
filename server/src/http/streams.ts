import { Readable } from 'node:stream'
import { UPLOAD_TIMEOUT_MS } from '@mainstay/contract/compute/image-rules'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'

/** Result of a call with `bytes: 'out'`. The stream is destroyed when the caller disconnects. */
export interface Download {
  bytes: Readable
  /** Size of the download; null if it is not known in advance. */
  sizeBytes: number | null
  fileName: string
  contentType: string
  /** MD5 in hex, which image clients expect; null if unknown. */
  md5?: string | null
}

/**
 * Wraps a request body in a stream that fails if no byte arrives for `timeoutMs`. Time during which the reader applies
 * backpressure does not count, so that the sender is not blamed for a slow disk. `asFault`: converts the problem to
 * another error.
 */
export function withProgressTimeout(
  body: Readable,
  timeoutMs = UPLOAD_TIMEOUT_MS,
  asFault: (failure: Problem) => Error = (failure) => failure,
): Readable {
  const brokenOff = (cause: unknown): never => {
    throw asFault(problem('core.upload_interrupted', {}, { cause }))
  }
  async function* watched(): AsyncGenerator<Buffer> {
    // destroying the body would close the connection before the error response is sent
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    try {
      for (;;) {
        let timer: NodeJS.Timeout | undefined
        const timeout = new Promise<never>((_, reject) => {
          const late = () => reject(asFault(problem('core.upload_stalled')))
          timer = setTimeout(late, timeoutMs)
        })
        const next = await Promise.race([chunks.next().catch(brokenOff), timeout]).finally(() => clearTimeout(timer))
        if (next.done) return
        yield next.value
      }
    } finally {
      void chunks.return?.()
    }
  }
  return Readable.from(watched(), { objectMode: false })
}

const DRAIN_MS = 10_000

/** Discards the rest of a refused body for a while, so that its sender can read the response. */
export function drain(body: Readable): void {
  body.on('error', () => undefined)
  // keeps the data flowing even if another reader stops
  body.on('data', () => undefined)
  body.resume()
  const timer = setTimeout(() => body.destroy(), DRAIN_MS)
  timer.unref()
  body.once('close', () => clearTimeout(timer))
}

/** `attachment` header with a safely escaped file name that every browser understands (RFC 6266). */
export function attachmentHeader(fileName: string): string {
  // a file name may contain bidi control characters: `gpj.exe` would look like `exe.jpg`
  const safe = fileName.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_').replace(/\p{Surrogate}/gu, '_')
  const plain = safe.replace(/[^ -~]|["%;]/g, '_')
  const encoded = encodeURIComponent(safe).replace(/['()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
