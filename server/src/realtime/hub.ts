import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  SOCKET_PATH,
  SocketLogin,
  type Change,
  type ClientToServer,
  type ServerToClient,
  type SocketLoginReply,
} from '@mainstay/contract/core/events'
import type { Outage } from '@mainstay/contract/core/outage'
import { Problem } from '@mainstay/contract/core/problems'
import type { Grants } from '@mainstay/contract/permissions'
import type { Panel } from '@mainstay/contract/panels'
import type { Log } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { Server, type Socket } from 'socket.io'
import type { Inventory } from '../inventory/types'
import * as parser from 'socket.io-parser'
import { createRates } from '../http/overload/rates'
import { limits as productLimits, type Limits } from '../limits'
import { mayConcern, type ChangedRights } from '../session/rights-changes'
import { createAudiences, type Member } from './audiences'
import { ChangeEncoder } from './change-encoder'
import { createFeed } from './follow'
import { createOutbox } from './outbox'
import { createSlices } from './pace'
import type { Recipient } from './recipient'

/** How often each token is rechecked. The checks are spread over this interval. */
const CHECK_EVERY_MS = 60_000
/** Number of ticks per interval. Checks that become due together are spread over half of them. */
const CHECK_TICKS = 60
/** Delay before a socket is closed, so that the client can read the reason. */
const LAST_WORDS_MS = 50
const MAX_MESSAGE_BYTES = 8 * 1024

export interface SocketHolder {
  session_id: string
  scope: Scope
  grants: Grants
}

/** Sends changes to browsers, limited to those that each user may see. */
export interface Hub {
  /** Handles an upgrade request for the socket path on a panel. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer, panel: Panel): void
  /** Whether an upgrade request is for the socket path, with or without a prefix. */
  owns(path: string): boolean
  /** `open`: signed-in sockets. `behind`: sockets that cannot keep up. */
  socketCounts(): { open: number; behind: number }
  /** Signs out the sockets of a session that has ended. */
  revoke(sessionId: string): void
  /** Immediately checks the sockets affected by a change to a user's rights or to rights in a project. */
  checkThoseOf(of: NonNullable<ChangedRights>): void
  /** Schedules a check of all sockets, because notifications of ended sessions may have been lost. */
  checkAll(): void
  /** Reports an outage, during which lists may be outdated, to all current and future clients; null: it is over. */
  tellOutage(outage: Outage | null): void
  /** Tells all clients that the server is about to stop. */
  aboutToStop(): void
  close(): Promise<void>
}

interface Session extends Member {
  socket: HubSocket
  login: SocketLogin
  holder: SocketHolder
  /** Time of the last token check. */
  checkedAt: number
  /** Stops sending changes to the session; null until the session receives changes. */
  leave: (() => void) | null
}

type HubSocket = Socket<ClientToServer, ServerToClient>

/**
 * Creates a hub. `resolve` returns the holder of a token. Null, or a Problem with status 401, 403 or 404, means that
 * the token is invalid; any other error means that the token cannot be checked now. `resolve` is called again every
 * minute for each socket.
 */
