import { says, type RuleText } from '@mainstay/contract/core/said'
import { CONSOLE_LOG_BYTES, instanceCan, instanceIsStopped } from '@mainstay/contract/compute/instance-rules'
import type { ConsoleProtocol } from '@mainstay/contract/compute/instances'
import { Problem, problemOf, withField } from '@mainstay/contract/core/problems'
import { createWebSocketStream, WebSocket } from 'ws'
import * as z from 'zod'
import type { ConsoleConnection } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Trust } from '../../client/trust'
import type { Engine } from '../../engine'
import { known, refreshed } from './act'

const connectWithinMs = 10_000
const RemoteConsole = z.object({ remote_console: z.object({ url: z.string() }) })

/** Nova's names for the console protocols. */
const wireConsoles = {
  vnc: { protocol: 'vnc', type: 'novnc' },
  serial: { protocol: 'serial', type: 'serial' },
} as const satisfies Record<ConsoleProtocol, object>

/** Requests the URL of a console. */
const remoteConsole = (cloud: ServiceClient, id: string, protocol: ConsoleProtocol) =>
  cloud.send('POST', 'compute', `/servers/${id}/remote-consoles`, RemoteConsole, {
    version: '2.6',
    body: { remote_console: wireConsoles[protocol] },
  })

/** Opens a connection to the display or serial port of an instance, over the WebSocket that the cloud provides. */
export async function openConsole(
  engine: Engine,
  scope: Scope,
  id: string,
  protocol: ConsoleProtocol,
): Promise<ConsoleConnection> {
  const row = await known(engine, scope, id)
  const unavailable = (message: RuleText, cause?: unknown) =>
    problemOf(message, { data: { status: row.status }, cause })
  if (!instanceCan('console', row)) throw unavailable(says('compute.instance_without_console', { status: row.status }))
  const cloud = await engine.as(scope)
  const given = await remoteConsole(cloud, id, protocol).catch((error: unknown) => {
    const isRefused =
      error instanceof Problem && ['conflict', 'invalid_state', 'validation', 'unsupported'].includes(error.code)
    const data = { status: row.status }
    throw isRefused ? withField(error, { code: 'console_unavailable', data }) : error
  })
  const socketUrl = socketOf(given.remote_console.url)
  if (!socketUrl) throw unavailable(says('compute.no_console_address'))
  try {
    return await connect(socketUrl, engine.trust)
  } catch (error) {
    throw unavailable(says('compute.console_unreachable'), error)
  }
}

const OneServer = z.object({ servers: z.array(z.object({ id: z.string() })) })

/**
 * Whether the cloud offers serial consoles. Nova reveals this only when a console is requested, so this requests one
 * for any running instance. Null if no instance is running.
 */
export async function hasSerialConsoles(account: ServiceClient): Promise<boolean | null> {
  const query = { all_tenants: '1', status: 'ACTIVE', limit: '1' }
  const { servers } = await account.get('compute', '/servers', OneServer, { query })
  const [server] = servers
  if (!server) return null
  try {
    await remoteConsole(account, server.id, 'serial')
    return true
  } catch (error) {
    if (error instanceof Problem && ['validation', 'unsupported'].includes(error.code)) return false
    throw error
  }
}

/**
 * Returns the URL of the WebSocket behind a console page: on the page's host, with the path from the page's query
 * (`path=?token=...`) or built from its token. Null if the URL is neither a console page nor a WebSocket.
 */
export function socketOf(pageUrl: string): URL | null {
  if (!URL.canParse(pageUrl)) return null
  const page = new URL(pageUrl)
  const scheme = ({ 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' } as Record<string, string>)[
    page.protocol
  ]
  if (!scheme) return null
  if (page.protocol === scheme) return page
  const token = page.searchParams.get('token')
  const path =
    page.searchParams.get('path') ?? (token === null ? null : `websockify?token=${encodeURIComponent(token)}`)
  if (path === null) return null
  const [pathname = '', query = ''] = path.split('?', 2)
  const socket = new URL(`${scheme}//${page.host}/`)
  socket.pathname = pathname
  socket.search = query
  return socket
}

/** Sends no `Origin` header: with one, the proxy would assume a browser and accept only its own pages. */
function connect(url: URL, trust: Trust): Promise<ConsoleConnection> {
  const options = { handshakeTimeout: connectWithinMs, perMessageDeflate: false, ...trust }
  const socket = new WebSocket(url, ['binary'], options)
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => {
      socket.off('error', reject)
      const stream = createWebSocketStream(socket)
      // an error before the caller adds a listener is reported when the stream ends
      stream.on('error', () => undefined)
      resolve({ stream, close: () => stream.destroy() })
    })
  })
}

const ConsoleOutput = z.object({ output: z.string().nullish() })
/** The cloud strips control characters from the log, which leaves these fragments of color and cursor sequences. */
const terminalRests = /\[(?:\d{1,3}(?:;\d{1,3})*m|6n|\d{1,3};\d{1,3}H|[0-2][JK]|\?\d{1,4}[hl])/g

/** Returns at most `tailBytes` from the end of the instance's serial output. The cloud keeps about 100 kB. */
export async function consoleLog(engine: Engine, scope: Scope, id: string, tailBytes: number): Promise<Buffer> {
  await known(engine, scope, id)
  const cloud = await engine.as(scope)
  const body = { 'os-getConsoleOutput': {} }
  const { output } = await cloud
    .send('POST', 'compute', `/servers/${id}/action`, ConsoleOutput, { body })
    .catch(async (error: unknown) => {
      const isNone = error instanceof Problem && ['conflict', 'invalid_state', 'not_found'].includes(error.code)
      if (!isNone) throw error
      // the indexed row may be older than the shutdown
      const { status, task_state: doing } = await refreshed(engine, id)
      // an instance that has no node or has just started has not written anything yet
      const hasBegun = (status === 'ACTIVE' || status === 'RESCUE') && doing === null
      if (status === 'BUILD' || status === 'ERROR' || hasBegun) return { output: '' }
      // unless serial consoles are configured, the cloud cannot find the log of a stopped instance
      const message = instanceIsStopped({ status })
        ? says('compute.no_log_when_off')
        : says('compute.no_log_in_state', { status })
      throw problemOf(message, { data: { status }, cause: error })
    })
  const text = (output ?? '').replace(terminalRests, '')
  return Buffer.from(text).subarray(-Math.max(1, Math.min(tailBytes, CONSOLE_LOG_BYTES)))
}
