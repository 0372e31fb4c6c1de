import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import { expect, it, vi } from 'vitest'
import { makeTestCertificate } from '../testing/certificates/certificates'
import { program, startAgain, withProgramOverTls } from '../testing/program-over-tls'
import { ADMIN_PASSWORD } from '../testing/server-program'

/* Runs the whole program and connects to it over TLS while its certificate is replaced. */

withProgramOverTls()

function call(url: string, method: string, body: object, token?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { 'x-auth-token': token }) }
    const sent = request(url, { method, headers, rejectUnauthorized: false, agent: false }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => resolve({ status: answer.statusCode!, body: text }))
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

const connected = (url: string): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url)
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => resolve(socket))
    socket.on('error', reject)
  })
const fingerprintAt = async (url: string): Promise<string> => {
  const socket = await connected(url)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
/** Sends another request on an open connection and returns the status line. */
const asked = (socket: TLSSocket): Promise<string> =>
  new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString().split('\r\n')[0]!))
    socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
  })

it('prints its S3 endpoint at startup, with TLS if the other endpoints use it', async () => {
  await expect.poll(program.said).toMatch(/^ {2}object storage {3}https:\/\/127\.0\.0\.1:\d+$/m)
})

it('serves an uploaded certificate to new connections on both ports, and keeps existing connections open', async () => {
  const own = await makeTestCertificate({ names: ['localhost', '127.0.0.1'] })
  const open = await connected(program.adminUrl)
  const before = open.getPeerCertificate().fingerprint256
  expect(await asked(open)).toBe('HTTP/1.1 200 OK')
  const { body } = await call(`${program.adminUrl}/api/v2/login`, 'POST', {
    username: 'admin',
    password: ADMIN_PASSWORD,
  })
  const { token } = JSON.parse(body) as { token: string }
  const file = (name: string, text: string) => ({ name, data: Buffer.from(text).toString('base64') })
  const uploaded = await call(
    `${program.adminUrl}/api/v2/ssl`,
    'PUT',
    { cert: file('a.pem', own.cert), key: file('a.key', own.key) },
    token,
  )
  expect(uploaded.status).toBe(200)
  const after = own.issuer.certificate
  const wanted = Buffer.from(await after.getThumbprint('SHA-256'))
    .toString('hex')
    .toUpperCase()
  for (const url of [program.url, program.adminUrl])
    await vi.waitFor(async () => expect((await fingerprintAt(url)).replaceAll(':', '')).toBe(wanted))
  expect(wanted).not.toBe(before.replaceAll(':', ''))
  expect(await asked(open)).toBe('HTTP/1.1 200 OK')
  expect(open.getPeerCertificate().fingerprint256).toBe(before)
  open.destroy()
})

it('keeps the uploaded certificate after a restart', { tags: 'all' }, async () => {
  const before = await fingerprintAt(program.url)
  await startAgain()
  expect(await fingerprintAt(program.url)).toBe(before)
})
