import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { instanceKind, type Instance } from '@mainstay/contract/compute/instances'
import { instanceCan } from '@mainstay/contract/compute/instance-rules'
import { problem } from '@mainstay/contract/core/problems'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import type { AreaPorts } from '@mainstay/engines/ports/area-ports'
import type { ConsoleConnection } from '@mainstay/engines/ports/compute'
import type { Log } from '@mainstay/engines/ports/records'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { asProblem, problemBody } from '../http/problem-replies'
import { requestIdOf } from '../http/request-ids'
import type { Inventory } from '../inventory/types'
import { mayConcern } from '../session/rights-changes'
import type { ConsoleTickets, Ticket } from '../session/console-tickets'
import type { Sessions } from '../session/types'
import { refusedFor, type SignedIn } from '../session/signed-in'

/** The server reads from the guest only while fewer than this many bytes are buffered for the browser. */
const MAX_BEHIND_BYTES = 1024 * 1024
const MAX_MESSAGE_BYTES = 1024 * 1024
/** How much earlier output to show in a new terminal, which would look broken if it were empty. */
const WRITTEN_BEFORE_BYTES = 16 * 1024
const CHECK_EVERY_MS = 5_000
const PING_EVERY_MS = 30_000

/** Close codes for the console's socket. Codes from 4000 on are reserved for applications. */
const closed = { notAllowed: 4403, gone: 4404, stopping: 1001, ended: 1011 } as const

interface Needs {
  log: Log
  inventory: Inventory
  sessions: Sessions
  consoleTickets: ConsoleTickets
  ports: Pick<AreaPorts, 'compute'>
}

export interface InstanceConsole {
  /** Handles an upgrade request for `/websockify?token=`. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Number of open consoles. */
  count(): number
  close(): void
}

