import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'

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
    ['our page with a cookie alone', () => ({ ...cookie(), ...ours() }), 403],
    ['a browser that says only Sec-Fetch-Site', () => ({ ...cookie(), 'sec-fetch-site': 'same-origin' }), 403],
    ['a foreign page with the cookie', () => ({ ...cookie(), ...foreign, ...requestedWith }), 403],
    ['a foreign page with a token', () => ({ ...key(), ...foreign }), 403],
    ['a sandboxed page', () => ({ ...cookie(), origin: 'null', ...requestedWith }), 403],
    ['a foreign site without Origin', () => ({ ...cookie(), 'sec-fetch-site': 'cross-site', ...requestedWith }), 403],
    ['an origin of garbage', () => ({ ...cookie(), origin: 'http://[', ...requestedWith }), 403],
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

  it('such as a sign-in is not taken from another site', async () => {
    const body = { username: 'admin', password: 'x' }
    const response = await server.fetch(session.login, { body, headers: foreign })
    expect(response.status).toBe(403)
  })
})

describe('a call that reads', () => {
  it('needs nothing but the session from our page or a link', async () => {
    for (const headers of [ours(), { 'sec-fetch-site': 'none' }, {}])
      expect((await server.fetch(session.whoami, { headers: { ...cookie(), ...headers } })).status).toBe(200)
  })

  it('is not answered to a foreign page', async () => {
    const response = await server.fetch(session.whoami, { headers: { ...cookie(), ...foreign } })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})
