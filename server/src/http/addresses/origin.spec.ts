import { once } from 'node:events'
import { connect } from 'node:net'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'
import { refuseForgery } from './origin'

let server: TestServer
let token: string
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })
  token = await server.login('superuser')
})
afterAll(() => server.close())

const key = () => ({ 'x-auth-token': token })
const cookie = () => ({ cookie: `session-self-service=${token}` })
const requestedWith = { 'x-requested-with': 'XMLHttpRequest' }
const ours = () => ({ origin: server.url })
const foreign = { origin: 'https://evil.example' }
const enter = (headers: Record<string, string>) =>
  server.fetch(session.enterProject, { params: { id: server.cast.projects['demo']!.id }, headers })

describe('a call that changes something', () => {
  it.each([
    ['a program with a cookie', () => cookie(), 200],
    ['a program with a token', () => key(), 200],
    ['our page with a cookie and X-Requested-With [CA-003]', () => ({ ...cookie(), ...ours(), ...requestedWith }), 200],
    ['our page with a token', () => ({ ...key(), ...ours() }), 200],
    ['our page with only a cookie', () => ({ ...cookie(), ...ours() }), 403],
    ['a browser that sends only Sec-Fetch-Site', () => ({ ...cookie(), 'sec-fetch-site': 'same-origin' }), 403],
    ['a foreign page with the cookie', () => ({ ...cookie(), ...foreign, ...requestedWith }), 403],
    ['a foreign page with a token', () => ({ ...key(), ...foreign }), 403],
    ['a sandboxed page', () => ({ ...cookie(), origin: 'null', ...requestedWith }), 403],
    ['a foreign site without Origin', () => ({ ...cookie(), 'sec-fetch-site': 'cross-site', ...requestedWith }), 403],
    ['a malformed origin', () => ({ ...cookie(), origin: 'http://[', ...requestedWith }), 403],
    [
      'our page behind a proxy',
      () => ({ ...cookie(), origin: 'https://cloud.example', 'x-forwarded-host': 'cloud.example', ...requestedWith }),
      200,
    ],
  ] as const)('from %s', async (_, headers, status) => {
    const response = await enter(headers())
    expect(response.status).toBe(status)
    if (status === 403) expect(await response.json()).toMatchObject({ error: { err_code: 'csrf' } })
  })

  it('is refused from another site, even for a sign-in', async () => {
    const body = { username: 'admin', password: 'x' }
    const response = await server.fetch(session.login, { body, headers: foreign })
    expect(response.status).toBe(403)
  })
})

describe('a call that reads', () => {
  it('requires only the session cookie if it comes from our page or a link', async () => {
    for (const headers of [ours(), { 'sec-fetch-site': 'none' }, {}])
      expect((await server.fetch(session.whoami, { headers: { ...cookie(), ...headers } })).status).toBe(200)
  })

  it('is refused for a foreign page', async () => {
    const response = await server.fetch(session.whoami, { headers: { ...cookie(), ...foreign } })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('origins are compared as browsers compare them', () => {
  const refusal = (headers: Record<string, string>) => () => refuseForgery({ headers, unsafe: true, byCookie: false })

  it.each([
    ['https://console.example', { host: 'console.example:443' }],
    ['http://console.example', { host: 'console.example:80' }],
    ['https://console.example', { host: 'Console.Example' }],
    ['https://console.example', { host: 'console.example.' }],
    ['https://console.example:8800', { host: 'CONSOLE.example:8800' }],
    ['https://[2001:db8::1]', { host: '[2001:DB8:0::1]:443' }],
    ['https://console.example', { host: 'inside:8800', 'x-forwarded-host': 'console.example, console.example' }],
    ['https://console.example', { host: 'inside:8800', 'x-forwarded-host': 'console.example:443,inside' }],
    ['https://console.example', { host: 'inside:8800', 'x-forwarded-host': 'inside, Console.Example' }],
  ])('accepts a page from %s with headers %o', (origin, headers) => {
    expect(refusal({ origin, ...headers })).not.toThrow()
  })

  it.each([
    ['https://console.example', { host: 'console.example:80' }],
    ['http://console.example', { host: 'console.example:443' }],
    ['https://console.example', { host: 'console.example:8443' }],
    ['https://evil.example', { host: 'console.example', 'x-forwarded-host': 'console.example, other.example' }],
    ['https://console.example', { host: 'inside', 'x-forwarded-host': 'evil@console.example' }],
    ['https://console.example', { host: 'inside', 'x-forwarded-host': 'console.example/path' }],
    ['https://inside', { host: '', 'x-forwarded-host': '' }],
    ['ftp://console.example', { host: 'console.example' }],
    ['', { host: '' }],
  ])('refuses a page from %s with headers %o', (origin, headers) => {
    expect(refusal({ origin, ...headers })).toThrow('from other websites')
  })
})

it.each(['/api/v2/events/?EIO=4&transport=websocket', '/websockify?token=x'])(
  'opens a socket at %s only for programs and our own pages',
  async (path) => {
    const { host, hostname, port } = new URL(server.url)
    const open = async (...headers: string[]) => {
      const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
      const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: Upgrade', ...upgrade, ...headers]
      const socket = connect(Number(port), hostname)
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      const [answer] = await once(socket, 'data')
      socket.destroy()
      return String(answer).slice(9, 12)
    }
    const [own, foreign] = [await open(), await open('Origin: https://evil.example')]
    expect(['101', '401']).toContain(own)
    expect(await open(`Origin: http://${host}`)).toBe(own)
    expect(foreign).toBe('403')
    expect(await open('Sec-Fetch-Site: cross-site')).toBe('403')
  },
)
