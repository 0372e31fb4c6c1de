import {
  fillPath,
  type BodyInputOf,
  type Endpoint,
  type ParamsOf,
  type ReplyOf,
} from '@mainstay/contract/core/endpoint'
import { Problem, problemStatus, type ProblemBody, type ProblemCode } from '@mainstay/contract/core/problems'
import { session } from '@mainstay/contract/identity/session'

interface CallOptions<E extends Endpoint> {
  params?: ParamsOf<E>
  query?: Record<string, string | number | boolean>
  body?: BodyInputOf<E>
  headers?: Record<string, string>
  /** Request body of an upload. */
  bytes?: Uint8Array<ArrayBuffer>
  signal?: AbortSignal
}

/** HTTP client with a token, for servers that are known only by their URL. */
export interface ApiClient {
  /**
   * Makes a call and returns its reply. Throws a `Problem` for an error response, or the error from `fetch` if there is
   * no response.
   */
  call<E extends Endpoint>(endpoint: E, options?: CallOptions<E>): Promise<ReplyOf<E>>
  fetch<E extends Endpoint>(endpoint: E, options?: CallOptions<E>): Promise<Response>
  token: string
}

export function apiClient(url: string, token: string): ApiClient {
  function request(endpoint: Endpoint, { params, query, body, headers, bytes, signal }: CallOptions<Endpoint>) {
    const search = new URLSearchParams(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]))
    const sent = bytes ?? (body === undefined ? undefined : JSON.stringify(body))
    return fetch(`${url}${fillPath(endpoint.path, params ?? {})}${search.size === 0 ? '' : `?${search.toString()}`}`, {
      method: endpoint.verb,
      headers: {
        ...(token !== '' && { 'x-auth-token': token }),
        ...(sent !== undefined && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
    })
  }

  return {
    token,
    fetch: (endpoint, options = {}) => request(endpoint, options),
    async call<E extends Endpoint>(endpoint: E, options: CallOptions<E> = {}): Promise<ReplyOf<E>> {
      const response = await request(endpoint, options)
      const text = await response.text()
      if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<E>
      const { error } = JSON.parse(text) as ProblemBody
      const code = error.err_code in problemStatus ? (error.err_code as ProblemCode) : 'unknown'
      throw new Problem(code, error.message, { fields: error.fields, data: error.data })
    },
  }
}

/** Signs in and returns a client with a system token, or with a token for one of the user's projects. */
export async function signIn(
  url: string,
  who: { username: string; password: string; domain?: string; project?: string },
): Promise<ApiClient> {
  const { username, password, domain, project } = who
  const { token } = await apiClient(url, '').call(session.login, {
    body: { username, password, ...(domain !== undefined && { domain }) },
  })
  const unscoped = apiClient(url, token!)
  if (project === undefined) return unscoped
  const { data } = await unscoped.call(session.projects)
  const entered = data.find(({ name }) => name === project)
  if (!entered)
    throw new Error(`${username} has no project "${project}"; there are ${data.map((it) => it.name).join(', ')}`)
  const scoped = await unscoped.call(session.enterProject, { params: { id: entered.id } })
  return apiClient(url, scoped.token)
}
