import { UPLOAD_TIMEOUT_MS } from '@mainstay/contract/compute/image-rules'
import { fillPath, type Endpoint, type ReplyOf } from '@mainstay/contract/core/endpoint'
import { access, checkReconfiguration } from '../access'
import { addressOf } from '../address'
import { callHeaders } from '../call'
import { cancelled, CallProblem, problemOf, unreachable, unreadable } from '../problem'

export interface UploadInput {
  file: Blob
  params?: Record<string, string>
  query?: Record<string, unknown>
  /** Metadata headers, as defined by the endpoint's `headers`. */
  headers?: Record<string, string>
  /** Token for the target project; default: that of the current project. */
  token?: string | null
}

export interface UploadOptions {
  signal: AbortSignal
  /** Called at most ten times per second. */
  onProgress: (sentBytes: number) => void
}

const progressMs = 100

/**
 * Sends a file as a stream of bytes. Resolves with the reply or rejects with a `CallProblem`. Uses XMLHttpRequest
 * because fetch does not report upload progress and is slower at reading files of many gigabytes.
 */
export function upload<E extends Endpoint>(endpoint: E, input: UploadInput, options: UploadOptions) {
  const { signal, onProgress } = options
  return new Promise<ReplyOf<E>>((resolve, reject) => {
    const request = new XMLHttpRequest()
    let toldAt = 0
    let stalled: ReturnType<typeof setTimeout>
    const moved = () => {
      clearTimeout(stalled)
      stalled = setTimeout(() => {
        reject(
          new CallProblem({
            kind: 'network',
            status: 0,
            code: 'stalled',
            message: 'The upload has stalled',
          }),
        )
        // reject first, because aborting counts as a cancellation by the user
        request.abort()
      }, UPLOAD_TIMEOUT_MS)
    }
    const abort = () => request.abort()

    request.upload.addEventListener('progress', ({ loaded }) => {
      moved()
      if (loaded < input.file.size && performance.now() - toldAt < progressMs) return
      toldAt = performance.now()
      onProgress(loaded)
    })
    const header = (name: string) => request.getResponseHeader(name)
    request.addEventListener('load', () => {
      checkReconfiguration(header)
      let body: unknown
      try {
        body = request.responseText === '' ? undefined : JSON.parse(request.responseText)
      } catch {
        if (request.status < 400) return reject(unreadable(request.status))
      }
      if (request.status >= 400) reject(problemOf(request.status, body, header))
      else resolve(body as ReplyOf<E>)
    })
    request.addEventListener('error', () => reject(unreachable()))
    request.addEventListener('abort', () => reject(cancelled()))
    request.addEventListener('loadend', () => {
      clearTimeout(stalled)
      signal.removeEventListener('abort', abort)
    })

    if (signal.aborted) return reject(cancelled())
    signal.addEventListener('abort', abort)
    request.open(endpoint.verb, addressOf(fillPath(endpoint.path, input.params), input.query))
    const headers = {
      ...callHeaders(input.token === undefined ? access().scopedToken() : input.token),
      'content-type': 'application/octet-stream',
      ...input.headers,
    }
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    moved()
    request.send(input.file)
  })
}