export async function createHub(tools: {
  inventory: Inventory
  log: Log
  resolve: (token: string, panel: Panel) => Promise<SocketHolder | null>
  /** Overrides the product limits in tests. */
  limits?: Limits['sockets']
}): Promise<Hub> {
  const { inventory, log, limits = productLimits.sockets } = tools
  // sessions are in the order of their last token check
  const sessions = new Map<HubSocket, Session>()
  const logins = createRates(limits.logins)
  const loginsOfUser = createRates(limits.loginsOfUser)
  const soon = createSlices()
  let outage: Outage | null = null
  /** Number of times so far that a session has ended or rights have changed. */
  let losses = 0
  const audiences = createAudiences<Session>({
    inventory,
    send: (members, changes) => void io.to(members.map(({ socket }) => socket.id)).emit('changes', changes as Change[]),
    bufferedBytes: ({ socket }) => bufferedBytes(socket),
  })
  const feed = await createFeed({
    inventory,
    log,
    isHeard: () => sessions.size > 0,
    publish: (published) => audiences.publish(published),
    onGap() {
      for (const socket of sessions.keys()) socket.disconnect(true)
    },
  })
  const io = new Server<ClientToServer, ServerToClient>({
    serveClient: false,
    transports: ['websocket'],
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: limits.loginWithinMs,
    parser: { ...parser, Encoder: ChangeEncoder },
  })
  // engine.io must be attached to a server and takes over all of its requests; this server never listens
  io.attach(createServer(), { path: SOCKET_PATH })

  /** The panel that each socket was opened on. */
  const panels = new WeakMap<IncomingMessage, Panel>()
  const resolve = async (socket: HubSocket, token: string): Promise<SocketHolder | null> => {
    try {
      return await tools.resolve(token, panels.get(socket.request) ?? 'self-service')
    } catch (error) {
      if (error instanceof Problem && (error.status === 401 || error.status === 403 || error.status === 404))
        return null
      throw error
    }
  }

  function end(socket: HubSocket): void {
    const session = sessions.get(socket)
    sessions.delete(socket)
    session?.leave?.()
    session?.outbox.close()
  }

  function signOut(socket: HubSocket): void {
    end(socket)
    socket.emit('signed-out')
    socket.disconnect(true)
  }

  async function logIn(socket: HubSocket, given: unknown): Promise<SocketLoginReply> {
    const parsed = SocketLogin.safeParse(given)
    if (!parsed.success) return refusal(400, 'This is not a valid sign-in')
    const login = parsed.data
    const before = sessions.get(socket)
    if (before?.login.token === login.token && before.login.all_tenants === login.all_tenants) {
      // the client has repeated its sign-in because the reply was slow; the session continues unchanged
      return { code: 200, message: 'Authorized', revision: feed.position(), resync: false }
    }
    const lossesBefore = losses
    const holder = await resolve(socket, login.token)
    if (!holder) return refusal(401, 'Sign in to continue')
    if (!socket.connected) return refusal(401, 'The socket was disconnected')
    const { user_id } = holder.scope
    if (loginsOfUser.take(user_id) > 0) return refusal(429, 'Too many sign-ins on your sockets. Try again later.')
    end(socket)
    if (socketsOf(user_id) >= limits.ofUser)
      return refusal(429, `You already have ${limits.ofUser} live connections. Close a window of the console.`)
    const reply = await subscribe(socket, login, holder)
    // rights changed during the sign-in, when the check could not find this socket yet
    const session = sessions.get(socket)
    if (session && losses !== lossesBefore) void checkOrWarn(session)
    return reply
  }

  function socketsOf(userId: string): number {
    let count = 0
    for (const { holder } of sessions.values()) if (holder.scope.user_id === userId) count += 1
    return count
  }

  async function subscribe(socket: HubSocket, login: SocketLogin, holder: SocketHolder): Promise<SocketLoginReply> {
    const session: Session = {
      socket,
      login,
      holder,
      reader: readerOf(holder, login),
      checkedAt: performance.now(),
      delivered: 0,
      leave: null,
      outbox: createOutbox({
        send: (changes) => void socket.emit('changes', changes),
        bufferedBytes: () => bufferedBytes(socket),
        soon,
        giveUp: () => {
          log.info({ session_id: holder.session_id }, 'closing a socket that does not keep up')
          socket.disconnect(true)
        },
      }),
    }
    sessions.set(socket, session)
    try {
      const isKnown = login.since === null || (await feed.reach(login.since))
      session.delivered = isKnown ? (login.since ?? feed.position()) : feed.position()
      const revision = session.delivered
      // the socket may have disconnected or signed in again while this was waiting
      if (sessions.get(socket) === session) {
        // newer changes wait in the outbox until the reply is sent
        session.leave = audiences.join(session, feed)
      }
      return { code: 200, message: 'Authorized', revision, resync: !isKnown }
    } catch (error) {
      // the client will reconnect, and then reload everything or try again
      end(socket)
      setTimeout(() => socket.disconnect(true), LAST_WORDS_MS).unref()
      throw error
    }
  }

  io.on('connection', (socket) => {
    const deadline = setTimeout(() => {
      if (!sessions.has(socket)) socket.disconnect(true)
    }, limits.loginWithinMs)
    socket.once('disconnect', () => {
      clearTimeout(deadline)
      end(socket)
    })
    // sign-ins run one after another, because clients repeat them if the reply is slow
    let turn: Promise<unknown> = Promise.resolve()
    let waiting = 0
    let isOver = false
    const sayLast = (reply: SocketLoginReply, answer: (reply: SocketLoginReply) => void) => {
      answer(reply)
      end(socket)
      // disconnect after the reply has been sent
      setTimeout(() => sessions.has(socket) || socket.disconnect(true), LAST_WORDS_MS).unref()
    }
    socket.on('login', (login, given) => {
      const answer = typeof given === 'function' ? given : () => undefined
      if (waiting >= limits.loginsWaiting || logins.take(socket.id) > 0) {
        isOver = true
        socket.removeAllListeners('login')
        setTimeout(() => socket.disconnect(true), LAST_WORDS_MS).unref()
        return answer(refusal(429, 'Too many sign-ins on one socket. Try again later.'))
      }
      if (typeof given !== 'function') return
      waiting += 1
      turn = turn.then(async () => {
        if (isOver) return
        const reply = await logIn(socket, login).catch((error: unknown) => {
          log.error({ error }, 'failed to authenticate a socket')
          return refusal(503, 'Try again later')
        })
        waiting -= 1
        if (reply.code !== 200) return sayLast(reply, answer)
        answer(reply)
        socket.emit('outage', outage)
      })
    })
  })

  /** Checks a session's token, and signs its socket out or updates its access. */
  async function check(session: Session): Promise<void> {
    const { socket, login } = session
    const holder = await resolve(socket, login.token)
    if (sessions.get(socket) !== session) return
    if (!holder) return signOut(socket)
    session.holder = holder
    const reader = readerOf(holder, login)
    if (!session.leave || !audiences.hasMoved(session, reader)) return
    session.leave()
    session.leave = null
    session.reader = reader
    if (!(await feed.reach(session.delivered))) socket.disconnect(true)
    else if (sessions.get(socket) === session) session.leave = audiences.join(session, feed)
  }

  const checkOrWarn = (session: Session) =>
    check(session).catch((error: unknown) => log.warn({ error }, 'failed to check a socket'))

  let isChecking = false
  async function checkSome(): Promise<void> {
    if (isChecking) return
    isChecking = true
    const now = performance.now()
    const most = Math.ceil((2 * sessions.size) / CHECK_TICKS)
    const due = [...sessions.values()].slice(0, most).filter(({ checkedAt }) => now - checkedAt >= CHECK_EVERY_MS)
    for (const session of due) {
      session.checkedAt = now
      sessions.delete(session.socket)
      sessions.set(session.socket, session)
      await checkOrWarn(session)
    }
    isChecking = false
  }
  const checking = setInterval(() => void checkSome(), CHECK_EVERY_MS / CHECK_TICKS)
  checking.unref()

  const owns = (path: string): boolean => path.replace(/\/$/, '').endsWith(SOCKET_PATH)
  return {
    upgrade(request, stream, head, panel) {
      panels.set(request, panel)
      io.engine.handleUpgrade(request, stream, head)
    },
    owns,
    socketCounts: () => ({
      open: sessions.size,
      behind: [...sessions.values()].filter(({ outbox }) => outbox.isBehind()).length,
    }),
    revoke(sessionId) {
      losses++
      for (const [socket, { holder }] of sessions) if (holder.session_id === sessionId) signOut(socket)
    },
    checkThoseOf(of) {
      losses++
      for (const session of [...sessions.values()].filter(({ holder }) => mayConcern(of, holder.scope)))
        void checkOrWarn(session)
    },
    checkAll() {
      for (const session of sessions.values()) session.checkedAt = -CHECK_EVERY_MS
    },
    tellOutage(published) {
      outage = published
      for (const socket of sessions.keys()) socket.emit('outage', outage)
    },
    aboutToStop: () => void io.emit('about-to-stop'),
    async close() {
      clearInterval(checking)
      feed.close()
      for (const socket of sessions.keys()) end(socket)
      await io.close()
    },
  }
}

const refusal = (code: number, message: string): SocketLoginReply => ({ code, message, revision: 0, resync: false })

const readerOf = ({ scope, grants }: SocketHolder, login: SocketLogin): Recipient => ({
  scope,
  grants,
  ownProjectOnly: scope.kind === 'system' && !login.all_tenants,
})

function bufferedBytes(socket: HubSocket): number {
  const { transport } = socket.conn as unknown as { transport: { socket?: { bufferedAmount?: number } } }
  return transport.socket?.bufferedAmount ?? 0
}
