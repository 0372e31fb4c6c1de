import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A user as returned by the admin operations of the gateway. */
export interface FakeUser {
  user_id: string
  suspended: number
  keys: { access_key: string; secret_key: string }[]
  caps: { type: string; perm: string }[]
  user_quota: { enabled: boolean; max_size: number; max_objects: number }
}

/** An in-memory gateway: admin operations, and enough of S3 to show what reaches it. It does not verify signatures. */
export interface FakeGateway {
  url: string
  users: Map<string, FakeUser>
  /** Complete objects by path. */
  objects: Map<string, { bytes: Buffer; headers: IncomingMessage['headers'] }>
  /** Method and URL of all requests. */
  asked: string[]
  /** Paths of requests whose connection was closed before the body was complete. */
  brokenOff: string[]
  /** Simulated failures: an error code, a status, or a delay in milliseconds. */
  trouble: { code?: string; delayMs?: number; status?: number }
  close(): Promise<void>
}

export const ADMIN_KEY = 'ADMINISTRATOR'
const administrator = (): FakeUser => ({
  ...{ user_id: 'mainstay', suspended: 0, keys: [{ access_key: ADMIN_KEY, secret_key: 'secret' }] },
  caps: ['users', 'buckets'].map((type) => ({ type, perm: '*' })),
  user_quota: { enabled: false, max_size: -1, max_objects: -1 },
})

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}

const refusal = (code: string) => JSON.stringify({ Code: code })

export async function startFakeGateway(): Promise<FakeGateway> {
  const users = new Map([['mainstay', administrator()]])
  const objects: FakeGateway['objects'] = new Map()
  const asked: string[] = []
  const brokenOff: string[] = []
  const trouble: FakeGateway['trouble'] = {}

  function ofUser(user: FakeUser | undefined, query: URLSearchParams, method: string, body: string): [number, unknown] {
    if (!user) return [404, { Code: 'NoSuchUser' }]
    if (query.has('quota')) {
      user.user_quota = JSON.parse(body) as FakeUser['user_quota']
      return [200, '']
    }
    const key = query.get('access-key')
    if (query.has('key') && method === 'DELETE') {
      user.keys = user.keys.filter(({ access_key }) => access_key !== key)
      return [200, '']
    }
    if (query.has('key')) {
      user.keys.push({ access_key: key!, secret_key: randomBytes(30).toString('hex') })
      return [200, user.keys]
    }
    if (method === 'POST') user.suspended = query.get('suspended') === 'true' ? 1 : 0
    return [200, user]
  }

  function administer(method: string, { pathname, searchParams: query }: URL, body: string): [number, unknown] {
    if (pathname === '/admin/bucket') return [200, []]
    const id = query.get('uid') ?? ''
    if (method === 'PUT' && !query.has('key') && !query.has('quota')) {
      if (users.has(id)) return [409, { Code: 'UserAlreadyExists' }]
      const suspended = query.get('suspended') === 'true' ? 1 : 0
      users.set(id, { ...administrator(), user_id: id, suspended, keys: [], caps: [] })
    }
    const byKey = [...users.values()].find(({ keys }) => keys.some((key) => key.access_key === query.get('access-key')))
    return ofUser(id === '' ? byKey : users.get(id), query, method, body)
  }

  async function store(request: IncomingMessage, response: ServerResponse, { pathname, searchParams }: URL) {
    if (pathname.endsWith('/early') || pathname.endsWith('/midway')) {
      if (pathname.endsWith('/midway')) await once(request, 'data')
      // the rest of the body is discarded, as on a real gateway
      request.resume()
      return response.writeHead(403).end('<Error><Code>QuotaExceeded</Code></Error>')
    }
    const bytes = await bytesOf(request)
    if (searchParams.has('uploadId'))
      return response.end('<CompleteMultipartUploadResult><ETag></ETag></CompleteMultipartUploadResult>')
    if (request.method === 'PUT') objects.set(pathname, { bytes, headers: request.headers })
    const known = objects.get(pathname)?.bytes
    if (!known) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
    response.setHeader('etag', `"${createHash('md5').update(known).digest('hex')}"`)
    return response.end(request.method === 'GET' ? known : '')
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    asked.push(`${request.method} ${request.url}`)
    const url = new URL(request.url!, 'http://gateway')
    if (trouble.delayMs) await new Promise((resolve) => setTimeout(resolve, trouble.delayMs))
    if (!url.pathname.startsWith('/admin/')) return void (await store(request, response, url))
    const body = (await bytesOf(request)).toString()
    if (trouble.code) return void response.writeHead(trouble.status ?? 403).end(refusal(trouble.code))
    const [status, told] = administer(request.method!, url, body)
    response.writeHead(status).end(told === '' ? '' : JSON.stringify(told))
  }

  const server = http.createServer((request, response) => {
    answer(request, response).catch(() => {
      brokenOff.push(request.url!)
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ users, objects, asked, brokenOff, trouble },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
