import type { Call } from './calls'

/** A failed API call. `status` is 0 if the server was unreachable. */
export class CallError extends Error {
  readonly status: number
  /** Error code from the server, or null if it sent none. */
  readonly code: string | null
  constructor(status: number, message: string, code: string | null = null) {
    super(message)
    this.status = status
    this.code = code
  }
}

interface Problem {
  error?: { message?: string; err_code?: string; fields?: Record<string, string[]> }
}

/**
 * Server and credentials. They come only from the environment, because other users on the host can see command lines.
 */
export interface Access {
  url: string
  token: string | null
  username: string | null
  password: string | null
  domain: string | null
  project: string | null
}

/** Reads the access settings. If `isOfAdminPanel` is set, uses the admin panel's URL. */
export function accessFrom(environment: Record<string, string | undefined>, isOfAdminPanel: boolean): Access {
  const of = (name: string) => environment[`MAINSTAY_${name}`] || null
  const url = isOfAdminPanel
    ? (of('ADMIN_URL') ?? of('URL') ?? 'http://localhost:8888')
    : (of('URL') ?? 'http://localhost:8800')
  return {
    url: url.replace(/\/+$/, ''),
    token: of('TOKEN'),
    username: of('USERNAME'),
    password: of('PASSWORD'),
    domain: of('DOMAIN'),
    project: of('PROJECT'),
  }
}

export interface Asked {
  verb: string
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: unknown
  file?: Blob
}

export interface Client {
  send(asked: Asked): Promise<Response>
  json(asked: Asked): Promise<unknown>
  /** Signs out if this client has signed in. */
  close(): Promise<void>
}

async function errorOf(response: Response): Promise<CallError> {
  const { status, statusText } = response
  const text = await response.text().catch(() => '')
  try {
    const { error } = JSON.parse(text) as Problem
    const fields = Object.entries(error?.fields ?? {}).map(([name, messages]) => `\n  ${name}: ${messages.join(' ')}`)
    return new CallError(status, `${error?.message ?? statusText}${fields.join('')}`, error?.err_code ?? null)
  } catch {
    return new CallError(status, `The server returned ${status} ${statusText}`)
  }
}

/** Creates a client for the server at `access.url`. It signs in when a call requires a session. */
export function createClient(access: Access, isPublic: boolean): Client {
  let token = access.token
  let isOwnSession = false

  async function raw({ verb, path, query = {}, headers = {}, body, file }: Asked, as: string | null) {
    const parameters = new URLSearchParams(query).toString()
    const response = await fetch(`${access.url}${path}${parameters && `?${parameters}`}`, {
      method: verb,
      headers: {
        accept: 'application/json',
        ...(as !== null && { 'x-auth-token': as }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(file && { 'content-type': 'application/octet-stream' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(file && { body: file }),
    }).catch((error: unknown) => {
      const { cause } = error as { cause?: { message?: string } }
      throw new CallError(0, `Cannot reach ${access.url}${cause?.message ? `: ${cause.message}` : ''}`)
    })
    if (!response.ok) throw await errorOf(response)
    return response
  }

  const read = async (asked: Asked, as: string | null) => (await raw(asked, as)).json() as Promise<never>

  async function enter(user: { token: string }): Promise<string> {
    const { data } = (await read({ verb: 'GET', path: '/api/v2/accounts/projects' }, user.token)) as {
      data: { id: string; name: string; enabled: boolean }[]
    }
    const wanted = access.project
    const found = data.find(({ id, name, enabled }) => enabled && (wanted === null || id === wanted || name === wanted))
    if (!found && wanted !== null) throw new CallError(403, `Project "${wanted}" not found or not accessible`)
    if (!found) return user.token
    const path = `/api/v2/accounts/projects/${encodeURIComponent(found.id)}/auth`
    return ((await read({ verb: 'POST', path }, user.token)) as { token: string }).token
  }

  async function signIn(): Promise<string> {
    const { username, password, domain } = access
    if (username === null || password === null)
      throw new CallError(401, 'Set MAINSTAY_TOKEN, or MAINSTAY_USERNAME and MAINSTAY_PASSWORD, in the environment')
    const user = (await read(
      { verb: 'POST', path: '/api/v2/login', body: { username, password, ...(domain !== null && { domain }) } },
      null,
    )) as { token: string; scoped_token: string | null }
    isOwnSession = true
    token = user.token
    const { panel } = (await read({ verb: 'GET', path: '/api/v2/panel' }, null)) as { panel: string }
    token = user.scoped_token ?? (panel === 'admin' && access.project === null ? user.token : await enter(user))
    return token
  }

  const send = async (asked: Asked) => raw(asked, token ?? (isPublic ? null : await signIn()))
  return {
    send,
    json: async (asked) => {
      const text = await (await send(asked)).text()
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    },
    async close() {
      if (isOwnSession && token !== null) await raw({ verb: 'POST', path: '/api/v2/logout' }, token).catch(() => {})
    },
  }
}

/** Inserts the parameters into a call's path. */
export const pathOf = ({ path }: Pick<Call, 'path'>, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
