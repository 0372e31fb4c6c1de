import type { AddressInfo } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { refusal } from '../../../conformance/cloud'
import { startEngineFixture, type EngineFixture } from '../../testing/engine-fixture'
import { fakeNetworks } from '../../testing/fake-cloud/networks'
import { fakeCompute } from '../../testing/fake-cloud/compute'
import { serverRefusal, type FakeServers } from '../../testing/fake-cloud/servers'
import { fakeVolumes } from '../../testing/fake-cloud/volumes'
import { instanceReader } from './reader'
import { consoleLog, hasSerialConsoles, openConsole, socketOf } from './consoles'

let fixture: EngineFixture
let nova: FakeServers
let proxy: WebSocketServer
let seen: IncomingMessage[]

beforeEach(async () => {
  fixture = await startEngineFixture([instanceReader])
  fakeNetworks(fixture.cloud)
  nova = fakeCompute(fixture.cloud, fakeVolumes(fixture.cloud))
  seen = []
  proxy = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'binary' })
  proxy.on('connection', (socket, request) => {
    seen.push(request)
    socket.send(Buffer.from('RFB 003.008\n'))
    socket.on('message', (data) => socket.send(data as Buffer))
  })
  await new Promise((resolve) => proxy.once('listening', resolve))
})
afterEach(async () => {
  for (const client of proxy.clients) client.terminate()
  proxy.close()
  await fixture.close()
})

async function add(status = 'ACTIVE'): Promise<string> {
  const { id } = nova.add({ status })
  await fixture.engine.refresh(instanceReader, id)
  return id
}
const offer = (url: string) =>
  fixture.cloud.on('compute', 'POST', '/servers/:id/remote-consoles', () => ({ body: { remote_console: { url } } }))
const here = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
const next = (stream: NodeJS.ReadableStream) => new Promise<Buffer>((resolve) => stream.once('data', resolve))

test('streams the console in both directions through the URL that the cloud returns', async () => {
  const id = await add()
  offer(`${here()}/vnc_lite.html?path=%3Ftoken%3Dabc`)
  const { stream, close } = await openConsole(fixture.engine, fixture.member, id, 'vnc')
  expect((await next(stream)).toString()).toBe('RFB 003.008\n')
  stream.write(Buffer.from([0, 255, 10]))
  expect([...(await next(stream))]).toEqual([0, 255, 10])
  expect(seen[0]!.url).toBe('/?token=abc')
  expect(seen[0]!.headers).toMatchObject({ 'sec-websocket-protocol': 'binary' })
  expect(seen[0]!.headers).not.toHaveProperty('origin')
  const gone = new Promise((resolve) => [...proxy.clients][0]!.once('close', resolve))
  close()
  await gone
})

test('refuses a console while the instance is off, the proxy is down, or the cloud offers none', async () => {
  const off = await add('SHUTOFF')
  const unavailable = { code: 'console_unavailable' }
  expect(await refusal(openConsole(fixture.engine, fixture.member, off, 'vnc'))).toMatchObject(unavailable)
  const id = await add()
  offer('http://127.0.0.1:1/vnc_lite.html?path=%3Ftoken%3Dabc')
  expect(await refusal(openConsole(fixture.engine, fixture.member, id, 'vnc'))).toMatchObject(unavailable)
  offer('file:///etc/passwd?token=abc')
  expect(await refusal(openConsole(fixture.engine, fixture.member, id, 'vnc'))).toMatchObject(unavailable)
  fixture.cloud.on('compute', 'POST', '/servers/:id/remote-consoles', () =>
    serverRefusal(409, 'conflictingRequest', 'Instance is not ready'),
  )
  expect(await refusal(openConsole(fixture.engine, fixture.member, id, 'vnc'))).toMatchObject(unavailable)
})

