import {
  fillPath,
  type BodyInputOf,
  type Endpoint,
  type GivenParams,
  type QueryInputOf,
  type ReplyOf,
} from '@mainstay/contract/core/endpoint'
import { currentLanguage } from '../i18n/language'
import { access, checkReconfiguration } from './access'
import { inDryRun, type AnyInput } from './dry-run'
import { addressOf } from './address'
import { cancelled, problemOf, unreachable, unreadable, type CallProblem } from './problem'

type Given<Name extends string, Value> = [Value] extends [undefined] ? unknown : Record<Name, Value>
type Params<E extends Endpoint> = {} extends GivenParams<E> ? { params?: GivenParams<E> } : { params: GivenParams<E> }

/** Input for a call: only the parts that the endpoint defines. */
export type CallInput<E extends Endpoint> = Params<E> &
  Partial<Given<'query', QueryInputOf<E>>> &
  (undefined extends BodyInputOf<E> ? Partial<Given<'body', BodyInputOf<E>>> : Given<'body', BodyInputOf<E>>)

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** Sends no scoped token: the session cookie alone identifies the user. */
  isUnscoped?: boolean | undefined
  /** Token for another project. A 401 then does not mean that the session has ended, so the access check is skipped. */
  token?: string | null | undefined
  /** Lets the caller handle a 401; used by the access check itself. */
  isUnchecked?: boolean | undefined
}

/** Constant for the lifetime of the page, so that the server can tell calls from different tabs apart. */
export const sessionId = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
  byte.toString(16).padStart(2, '0'),
).join('')

/** Headers sent with every call. */
export const callHeaders = (token: string | null): Record<string, string> => ({
  accept: 'application/json',
  'x-requested-with': 'XMLHttpRequest',
  'x-session-id': sessionId,
  'session-id': sessionId,
  ...(token && { 'x-auth-token': token }),
})

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable(response.status)
  }
}

export async function problemFrom(response: Response): Promise<CallProblem> {
  const header = (name: string) => response.headers.get(name)
  // a proxy may return an HTML page; the status code is enough
  const body = await bodyOf(response).catch(() => undefined)
  const problem = problemOf(response.status, body, header)
  // server messages are in English
  return currentLanguage().id === 'en' ? problem : (await import('./in-language')).inLanguage(problem)
}

function fetching(endpoint: Endpoint, input: AnyInput, token: string | null, signal: AbortSignal | undefined) {
  return fetch(addressOf(fillPath(endpoint.path, input.params), input.query), {
    method: endpoint.verb,
    credentials: 'same-origin',
    headers: {
      ...callHeaders(token),
      ...(input.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    ...(signal && { signal }),
  })
}

/** Sends a request, runs the access check on a 401, and returns the response regardless of its status. */
export async function send(endpoint: Endpoint, input: AnyInput, options: CallOptions = {}): Promise<Response> {
  const { signal, isUnscoped = false, isUnchecked = options.token !== undefined } = options
  for (let attempt = 1; ; attempt++) {
    const token = isUnscoped ? null : (options.token ?? access().scopedToken())
    let response: Response
    try {
      response = await fetching(endpoint, input, token, signal)
    } catch {
      throw signal?.aborted ? cancelled() : unreachable()
    }
    checkReconfiguration((name) => response.headers.get(name))
    const isRefused = response.status === 401 && endpoint.needs !== 'public' && !isUnchecked
    if (!isRefused || attempt > 1 || (await access().onUnauthorized(token, endpoint.verb !== 'GET')) === 'give-up')
      return response
  }
}

/** Calls a contract endpoint. Resolves with its reply or rejects with a `CallProblem`. */
export async function call<E extends Endpoint>(
  endpoint: E,
  input: CallInput<E>,
  options: CallOptions = {},
): Promise<ReplyOf<E>> {
  const written = inDryRun(endpoint, input)
  if (written) return written
  const response = await send(endpoint, input, options)
  try {
    if (!response.ok) {
      const problem = await problemFrom(response)
      const isTold = problem.code === 'access_disabled' && endpoint.needs !== 'public' && !options.isUnchecked
      if (isTold) access().onAccessDisabled(problem.data['subject'])
      throw problem
    }
    return (await bodyOf(response)) as ReplyOf<E>
  } catch (thrown) {
    throw options.signal?.aborted ? cancelled() : thrown
  }
}
