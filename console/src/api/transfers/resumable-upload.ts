import { UPLOAD_TIMEOUT_MS } from '@mainstay/contract/compute/image-rules'
import type { imageUploads } from '@mainstay/contract/compute/image-uploads'
import type { Endpoint, ReplyOf } from '@mainstay/contract/core/endpoint'
import { call } from '../call'
import { asProblem, cancelled, type CallProblem } from '../problem'
import { upload, type UploadInput, type UploadOptions } from './upload'

/** Calls to query the offset of an upload and to cancel it. */
export type UploadCalls = typeof imageUploads

export interface ResumableInput extends UploadInput {
  calls: UploadCalls
  /** Upload ID chosen by the client, the same for all parts. */
  id: string
  token: string | null
  /** Whether part of the file may already have been uploaded. */
  isBegun: boolean
  /** Resolves with a new token after the old one has expired, or null if the user is signed out. */
  renew: () => Promise<string | null>
}

type Renewable = ResumableInput & { renewals: number }

const firstPauseMs = 1000
const longestPauseMs = 5000
/** Consecutive attempts without progress before giving up. */
const mostInVain = 10

/** A random UUID, as the contract requires. `crypto.randomUUID` is available only on pages served over TLS. */
export function newUploadId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const isProxyStatus = (status: number) => [502, 503, 504].includes(status)
const ownUnavailable = ['engine_unavailable', 'not_configured']

/** Whether the upload can be resumed: only the connection failed, or another server holds the upload. */
export const isResumable = ({ kind, code, status, data }: CallProblem): boolean =>
  (kind === 'network' && code !== 'stalled') ||
  (isProxyStatus(status) && !ownUnavailable.includes(code)) ||
  code === 'upload_elsewhere' ||
  (code === 'conflict' && typeof data['offset'] === 'number')

/**
 * Like `upload`, but resumes from the last byte received after a lost connection. Gives up if the server is unreachable
 * for longer than the upload timeout or if repeated attempts make no progress.
 */
export async function uploadResumably<E extends Endpoint>(
  endpoint: E,
  given: ResumableInput,
  options: UploadOptions,
): Promise<ReplyOf<E>> {
  const input = { ...given, renewals: 0 }
  const { file, id } = input
  const { signal, onProgress } = options
  let offset = input.isBegun ? await arrivedOf(input, signal) : 0
  for (let inVain = 0; ;) {
    const from = offset
    const headers = {
      ...input.headers,
      'x-hci-upload-id': id,
      'x-hci-upload-size': String(file.size),
      'x-hci-upload-offset': String(from),
    }
    onProgress(from)
    try {
      const part = { ...input, file: file.slice(from), headers }
      return await upload(endpoint, part, { signal, onProgress: (sent) => onProgress(from + sent) })
    } catch (thrown) {
      const problem = asProblem(thrown)
      const isOver = problem.kind === 'unauthorized'
      if (!(isOver || isResumable(problem)) || inVain >= mostInVain) throw problem
      if (isOver) await renew(input, signal, problem)
      offset = await arrivedOf(input, signal, isOver ? undefined : problem)
      inVain = offset > from ? 0 : inVain + 1
    }
  }
}

/** Obtains a new token after the session has expired. */
async function renew(input: Renewable, signal: AbortSignal, problem: CallProblem) {
  // if new tokens keep being rejected, another one will not help
  if (++input.renewals > mostInVain) throw problem
  const token = await input.renew()
  if (signal.aborted) throw cancelled()
  if (token === null) throw problem
  input.token = token
}

/** Waits until the server is reachable and returns the number of bytes received; 0 if it no longer knows the upload. */
async function arrivedOf(input: Renewable, signal: AbortSignal, before?: CallProblem): Promise<number> {
  const { calls, id } = input
  const until = performance.now() + UPLOAD_TIMEOUT_MS
  let last = before
  for (
    let pauseMs = before ? firstPauseMs : 0;
    ;
    pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2))
  ) {
    if (last && performance.now() + pauseMs > until) throw last
    await pause(pauseMs, signal)
    try {
      return (await call(calls.view, { params: { id } }, { signal, token: input.token })).offset
    } catch (thrown) {
      last = asProblem(thrown)
      if (last.kind === 'unauthorized') {
        await renew(input, signal, last)
        return arrivedOf(input, signal)
      }
      if (last.kind === 'not-found') return 0
      if (!isResumable(last)) throw last
    }
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(cancelled())
    const stop = () => {
      clearTimeout(timer)
      reject(cancelled())
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
