import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PASSWORD, type PersonaName } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

/* Limits for S3 calls that the embedded engine serves on connections to the console. */

const IDLE_MS = 400
const MiB = 1024 * 1024
const as = 'project-member'
const bucket = 'within'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ uploadTimeoutMs: IDLE_MS })
  await server.call(s3Service.create, { as: 'superuser' })
  expect((await ask('')).status).toBe(404)
  expect((await ask('', { method: 'PUT' })).status).toBe(200)
})
afterAll(() => server.close())

const authorization = 'AWS4-HMAC-SHA256 Credential=session'
const tokenOf = async (who: PersonaName = as) => ({ authorization, 'x-auth-token': await server.signIn(who) })
const addressOf = (key: string) => `${S3_PROXY_PATH}/${bucket}${key === '' ? '' : `/${key}`}`

async function ask(
  key: string,
  options: { who?: PersonaName; method?: string; body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Response> {
  const { who = as, method = 'GET', body, headers = {} } = options
  return fetch(`${server.url}${addressOf(key)}`, {
    ...{ method, headers: { ...(await tokenOf(who)), ...headers } },
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  })
}
const codeIn = (xml: string) => /<Code>(\w+)<\/Code>/.exec(xml)?.[1]

it('refuses an upload that stalls, and stores nothing', async () => {
  const { hostname, port } = new URL(server.url)
  const headers = { ...(await tokenOf()), 'content-length': '100' }
  const sent = http.request({ hostname, port, method: 'PUT', path: addressOf('still'), headers })
  sent.on('error', () => undefined).write('begun')
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  expect([response.statusCode, codeIn((await response.toArray()).join(''))]).toEqual([400, 'RequestTimeout'])
  sent.destroy()
  expect((await ask('still')).status).toBe(404)
})

it('disconnects a client that does not read the response', { tags: 'all' }, async () => {
  await ask('large', { method: 'PUT', body: Buffer.alloc(48 * MiB) })
  const { hostname, port } = new URL(server.url)
  const socket = net.connect(Number(port), hostname)
  const { authorization: signature, 'x-auth-token': token } = await tokenOf()
  socket.write(
    `GET ${addressOf('large')} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n` +
      `authorization: ${signature}\r\nx-auth-token: ${token}\r\n\r\n`,
  )
  await once(socket, 'connect')
  socket.pause()
  await pause(5 * IDLE_MS)
  const got = (await socket.on('error', () => undefined).toArray()).reduce(
    (sum: number, part: Buffer) => sum + part.length,
    0,
  )
  expect(got).toBeGreaterThan(0)
  expect(got).toBeLessThan(48 * MiB)
})

it('passes the headers of S3 errors on to the client', async () => {
  await ask('short', { method: 'PUT', body: 'short' })
  const beyond = await ask('short', { headers: { range: 'bytes=10-' } })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */5'])
  const etag = (await ask('short')).headers.get('etag')!
  const known = await ask('short', { headers: { 'if-none-match': etag } })
  expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, etag, ''])
  const missing = await ask('nothing')
  expect(missing.headers.get('x-amz-request-id')).toMatch(/^[0-9A-F]{16}$/)
  expect([missing.headers.get('server'), missing.headers.get('x-content-type-options')]).toEqual([null, 'nosniff'])
})

it('refuses callers who have signed out or been disabled', async () => {
  const { user, domain } = server.cast.people['other-member']
  const { token } = await server.call(session.login, {
    body: { username: user.name, password: PASSWORD, domain: domain.name },
  })
  const answerTo = async (headers: Record<string, string>) => {
    const answer = await fetch(`${server.url}${addressOf('')}`, { headers: { authorization, ...headers } })
    return `${answer.status} ${codeIn(await answer.text())}`
  }
  // these requests are authenticated, but the bucket belongs to another user
  const own = { 'x-auth-token': token! }
  expect(await answerTo(own)).toBe('403 AccessDenied')
  await server.call(session.logout, { as: { token: token! } })
  expect(await answerTo(own)).toBe('401 unauthorized')

  const before = await tokenOf('other-member')
  expect(await answerTo(before)).toBe('403 AccessDenied')
  await server.call(users.update, {
    ...{ as: 'superuser', params: { domain_id: domain.id, id: user.id }, body: { enabled: false } },
  })
  const told = performance.now()
  await expect.poll(() => answerTo(before), { interval: 20 }).toBe('403 access_disabled')
  expect(performance.now() - told).toBeLessThan(1500)
})