test('requests serial consoles by type, and detects support by requesting one for a running instance', async () => {
  const asked: unknown[] = []
  const answerWith = (answer: () => object) =>
    fixture.cloud.on('compute', 'POST', '/servers/:id/remote-consoles', ({ body }) => {
      asked.push(body)
      return answer()
    })
  const account = fixture.engine.reading.caller
  expect(await hasSerialConsoles(account)).toBeNull()
  const id = await add()
  answerWith(() => serverRefusal(400, 'badRequest', 'Unavailable console type serial.'))
  expect(await hasSerialConsoles(account)).toBe(false)
  answerWith(() => ({ body: { remote_console: { url: here().replace('http', 'ws') } } }))
  expect(await hasSerialConsoles(account)).toBe(true)
  const { stream, close } = await openConsole(fixture.engine, fixture.member, id, 'serial')
  await next(stream)
  close()
  expect(asked.at(-1)).toEqual({ remote_console: { protocol: 'serial', type: 'serial' } })
})

test.each([
  ['http://c:6080/vnc_lite.html?path=%3Ftoken%3Da', 'ws://c:6080/?token=a'],
  ['https://c/vnc_auto.html?path=websockify%3Ftoken%3Da', 'wss://c/websockify?token=a'],
  ['https://c/vnc/vnc.html?token=a', 'wss://c/websockify?token=a'],
  ['wss://c:6080/?token=a', 'wss://c:6080/?token=a'],
  ['https://c/vnc.html?path=//elsewhere/%3Ftoken%3Da', 'wss://c//elsewhere/?token=a'],
])('maps the console page %s to the WebSocket %s', (page, socket) => {
  expect(socketOf(page)?.href).toBe(socket)
})
test.each(['', 'no address', 'javascript:alert(1)', 'ftp://c/?token=a', 'http://c/vnc.html'])(
  'returns null for “%s”, which is not a console page',
  (page) => expect(socketOf(page)).toBeNull(),
)

test('strips fragments of color and cursor sequences from the console log', async () => {
  const id = await add()
  const output = '[2J[1;1H[[0;32m  OK  [0m] Reached [0;1;39mMulti-User[0m\n[    0.000000] Linux\nweb:/# [6n'
  fixture.cloud.on('compute', 'POST', '/servers/:id/action', () => ({ body: { output } }))
  expect((await consoleLog(fixture.engine, fixture.member, id, 100)).toString()).toBe(
    '[  OK  ] Reached Multi-User\n[    0.000000] Linux\nweb:/# ',
  )
})

test('returns the tail of the console log, or an empty log if the instance has not written anything yet', async () => {
  const id = await add()
  expect((await consoleLog(fixture.engine, fixture.member, id, 6)).toString()).toBe('ready\n')
  fixture.cloud.on('compute', 'POST', '/servers/:id/action', () =>
    serverRefusal(404, 'itemNotFound', 'Unable to get console log for instance'),
  )
  expect(await consoleLog(fixture.engine, fixture.member, id, 100)).toHaveLength(0)
  const off = await add('SHUTOFF')
  expect(await refusal(consoleLog(fixture.engine, fixture.member, off, 100))).toMatchObject({
    code: 'console_unavailable',
    message: expect.stringContaining('while the virtual machine is shut down'),
  })
})

test('reports that the log is unavailable during shutdown instead of returning an empty one', async () => {
  const id = await add()
  fixture.cloud.on('compute', 'POST', '/servers/:id/action', () =>
    serverRefusal(404, 'itemNotFound', 'Unable to get console log for instance'),
  )
  const refused = () => refusal(consoleLog(fixture.engine, fixture.member, id, 100))
  const server = nova.servers.get(id)!
  nova.task(server, 'powering-off')
  expect(await refused()).toMatchObject({ code: 'console_unavailable' })
  nova.task(server, null)
  server.status = 'SHUTOFF'
  expect(await refused()).toMatchObject({
    code: 'console_unavailable',
    message: expect.stringContaining('while the virtual machine is shut down'),
  })
})
