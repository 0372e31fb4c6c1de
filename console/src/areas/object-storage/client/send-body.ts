import { UPLOAD_TIMEOUT_MS } from '@mainstay/contract/compute/image-rules'
import { access, checkReconfiguration } from '../../../api/access'
import { cancelled, CallProblem, unreachable } from '../../../api/problem'
import { s3Address } from './address'
import { s3Problem } from './problem'
import { s3Headers } from './send'

/** A running request that can be aborted. */
export interface Sending {
  abort: () => void
}

export interface SentBody {
  bucket: string
  key: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body: Blob
}

export interface SendOptions {
  signal: AbortSignal
  /** Called with the bytes sent, at most ten times per second. */
  onProgress: (sentBytes: number) => void
  /** Called with the running request, and with null when it has finished. */
  onRequest: (request: Sending | null) => void
}

const progressMs = 100

const stalled = () =>
  new CallProblem({ kind: 'network', status: 0, code: 'stalled', message: 'The upload has stalled' })

/**
 * Uploads a body with XMLHttpRequest because `fetch` reports no upload progress. Rejects with `stalled` if nothing is
 * sent for 60 seconds. Resolves with the ETag of the object or part.
 */
export async function sendBody(sent: SentBody, options: SendOptions): Promise<string> {
  const token = access().scopedToken()
  try {
    return await once(sent, options, token)
  } catch (thrown) {
    if (!(thrown instanceof CallProblem) || thrown.status !== 401) throw thrown
    if ((await access().onUnauthorized(token, true)) !== 'again') throw thrown
    return once(sent, options, access().scopedToken())
  }
}

const once = (sent: SentBody, { signal, onProgress, onRequest }: SendOptions, token: string | null) =>
  new Promise<string>((resolve, reject) => {
    const { bucket, key, query, headers, body } = sent
    const request = new XMLHttpRequest()
    let toldAt = 0
    let timer: ReturnType<typeof setTimeout>
    const moved = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        // reject first: an abort event alone means that the user cancelled
        reject(stalled())
        request.abort()
      }, UPLOAD_TIMEOUT_MS)
    }
    const abort = () => request.abort()

    request.upload.addEventListener('progress', ({ loaded }) => {
      moved()
      if (loaded < body.size && performance.now() - toldAt < progressMs) return
      toldAt = performance.now()
      onProgress(loaded)
    })
    request.addEventListener('load', () => {
      const header = (name: string) => request.getResponseHeader(name)
      checkReconfiguration(header)
      if (request.status >= 400) reject(s3Problem(request.status, request.responseText, header))
      else resolve(header('etag') ?? '')
    })
    request.addEventListener('error', () => reject(unreachable()))
    request.addEventListener('abort', () => reject(cancelled()))
    request.addEventListener('loadend', () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      onRequest(null)
    })

    if (signal.aborted) return reject(cancelled())
    signal.addEventListener('abort', abort)
    request.open('PUT', s3Address({ bucket, key }, query))
    for (const [name, value] of Object.entries({ ...s3Headers(token), ...headers }))
      request.setRequestHeader(name, value)
    onRequest(request)
    moved()
    request.send(body)
  })
