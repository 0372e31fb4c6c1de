import { access, checkReconfiguration } from '../../../api/access'
import { callHeaders } from '../../../api/call'
import { cancelled, unreachable } from '../../../api/problem'
import { s3Address } from './address'
import { dummyHeaders } from './dummy-signature'
import { s3Problem } from './problem'

export interface S3Request {
  verb: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  bucket?: string | undefined
  key?: string | undefined
  /** Query parameters; use `''` for one without a value. */
  query?: Readonly<Record<string, string | undefined>>
  headers?: Readonly<Record<string, string>>
  body?: string
  signal?: AbortSignal | undefined
}

/** Number of retries after `SlowDown`. */
const MOST_REPEATS = 3
const firstPauseMs = 500

/** Waits for `ms` milliseconds, or rejects when aborted. */
export const pause = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const over = () => {
      clearTimeout(timer)
      reject(cancelled())
    }
    if (signal?.aborted) return reject(cancelled())
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', over)
      resolve()
    }, ms)
    signal?.addEventListener('abort', over, { once: true })
  })

/** Headers for every request to the proxy, including this page's session token. */
export const s3Headers = (token = access().scopedToken()): Record<string, string> => ({
  ...callHeaders(token),
  ...dummyHeaders(),
  accept: '*/*',
})

/**
 * Sends a request to S3 through the proxy. Rejects with a `CallProblem` that carries the S3 error code. Retries up to
 * three times on `SlowDown`, and renews an expired session like any other API call.
 */
export async function sendS3({ verb, bucket, key, query, headers, body, signal }: S3Request): Promise<Response> {
  for (let attempt = 0, hasRenewed = false; ;) {
    const token = access().scopedToken()
    let response: Response
    try {
      response = await fetch(s3Address({ bucket, key }, query), {
        ...{ method: verb, credentials: 'same-origin', headers: { ...s3Headers(token), ...headers } },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      })
    } catch {
      throw signal?.aborted ? cancelled() : unreachable()
    }
    checkReconfiguration((name) => response.headers.get(name))
    if (response.ok) return response
    if (response.status === 401 && !hasRenewed) {
      hasRenewed = true
      if ((await access().onUnauthorized(token, verb !== 'GET' && verb !== 'HEAD')) === 'again') continue
    }
    const text = await response.text().catch(() => '')
    const problem = s3Problem(response.status, text, (name) => response.headers.get(name))
    if (problem.code !== 'SlowDown' || attempt >= MOST_REPEATS) throw problem
    await pause(firstPauseMs * 2 ** attempt, signal)
    attempt += 1
  }
}
