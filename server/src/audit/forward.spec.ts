import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { beforeEach, expect, it, vi } from 'vitest'
import type { SyslogTarget } from '../config'
import { openTls } from '../http/tls'
import { plan } from '../testing/acts'
import { audit, sql, withAudit } from '../testing/audit-fixture'
import { silentLogger } from '../testing/silent-logger'
import { pruneLines, sealLines } from './chain'
import { forwardLines } from './forward'
import { syslogMessage } from './syslog'

withAudit()
beforeEach(async () => {
  await sql.query('truncate audit, audit_unsealed, audit_seal')
  await sql.query("update audit_anchor set seq = 0, hash = repeat('0', 64), removed_lines = 0")
  await sql.query('update audit_forwarding set seq = 0, lost_lines = 0')
})

/** Records and seals one entry. */
async function happen(name: string): Promise<void> {
  await audit.begin(plan()).done({ id: 'v-1', name })
  await sealLines(sql, { successSeconds: 0, unknownSeconds: 0 })
}

/** Splits an octet-counted stream into messages. */
function framesOf(stream: Buffer): string[] {
  const frames: string[] = []
  for (let at = 0; at < stream.length;) {
    const space = stream.indexOf(' ', at)
    const length = Number(stream.toString('utf8', at, space))
    frames.push(stream.toString('utf8', space + 1, space + 1 + length))
    at = space + 1 + length
  }
  return frames
}

/** A TCP or TLS syslog receiver that records its messages. */
async function receive(server: Server, transport: 'tcp' | 'tls') {
  let heard = Buffer.alloc(0)
  const take = (socket: Socket) => {
    socket.on('data', (bytes: Buffer) => (heard = Buffer.concat([heard, bytes])))
    socket.on('error', () => undefined)
  }
  server.on(transport === 'tls' ? 'secureConnection' : 'connection', take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const target: SyslogTarget = { transport, host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  return { target, frames: () => framesOf(heard), close: () => server.close() }
}

const forward = (target: SyslogTarget, ca?: string) => forwardLines({ sql, log: silentLogger }, target, ca)
const names = (frames: readonly string[]) => frames.map((frame) => /object_name="([^"]*)"/.exec(frame)?.[1])

it('sends each entry once over TCP, in seal order and RFC 5424 format', async () => {
  const receiver = await receive(createTcpServer(), 'tcp')
  for (const name of ['one', 'two']) await happen(name)
  expect(await forward(receiver.target)).toEqual({ sent: 2, lost: 0 })
  await happen('three')
  expect(await forward(receiver.target)).toEqual({ sent: 1, lost: 0 })
  expect(await forward(receiver.target)).toEqual({ sent: 0, lost: 0 })
  await vi.waitFor(() => expect(names(receiver.frames())).toEqual(['one', 'two', 'three']), 20_000)
  expect(receiver.frames()[0]).toMatch(
    /^<109>1 \d{4}-\d\d-\d\dT[\d:.]+Z \S+ mainstay - volume\.update \[audit@32473 id="\d+" username="tester" .*result="success".*\] \uFEFFvolume\.update: success$/,
  )
  receiver.close()
})

it('sends one datagram per entry over UDP', async () => {
  const socket = createSocket('udp4')
  const heard: string[] = []
  socket.on('message', (message) => heard.push(message.toString()))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  for (const name of ['one', 'two']) await happen(name)
  expect(await forward({ transport: 'udp', host: '127.0.0.1', port: socket.address().port })).toEqual({
    sent: 2,
    lost: 0,
  })
  await vi.waitFor(() => expect(names(heard)).toEqual(['one', 'two']), 20_000)
  socket.close()
})

it('sends over TLS only to a receiver with a trusted certificate', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-syslog-'))
  const pair = await openTls({ kind: 'self-signed' }, folder, '127.0.0.1')
  const receiver = await receive(createTlsServer(pair!), 'tls')
  await happen('secret')
  await expect(forward(receiver.target)).rejects.toThrow(/certificate/i)
  expect(receiver.frames()).toEqual([])
  expect(await forward(receiver.target, pair!.cert)).toEqual({ sent: 1, lost: 0 })
  await vi.waitFor(() => expect(names(receiver.frames())).toEqual(['secret']), 20_000)
  receiver.close()
  await rm(folder, { recursive: true })
})

it('resends after a receiver outage and counts the entries that retention removed before they were sent', async () => {
  const away: SyslogTarget = { transport: 'tcp', host: '127.0.0.1', port: 1 }
  for (const name of ['old one', 'old two']) await happen(name)
  await expect(forward(away)).rejects.toThrow('ECONNREFUSED')
  expect(await pruneLines(sql, -1)).toBe(2)
  await happen('new')
  const receiver = await receive(createTcpServer(), 'tcp')
  expect(await forward(receiver.target)).toEqual({ sent: 1, lost: 2 })
  await vi.waitFor(() => expect(names(receiver.frames())).toEqual(['new']), 20_000)
  expect(await sql.query('select lost_lines::int as lost from audit_forwarding')).toEqual([{ lost: 2 }])
  receiver.close()
})

it('escapes all content of an entry and keeps the message within the size limit', () => {
  const long = 'ü'.repeat(255)
  const message = syslogMessage(
    {
      ...{ id: 1, username: 'a"]b\\\n<14>1 forged', user_id: long, domain_id: long, project_id: long, type: 'x' },
      ...{ activity: 'x.y z', timestamp: '2026-11-22T10:00:00.000Z', finished_at: '2026-11-22T10:00:00.000Z' },
      ...{
        object_id: long,
        object_name: long,
        result: 'error',
        status: 500,
        error_code: 'unknown',
        message: long.repeat(4),
      },
      ...{ address: '192.0.2.1', method: 'POST', path: '/', request_id: 'r', session_id: null, changes: [] },
    },
    'host name',
  )
  expect(message).toContain('username="a\\"\\]b\\\\ <14>1 forged"')
  expect(message).toMatch(/^<108>1 \S+ host_name mainstay - x\.y_z \[/)
  expect(message).not.toContain('\n')
  expect(message).toContain('address="192.0.2.1"')
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048)
})
