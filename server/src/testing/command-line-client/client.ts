import { expect } from 'vitest'

/*
 * Imitates the public command-line client: it keeps cookies with an expiry between commands, sends a project's token in
 * a header, accepts only `application/json` as JSON, treats an unexpected body as a failure, uses the ID of the last
 * row for paging, and polls.
 */

/**
 * Expected shape of a response: `s` string, `n` number, `b` boolean, `o` object; `?` also allows null or a missing
 * value.
 */
export type Shape = 's' | 'n' | 'b' | 'o' | 's?' | 'n?' | 'o?' | readonly [Shape] | { readonly [key: string]: Shape }

/** A request with the expected response. `{name}` in strings is replaced by the value kept under that name. */
export interface Exchange {
  /** For example `GET /api/v2/compute/servers?limit=5`. */
  send: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
  bytes?: Uint8Array
  /** Sends the body as a form without a file: these fields are in the part `json`. */
  asForm?: true
  status: number
  /** If omitted, the response must be empty. */
  shape?: Shape
  /** Paths of response values that later requests use: `{ server: 'id' }`. */
  keep?: Readonly<Record<string, string>>
  /** Expected values by dotted path. */
  equals?: Readonly<Record<string, unknown>>
  /** Repeats the request while the field has one of the `waits` values, and then fails unless the value is `is`. */
  until?: { field: string; is: string; waits: readonly string[] }
  /** Repeats the request until the object no longer exists. */
  isGoing?: true
  /** The response is a list: the shape is that of a row, and pages are requested until one is empty. */
  pages?: true
  /** Looks up the row with this name or ID in the list filtered by name, and keeps it. */
  find?: { name: string; keep: string }
  /** The response is binary, not JSON. */
  isBytes?: true
}

interface Cookie {
  value: string
  /** Milliseconds since 1970. */
  until: number
}

/** Cookies stored on disk between commands. */
export type CookieJar = Map<string, Cookie>

/** Applies `Set-Cookie` headers: keeps cookies with an expiry and drops expired ones. */
export function keepCookies(jar: CookieJar, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const named = (wanted: string) =>
      attributes.find((it) => it.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
    const [maxAge, expires] = [named('max-age'), named('expires')]
    const until = maxAge !== undefined ? Date.now() + Number(maxAge) * 1000 : Date.parse(expires ?? '')
    if (until > Date.now()) jar.set(name, { value, until })
    else jar.delete(name)
  }
}

interface RequestBody {
  body?: unknown
  bytes?: Uint8Array | undefined
  asForm?: true | undefined
}

/** Encodes a request that may include files: like the client, sends the fields as one part of a form. */
function formOf(fields: unknown): FormData {
  const form = new FormData()
  form.set('json', JSON.stringify(fields))
  return form
}

const POLL_MS = 40
const PATIENCE_MS = 20_000

/** One run of the client, for a single command. */
export class CommandLineClient {
  readonly url: string
  readonly jar: CookieJar
  private token: string | null = null
  readonly kept: Map<string, unknown>

  constructor(url: string, jar: CookieJar, kept: Map<string, unknown>) {
    this.url = url
    this.jar = jar
    this.kept = kept
  }

  /** Signs in unless there is a session cookie, and enters the project, if any. */
  async begin(who: { username: string; password: string; domain: string; project: string | null }): Promise<void> {
    const cookie = this.jar.get('session')
    if (!cookie || cookie.until < Date.now()) {
      const { username, password, domain } = who
      const login = await this.request('POST', '/api/v2/login', { body: { username, password, domain } })
      expect(login.status).toBe(200)
      expect(login.body).toMatchObject({ domain_id: expect.any(String), token: expect.any(String) })
      keepCookies(this.jar, login.headers)
      expect(this.jar.has('session'), 'a session cookie with an end').toBe(true)
    }
    if (who.project === null) return
    const { body } = await this.request('GET', '/api/v2/accounts/projects')
    const { data } = body as { data: { id: string; name: string }[] }
    const project = data.find(({ id, name }) => [id, name].includes(who.project!))
    expect(project, `the project ${who.project}`).toBeDefined()
    this.kept.set('project', project!.id)
    const entered = await this.request('POST', `/api/v2/accounts/projects/${project!.id}/auth`)
    this.token = (entered.body as { token: string }).token
  }

