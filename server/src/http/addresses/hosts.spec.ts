import type { IncomingMessage } from 'node:http'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawRequest } from '../../testing/raw-request'
import { startServer, type TestServer } from '../../testing/start-server'
import { hostName } from './hosts'
import { peersOf } from './peers'

/** A separate address for the reverse proxy. */
const PROXY = '127.0.0.9'

let server: TestServer
beforeAll(async () => {
  server = await startServer({
    environment: { MAINSTAY_HOSTS: 'console.example,Other.Example', MAINSTAY_PROXIES: `${PROXY}/32,10.0.0.0/8` },
  })
})
afterAll(() => server.close())

const ask = (headers: string[], from?: string, path = '/health') =>
  rawRequest(server.url, `GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`, from)
const statusOf = (answer: string) => Number(answer.split(' ')[1])

test.each([
  '127.0.0.1',
  '127.0.0.1:8800',
  'localhost:1',
  'LOCALHOST.',
  'a.localhost',
  '[::1]:8800',
  'console.example',
  'other.example:443',
])('a server on loopback accepts the host name %s', async (name) =>
  expect(statusOf(await ask([`Host: ${name}`]))).toBe(200),
)

test('refuses any other name on loopback and explains how to allow it', async () => {
  for (const path of ['/', '/health', '/api/v2/panel']) {
    const answer = await ask(['Host: evil.example:8800'], undefined, path)
    expect(statusOf(answer)).toBe(421)
    expect(answer).toContain('This server does not accept requests for the host name evil.example.')
    expect(answer).toContain('MAINSTAY_HOSTS')
  }
  for (const name of ['10.0.0.5', '127.evil.example', 'localhost.evil.example'])
    expect(statusOf(await ask([`Host: ${name}`]))).toBe(421)
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: eA==']
  for (const path of ['/api/v2/events/?EIO=4&transport=websocket', '/websockify?token=x'])
    expect(statusOf(await ask(['Host: evil.example', ...upgrade], undefined, path))).toBe(421)
})

test('accepts any name from a trusted proxy', async () => {
  expect(statusOf(await ask(['Host: anything.example'], PROXY))).toBe(200)
})

test('refuses repeated and malformed Host headers', async () => {
  expect(statusOf(await ask(['Host: localhost', 'Host: localhost']))).toBe(400)
  expect(statusOf(await ask(['Host: localhost', 'hOST: evil.example']))).toBe(400)
  expect(statusOf(await ask(['Host: a b']))).toBe(400)
  expect([hostName('[::1'), hostName('a/b'), hostName('a@b'), hostName('A.b:80')]).toEqual([null, null, null, 'a.b'])
})

test('trusts forwarding headers only from a proxy', async () => {
  const body = JSON.stringify({ username: 'nobody', password: 'wrong' })
  const login = (from?: string) =>
    rawRequest(
      server.url,
      [
        `POST ${session.login.path} HTTP/1.1`,
        'Host: localhost',
        'Origin: http://evil.example',
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-For: 192.0.2.77',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
      from,
    )
  expect(statusOf(await login())).toBe(403)
  expect(statusOf(await login(PROXY))).toBe(401)
  const lines = await server.sql.query<{ address: string }>('select address from audit')
  expect(lines.map(({ address }) => address)).toEqual(['192.0.2.77'])
})

test('keeps only the trailing IP addresses of X-Forwarded-For, without ports', () => {
  const told = (forwarded: string | undefined, from = PROXY) => {
    const request = { headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: from } }
    peersOf([PROXY]).dropUntrusted(request as unknown as IncomingMessage)
    return request.headers['x-forwarded-for']
  }
  expect(told('198.51.100.7, 192.0.2.7')).toBe('198.51.100.7, 192.0.2.7')
  expect(told('192.0.2.7:4711, [2001:db8::7]:80,2001:db8::8')).toBe('192.0.2.7, 2001:db8::7, 2001:db8::8')
  expect(told('garbage, 192.0.2.7')).toBe('192.0.2.7')
  for (const none of ['garbage', '192.0.2.7, unknown', '192.0.2.7:99:1', '', undefined])
    expect(told(none)).toBeUndefined()
  expect(told('192.0.2.7', '203.0.113.9')).toBeUndefined()
})
