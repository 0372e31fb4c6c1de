import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * Responses from a real cloud, recorded in files next to the specs of their readers, so that mappings can be tested
 * without a cloud. Only reads and sign-ins are recorded, without tokens and secrets.
 */

/** A recorded request and its response. */
export interface Exchange {
  /** Verb and path, prefixed with the port of the service: `GET /8774/v2.1/servers/detail?limit=100`. */
  request: string
  status: number
  headers: Record<string, string>
  body: unknown
}

/** A loopback server that proxies or replaces a cloud. */
export interface Stage {
  /** URL for signing in. */
  authUrl: string
  close(): Promise<void>
}
export interface Recorder extends Stage {
  /** Returns the exchanges since the previous call, without secrets. */
  take(): Exchange[]
}
export interface Replay extends Stage {
  /** Recorded exchanges that were requested. */
  used: Exchange[]
  /** Requests without a recorded response. */
  missed: string[]
}

/** Placeholder for the server's URL in recorded bodies. */
const here = '{{cloud}}'
const keptHeaders = ['content-type', 'openstack-api-version', 'x-openstack-request-id', 'link']
const isSignIn = (request: string) => /^POST \S+\/auth\/tokens$/.test(request)
/** Fields that reveal details of the host or grant access. */
const secretFields = /^(adminPass|password|secret|audit_ids|user_data|OS-EXT-SRV-ATTR:user_data)$/

/** Forwards requests to the cloud whose Keystone is at `authUrl`, and records its responses. */
export async function openRecorder(authUrl: string): Promise<Recorder> {
  const { protocol, hostname } = new URL(authUrl)
  const origins = new RegExp(`${protocol}//${hostname.replaceAll('.', '\\.')}:(\\d+)`, 'g')
  let kept: Exchange[] = []

  const stage = await listen(async (request, reply, base) => {
    const [, port = '', path = ''] = /^\/(\d+)(.*)$/.exec(request.url ?? '') ?? []
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await fetch(`${protocol}//${hostname}:${port}${path}`, {
      method: request.method ?? 'GET',
      headers: forwarded(request),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = (await answer.text()).replaceAll(origins, `${base}/$1`)
    const what = `${request.method} ${request.url}`
    if (request.method === 'GET' || isSignIn(what))
      kept.push({ request: what, status: answer.status, headers: headersOf(answer), body: bodyOf(text, base) })
    reply.writeHead(answer.status, {
      ...headersOf(answer),
      ...(answer.headers.has('x-subject-token') && { 'x-subject-token': answer.headers.get('x-subject-token')! }),
    })
    reply.end(text)
  })
  return {
    authUrl: `${stage.base}/${new URL(authUrl).port}${new URL(authUrl).pathname}`,
    close: stage.close,
    take() {
      const taken = kept
      kept = []
      return taken
    },
  }
}

/** Replays recorded responses. Any credentials are accepted. */
export async function openReplay(exchanges: readonly Exchange[]): Promise<Replay> {
  const byRequest = new Map(exchanges.map((one) => [normal(one.request), one]))
  const used = new Set<Exchange>()
  const missed: string[] = []
  const stage = await listen(async (request, reply, base) => {
    request.resume()
    const what = `${request.method} ${request.url}`
    const found = byRequest.get(normal(what))
    if (!found) {
      missed.push(what)
      reply
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error": {"message": "This was not recorded"}}')
      return
    }
    used.add(found)
    const body = isSignIn(what) ? freshToken(found.body) : found.body
    reply.writeHead(found.status, { ...found.headers, ...(isSignIn(what) && { 'x-subject-token': 'recorded' }) })
    reply.end(JSON.stringify(body).replaceAll(here, base))
  })
  const signIn = exchanges.find(({ request }) => isSignIn(request))
  if (!signIn) throw new Error('no sign-in was recorded')
  const root = signIn.request.replace(/^POST /, '').replace(/\/auth\/tokens$/, '')
  return {
    authUrl: `${stage.base}${root}`,
    get used() {
      return [...used]
    },
    missed,
    close: stage.close,
  }
}

/** Sorts the query, so that the order of parameters does not matter. */
function normal(request: string): string {
  const [path = '', query = ''] = request.split('?')
  const pairs = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`).sort()
  return `${path}?${pairs.join('&')}`
}

/** Updates the dates in a recorded token, which has long since expired. */
function freshToken(body: unknown): unknown {
  const { token } = body as { token: object }
  const hour = 3_600_000
  const at = (ms: number) => new Date(Date.now() + ms).toISOString()
  return { token: { ...token, issued_at: at(0), expires_at: at(hour) } }
}

const bodyOf = (text: string, base: string): unknown =>
  text === ''
    ? null
    : (JSON.parse(text.replaceAll(base, here), (name, value: unknown) =>
        secretFields.test(name) && typeof value === 'string' ? '' : value,
      ) as unknown)

const headersOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries(keptHeaders.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])))

const forwarded = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !/^(host|connection|content-length|transfer-encoding|accept-encoding)$/.test(name)
        ? [[name, value]]
        : [],
    ),
  )

async function listen(
  answer: (request: IncomingMessage, reply: ServerResponse, base: string) => Promise<void>,
): Promise<{ base: string; close(): Promise<void> }> {
  const server = createServer((request, reply) => {
    answer(request, reply, base).catch((error: unknown) => {
      reply.writeHead(502, { 'content-type': 'text/plain' }).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    base,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
