import { get, request, type RequestOptions } from 'node:https'
import { connect, type SecureVersion } from 'node:tls'
import { expect, it } from 'vitest'
import { program, withProgramOverTls } from '../testing/program-over-tls'
import { ADMIN_PASSWORD } from '../testing/server-program'

/* Runs the whole program with its own certificate and sends requests as another machine would. */

withProgramOverTls()

const unknownAuthority = { rejectUnauthorized: false }

const headersOf = (url: string): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    get(url, unknownAuthority, (answer) => resolve(answer.resume().headers)).on('error', reject)
  })

/** Status and cookies of a sign-in. */
function signIn(url: string, headers: Record<string, string>): Promise<{ status: number; cookies: string[] }> {
  const options: RequestOptions = {
    ...unknownAuthority,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
  }
  return new Promise((resolve, reject) => {
    const call = request(`${url}/api/v2/login`, options, (answer) =>
      resolve({ status: answer.statusCode!, cookies: answer.resume().headers['set-cookie'] ?? [] }),
    )
    call.on('error', reject).end(JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }))
  })
}

it('sends security headers and HSTS for one year with every response', async () => {
  for (const place of ['/', '/health', '/api/v2/panel', '/api/v2/nothing', '/nothing.js'])
    expect(await headersOf(`${program.url}${place}`), place).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    })
})

it.each(['TLSv1', 'TLSv1.1'] as const)('refuses a connection with %s', async (version: SecureVersion) => {
  const { port, hostname } = new URL(program.url)
  const made = new Promise((resolve) => {
    const socket = connect({
      ...{ host: hostname, port: Number(port), rejectUnauthorized: false },
      ...{ minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' },
    })
    socket.once('secureConnect', () => resolve(socket.getProtocol()))
    socket.once('error', () => resolve('refused'))
  })
  expect(await made).toBe('refused')
})

it('gives browsers one protected session cookie per panel, and programs a cookie named session [CO-049]', async () => {
  const names = async (url: string, headers: Record<string, string>) => {
    const { status, cookies } = await signIn(url, headers)
    expect(status).toBe(200)
    for (const line of cookies) expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=\d+$/)
    return cookies.map((line) => line.split('=')[0])
  }
  expect(await names(program.url, { origin: program.url })).toEqual(['__Host-session-self-service', '__Host-device'])
  expect(await names(program.adminUrl, { origin: program.adminUrl })).toEqual(['__Host-session-admin', '__Host-device'])
  expect(await names(program.adminUrl, {})).toEqual(['session'])
})

it('does not support TRACE', async () => {
  const status = await new Promise((resolve, reject) => {
    request(`${program.url}/api/v2/panel`, { ...unknownAuthority, method: 'TRACE' }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .on('error', reject)
      .end()
  })
  expect(status).toBe(404)
})