/** Refuses an upgrade request. Writes HTTP to the raw socket, because upgrade requests have no response object. */
export function refuseUpgrade(socket: Duplex, error: unknown): void {
  const problem = asProblem(error)
  const body = JSON.stringify(problemBody(problem, requestIdOf({ headers: {} })))
  const retryAfter = problem?.data['retry_after']
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${problem?.status ?? 500} Refused\r\ncontent-type: application/json\r\n` +
      (typeof retryAfter === 'number' ? `retry-after: ${retryAfter}\r\n` : '') +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** Graphical and serial consoles of instances. Connects the WebSocket of a browser that has a ticket to the engine. */
export function createInstanceConsole(
  { log, inventory, sessions, consoleTickets, ports }: Needs,
  /** Maximum number of consoles per user. */
  most: number,
): InstanceConsole {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    // older viewers request this protocol; all messages are binary anyway
    handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
  })
  const open = new Set<WebSocket>()
  /** Number of consoles per user, including those that are being opened. */
  const ofUsers = new Map<string, number>()

  /** Returns the caller if they may use the console now, and throws a problem otherwise. */
  async function permitted(ticket: Ticket, requestId: string): Promise<SignedIn> {
    const caller = await sessions.resolveSession(ticket, requestId)
    if (!grantsAllow(caller.grants, 'compute_server_console', 'read')) throw refusedFor(caller)
    const instance = await inventory.view<Instance>(instanceKind, caller.scope, ticket.instance_id)
    if (!instanceCan('console', instance)) throw problem('compute.no_console_now')
    return caller
  }

  /** Earlier output of the guest, for a serial console if the caller may read the console log. */
  async function writtenBefore({ grants, scope }: SignedIn, ticket: Ticket): Promise<Buffer | null> {
    if (ticket.protocol !== 'serial' || !grantsAllow(grants, 'compute_server_log', 'read')) return null
    return ports.compute.instances
      .consoleLog(scope, ticket.instance_id, WRITTEN_BEFORE_BYTES)
      .catch((error: unknown) => {
        // the terminal is useful even without earlier output
        log.debug({ err: error }, 'failed to read the earlier console output of a guest')
        return null
      })
  }

  function join(
    browser: WebSocket,
    connection: ConsoleConnection,
    { ticket, userId, requestId }: { ticket: Ticket; userId: string; requestId: string },
  ): void {
    const { stream } = connection
    open.add(browser)

    browser.on('message', (data: RawData) => {
      const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)
      if (!stream.write(bytes)) browser.pause()
    })
    stream.on('drain', () => browser.resume())
    stream.on('data', (bytes: Buffer) => {
      browser.send(bytes, () => {
        if (stream.isPaused() && browser.bufferedAmount < MAX_BEHIND_BYTES) stream.resume()
      })
      if (browser.bufferedAmount >= MAX_BEHIND_BYTES) stream.pause()
    })

    let answered = true
    browser.on('pong', () => (answered = true))
    const pinging = setInterval(() => {
      if (!answered) return browser.terminate()
      answered = false
      browser.ping()
    }, PING_EVERY_MS)
    const check = () => {
      permitted(ticket, requestId).catch((error: unknown) => {
        const problem = asProblem(error)
        // do not close consoles because of a brief database outage
        if (!problem || problem.status >= 500) return log.warn({ err: error }, 'failed to check an open console')
        const gone = problem.code === 'not_found' || problem.code === 'console_unavailable'
        browser.close(gone ? closed.gone : closed.notAllowed, problem.code)
      })
    }
    const checking = setInterval(check, CHECK_EVERY_MS)
    const stopListening = [
      sessions.onEnded((sessionId) => {
        if (sessionId === ticket.session_id) browser.close(closed.notAllowed, 'signed out')
      }),
      sessions.rightsChanges.onChanged((of) => {
        if (mayConcern(of, { user_id: userId, project_id: ticket.project_id })) check()
      }),
    ]

    stream.once('close', () => browser.close(closed.ended, 'the console has ended'))
    browser.on('error', (error) =>
      log.debug({ err: error, request_id: requestId }, 'the socket of a console was disconnected'),
    )
    browser.once('close', () => {
      open.delete(browser)
      clearInterval(pinging)
      clearInterval(checking)
      for (const stop of stopListening) stop()
      connection.close()
    })
  }

  /** Counts a user's console until its socket closes. Throws `too_many_requests` if the limit is exceeded. */
  function takePlace(userId: string, socket: Duplex): void {
    const count = ofUsers.get(userId) ?? 0
    if (count >= most) throw problem('compute.too_many_consoles', { most })
    ofUsers.set(userId, count + 1)
    socket.once('close', () => {
      const left = ofUsers.get(userId)! - 1
      if (left > 0) ofUsers.set(userId, left)
      else ofUsers.delete(userId)
    })
  }

  async function begin(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const requestId = requestIdOf(request)
    const token = new URL(request.url ?? '/', 'http://localhost').searchParams.get('token') ?? ''
    const ticket = await consoleTickets.redeem(token)
    if (!ticket) throw problem('compute.console_ticket')
    const caller = await permitted(ticket, requestId)
    takePlace(caller.user.id, socket)
    const connection = await ports.compute.instances.openConsole(caller.scope, ticket.instance_id, ticket.protocol)
    connection.stream.on('error', (err) => log.debug({ err, request_id: requestId }, 'a console was disconnected'))
    const before = await writtenBefore(caller, ticket)
    if (socket.destroyed) return connection.close()
    server.handleUpgrade(request, socket, head, (browser) => {
      if (before) browser.send(before)
      join(browser, connection, { ticket, userId: caller.user.id, requestId })
    })
  }

  return {
    upgrade(request, socket, head) {
      // without a listener, a socket error would crash the server
      socket.on('error', () => socket.destroy())
      begin(request, socket, head).catch((error: unknown) => {
        if (!asProblem(error)) log.error({ err: error }, 'failed to open a console')
        refuseUpgrade(socket, error)
      })
    },
    count: () => open.size,
    close() {
      for (const browser of open) browser.close(closed.stopping, 'the server stops')
      server.close()
    },
  }
}