  async run(exchange: Exchange): Promise<void> {
    const { send, find, pages, until, isGoing } = exchange
    if (pages) return this.allPages(exchange)
    if (find) return this.find(send, find)
    if (isGoing) await this.gone(send)
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const answer = await this.once(exchange)
      const state = until && valueAt(answer, until.field)
      if (!until || state === until.is) return
      if (!until.waits.includes(String(state)) || Date.now() > end)
        throw new Error(`${send}: ${until.field} is ${String(state)}, not ${until.is}: ${JSON.stringify(answer)}`)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  private async gone(send: string): Promise<void> {
    const [verb = '', path = ''] = this.filled(send).split(/ (.*)/s)
    const end = Date.now() + PATIENCE_MS
    while ((await this.request(verb, path)).status === 200 && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }

  private async once(exchange: Exchange): Promise<unknown> {
    const { send, body, headers = {}, bytes, asForm, status, shape, keep = {}, equals = {}, isBytes } = exchange
    const [verb = '', path = ''] = this.filled(send).split(/ (.*)/s)
    const answer = await this.request(verb, path, {
      body: this.filledIn(body),
      headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, this.filled(text)])),
      bytes,
      asForm,
    })
    const told = `${verb} ${path}: ${answer.status} ${answer.text.slice(0, 400)}`
    expect(answer.status, told).toBe(status)
    if (isBytes) return answer.text
    if (shape === undefined) expect(answer.text, `${told}: a body counts as a failure`).toBe('')
    else expect(faults(answer.body, shape, verb), told).toEqual([])
    for (const [place, value] of Object.entries(equals))
      expect(valueAt(answer.body, place), `${told}: ${place}`).toEqual(this.filledIn(value))
    for (const [name, place] of Object.entries(keep)) this.kept.set(name, valueAt(answer.body, place))
    return answer.body
  }

  private async allPages({ send, shape, status }: Exchange): Promise<void> {
    const [verb = '', address = ''] = this.filled(send).split(/ (.*)/s)
    const seen = new Set<string>()
    for (let marker: string | null = null; ;) {
      const more: string = marker === null ? '' : `${address.includes('?') ? '&' : '?'}marker=${marker}`
      const { status: given, body, text } = await this.request(verb, `${address}${more}`)
      expect(given, `${send}: ${text}`).toBe(status)
      const rows = (Array.isArray(body) ? body : (body as { data: unknown[] }).data) as { id: string }[]
      if (rows.length === 0) break
      for (const row of rows) {
        expect(faults(row, shape!, send)).toEqual([])
        expect(seen.has(row.id), `${send}: ${row.id} comes twice`).toBe(false)
        seen.add(row.id)
      }
      marker = rows.at(-1)!.id
    }
    expect(seen.size, `${send}: no rows`).toBeGreaterThan(0)
  }

  /**
   * Looks up a row by the argument that a user entered: a UUID is requested directly, anything else is looked up in the
   * list filtered by name.
   */
  private async find(send: string, { name, keep }: { name: string; keep: string }): Promise<void> {
    const path = this.filled(send).replace(/^GET /, '')
    const wanted = this.filled(name)
    const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(wanted)
    const { status, body, text } = await this.request(
      'GET',
      isUuid ? `${path}/${wanted}` : `${path}/?name=${encodeURIComponent(wanted)}`,
    )
    expect(status, `${path} ${wanted}: ${text}`).toBe(200)
    const rows = isUuid ? [body] : (body as { data: unknown[] }).data
    const found = (rows as { id: string; name?: string }[]).filter((row) => [row.id, row.name].includes(wanted))
    expect(found.length, `${path} ${wanted}: ${text}`).toBe(1)
    this.kept.set(keep, found[0]!.id)
  }

  private async request(
    verb: string,
    path: string,
    { body, headers = {}, bytes, asForm }: RequestBody & { headers?: Record<string, string> } = {},
  ) {
    const session = this.jar.get('session')
    const sent = bytes ?? (body === undefined ? undefined : asForm ? formOf(body) : JSON.stringify(body))
    const response = await fetch(`${this.url}${path}`, {
      method: verb,
      headers: {
        'x-requested-with': 'XMLHttpRequest',
        ...(session && { cookie: `session=${session.value}` }),
        ...(this.token !== null && { 'x-auth-token': this.token }),
        ...(sent !== undefined &&
          !asForm && { 'content-type': bytes ? 'application/octet-stream' : 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent as BodyInit }),
    })
    const text = await response.text()
    expect(response.headers.get('x-request-id')).not.toBeNull()
    // the client treats JSON with a content type parameter as text and fails
    const isJson = response.headers.get('content-type') === 'application/json'
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? (JSON.parse(text) as unknown) : text,
    }
  }

  private filled(text: string): string {
    return text.replace(/\{(\w+)\}/g, (all, name: string) => (this.kept.has(name) ? String(this.kept.get(name)) : all))
  }

  private filledIn(value: unknown): unknown {
    if (typeof value === 'string') return this.filled(value)
    if (Array.isArray(value)) return value.map((item) => this.filledIn(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.filledIn(inner)]))
  }
}

const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, step) => (at as Record<string, unknown> | null | undefined)?.[step], value)

const types = { s: 'string', n: 'number', b: 'boolean', o: 'object' } as const

/** Differences between a value and its expected shape. */
function faults(value: unknown, shape: Shape, at: string): string[] {
  if (typeof shape === 'string') {
    const mayLack = shape.endsWith('?')
    if (mayLack && (value === null || value === undefined)) return []
    const wanted = types[shape[0] as keyof typeof types]
    return typeof value === wanted && value !== null ? [] : [`${at} is no ${wanted}: ${JSON.stringify(value)}`]
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is no list: ${JSON.stringify(value)}`]
    return value.flatMap((item, place) => faults(item, shape[0] as Shape, `${at}.${place}`))
  }
  if (typeof value !== 'object' || value === null) return [`${at} is no object: ${JSON.stringify(value)}`]
  return Object.entries(shape).flatMap(([key, inner]) =>
    faults((value as Record<string, unknown>)[key], inner, `${at}.${key}`),
  )
}
