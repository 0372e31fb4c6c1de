import { createHash } from 'node:crypto'
import { createServer as listen, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openOutside, type OutsideOptions } from './fetch-file'

/** Raw responses by path, each on its own connection. Paths that are not listed get no response. */
let answers: Record<string, (socket: Socket) => void>
let asked: string[]
let server: Server
let port: number
beforeEach(async () => {
  answers = {}
  asked = []
  server = listen((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (request) => {
      const path = /^GET (\S+)/.exec(request.toString())?.[1] ?? ''
      asked.push(path)
      answers[path]?.(socket)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})
const open = new Set<AbortController>()
afterEach(async () => {
  for (const controller of open) controller.abort()
  open.clear()
  await new Promise((done) => server.close(done))
})

const here = [{ address: '127.0.0.1', family: 4 }]
const outside = (options: Partial<OutsideOptions> = {}) =>
  openOutside({ trusted: ['127.0.0.1', 'files.test'], resolve: () => Promise.resolve(here), ...options })

const ok =
  (body: string, headers = `Content-Length: ${body.length}`) =>
  (socket: Socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\n${headers}\r\nConnection: close\r\n\r\n${body}`)
const redirect = (to: string) => (socket: Socket) =>
  void socket.end(`HTTP/1.1 302 Found\r\nLocation: ${to}\r\nContent-Length: 0\r\n\r\n`)
const chunked = 'Transfer-Encoding: chunked'

async function fetched(address: string, options: Partial<OutsideOptions> = {}, checksum: string | null = null) {
  const controller = new AbortController()
  open.add(controller)
  const { signal } = controller
  const bytes = await outside(options).file(new URL(address.replace('PORT', String(port))), { signal, checksum })
  return Buffer.concat(await bytes.toArray()).toString()
}
const code = (...given: Parameters<typeof fetched>) =>
  fetched(...given).then(
    (text) => `fetched ${text}`,
    (error: { code?: string; message: string }) => `${error.code}: ${error.message}`,
  )

it('fetches a file from the address returned by the first lookup', async () => {
  answers['/disk'] = ok('the disk')
  let looks = 0
  // returns another address in the second lookup, as in a DNS rebinding attack
  const resolve = async () => (looks++ === 0 ? here : [{ address: '192.0.2.1', family: 4 }])
  expect(await fetched('http://files.test:PORT/disk', { resolve })).toBe('the disk')
  expect(looks).toBe(1)
})

it('refuses internal hosts, whether given by address, by name, or as one of several addresses for a name', async () => {
  const mixed = async () => [{ address: '8.8.8.8', family: 4 }, ...here]
  for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
    expect(await code(`https://${host}:PORT/disk`, { trusted: [] }), host).toMatch(
      /^import_forbidden: .*not on the public/,
    )
  expect(await code('https://inside.test:PORT/disk', { trusted: [], resolve: mixed })).toMatch(/^import_forbidden/)
  expect(asked).toEqual([])
})

it('allows only HTTPS for untrusted hosts', async () => {
  for (const address of ['http://8.8.8.8/disk', 'ftp://8.8.8.8/disk', 'file:///etc/passwd'])
    expect(await code(address), address).toMatch(/^import_forbidden: .*Use an HTTPS URL/)
})

it('refuses redirects to internal hosts or other schemes', async () => {
  answers['/to-name'] = redirect(`https://inside.test:${port}/secret`)
  answers['/to-address'] = redirect(`https://169.254.169.254/latest/meta-data`)
  answers['/to-file'] = redirect('file:///etc/passwd')
  answers['/to-http'] = redirect('http://8.8.8.8/disk')
  for (const path of ['/to-name', '/to-address', '/to-file', '/to-http'])
    expect(await code(`http://files.test:PORT${path}`), path).toMatch(/^import_forbidden/)
  expect(asked).not.toContain('/secret')
})

it('follows allowed redirects but stops at a redirect loop', async () => {
  answers['/first'] = redirect('/second')
  answers['/second'] = redirect(`http://127.0.0.1:${port}/disk`)
  answers['/disk'] = ok('the disk')
  answers['/circle'] = redirect('/circle')
  expect(await fetched('http://files.test:PORT/first')).toBe('the disk')
  expect(await code('http://files.test:PORT/circle')).toMatch(/^import_failed: .*redirects more than 5 times/)
})

it('reports the status or encoding if the response is not a plain file', async () => {
  answers['/gone'] = (socket) => void socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
  answers['/packed'] = ok('xx', 'Content-Encoding: gzip\r\nContent-Length: 2')
  expect(await code('http://files.test:PORT/gone')).toMatch(/^import_failed: files\.test:\d+ returned status 404/)
  expect(await code('http://files.test:PORT/packed')).toMatch(/^import_failed: .*content encoding gzip/)
})

it('refuses a truncated file', async () => {
  answers['/short'] = ok('half', 'Content-Length: 8')
  answers['/open'] = (socket) => void socket.end(`HTTP/1.1 200 OK\r\n${chunked}\r\n\r\n4\r\nhalf\r\n`)
  expect(await code('http://files.test:PORT/short')).toMatch(/^import_failed: .*closed the connection after 4 bytes/)
  expect(await code('http://files.test:PORT/open')).toMatch(/^import_failed: .*closed the connection after 4 bytes/)
})

it('refuses a file whose announced or actual size is too large', async () => {
  const limits = { mostBytes: 100 }
  answers['/announced'] = ok('', 'Content-Length: 101')
  answers['/endless'] = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${chunked}\r\n\r\n`)
    const more = setInterval(() => socket.write('4\r\nmore\r\n'), 1)
    socket.on('close', () => clearInterval(more))
  }
  expect(await code('http://files.test:PORT/announced', { limits })).toMatch(/^too_large/)
  expect(await code('http://files.test:PORT/endless', { limits })).toMatch(/^too_large/)
})

it('times out if a server does not respond, stalls or never finishes', async () => {
  answers['/silent'] = () => undefined
  answers['/stops'] = (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf')
  answers['/drips'] = (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${chunked}\r\n\r\n`)
    const drip = setInterval(() => socket.write('1\r\n.\r\n'), 20)
    socket.on('close', () => clearInterval(drip))
  }
  const never = async () => new Promise<never>(() => undefined)
  expect(await code('http://files.test:PORT/silent', { limits: { answerMs: 100 } })).toMatch(/is not responding/)
  expect(await code('http://files.test:PORT/x', { resolve: never, limits: { answerMs: 100 } })).toMatch(
    /is not responding/,
  )
  expect(await code('http://files.test:PORT/stops', { limits: { idleMs: 100 } })).toMatch(/stopped sending/)
  expect(await code('http://files.test:PORT/drips', { limits: { wholeMs: 1000 } })).toMatch(/did not finish/)
})

it('verifies the checksum of a file', async () => {
  answers['/disk'] = ok('the disk')
  const sha256 = createHash('sha256').update('the disk').digest('hex')
  const sha512 = createHash('sha512').update('the disk').digest('hex')
  expect(await fetched('http://files.test:PORT/disk', {}, `sha256:${sha256.toUpperCase()}`)).toBe('the disk')
  expect(await fetched('http://files.test:PORT/disk', {}, `sha512:${sha512}`)).toBe('the disk')
  expect(await code('http://files.test:PORT/disk', {}, `sha256:${'0'.repeat(64)}`)).toBe(
    `checksum_mismatch: The file does not match the checksum. Its checksum is sha256:${sha256}.`,
  )
})
