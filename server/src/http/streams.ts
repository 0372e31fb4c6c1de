import { Readable } from 'node:stream'
import { UPLOAD_TIMEOUT_MS } from '@mainstay/contract/compute/image-rules'
import type { Problem } from '@mainstay/contract/core/problems'
import { problem } from '@mainstay/contract/core/problems'

/** What a call with `bytes: 'out'` answers. The stream is destroyed when the caller goes away. */
export interface Download {
  bytes: Readable
  /** Null where it is not known beforehand. */
  sizeBytes: number | null
  fileName: string
  contentType: string
  /** MD5 in hex, as clients of images expect it; null where it is not known. */
  md5?: string | null
}

/**
 * The body of a request as a stream that fails when no byte arrives for `timeoutMs`. Time during which the reader
 * does not want more does not count: a slow disk is not the sender's fault. `asFault`: the error it fails with in place of a problem.
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
    // destroying a request's body would close the connection over which the refusal has yet to travel
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

/** Lets a sender whose body was refused read the answer: what still comes is thrown away, for a while. */
export function drain(body: Readable): void {
  body.on('error', () => undefined)
  // also when somebody who still reads it lets go of it
  body.on('data', () => undefined)
  body.resume()
  const timer = setTimeout(() => body.destroy(), DRAIN_MS)
  timer.unref()
  body.once('close', () => clearTimeout(timer))
}

/** `attachment` with a name that every browser reads and no name can break out of (RFC 6266). */
export function attachmentHeader(fileName: string): string {
  // a foreign name may hold what turns the text around: `gpj.exe` would look like `exe.jpg`
  const safe = fileName.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_').replace(/\p{Surrogate}/gu, '_')
  const plain = safe.replace(/[^ -~]|["%;]/g, '_')
  const encoded = encodeURIComponent(safe).replace(/['()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
