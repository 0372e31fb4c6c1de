import { createServer, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  SOCKET_PATH,
  SocketLogin,
  type ClientToServer,
  type ServerToClient,
  type SocketLoginReply,
} from '@mainstay/contract/core/events'
import type { Outage } from '@mainstay/contract/core/outage'
import { Problem } from '@mainstay/contract/core/problems'
import type { Grants } from '@mainstay/contract/permissions'
import type { Log } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { Server, type Socket } from 'socket.io'
import type { Inventory } from '../inventory/types'
import { createFeed } from './follow'
import { createOutbox, type Outbox } from './outbox'
import { changeFor, type Reader } from './reader'

const LOGIN_WITHIN_MS = 10_000
const CHECK_EVERY_MS = 60_000
const MAX_MESSAGE_BYTES = 8 * 1024

export interface SocketHolder {
  session_id: string
  scope: Scope
  grants: Grants
}

/** Tells browsers what changes, as they may see it. */
export interface Hub {
  /** Takes over a socket that wants our path. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void
  /** Whether an upgrade request with this path is ours; below a prefix as well. */
  owns(path: string): boolean
  /** `open`: signed-in sockets. `behind`: those that do not keep up. */
  figures(): { open: number; behind: number }
  /** Ends the sockets of a session that was signed out. */
  revoke(sessionId: string): void
  /** Tells everybody who is signed in, also those to come, since when lists may be old; null: they follow the cloud. */
  tellOutage(outage: Outage | null): void
  /** Tells everybody that the server stops. */
  aboutToStop(): void
  close(): Promise<void>
}

interface Session {
  login: SocketLogin
  holder: SocketHolder
  outbox: Outbox
  leave: (() => void) | null
}

type HubSocket = Socket<ClientToServer, ServerToClient>

/**
 * `resolve` says who holds a token: null, or a Problem of 401 or 403, for a token that is not good (any more); another
 * error means that this cannot be known now. It is asked again every minute for each socket.
 */
export async function createHub(tools: {
  inventory: Inventory
  log: Log
  resolve: (token: string) => Promise<SocketHolder | null>
}): Promise<Hub> {
  const { inventory, log } = tools
  const sessions = new Map<HubSocket, Session>()
  let outage: Outage | null = null
  const feed = await createFeed(inventory, log, () => {
    for (const socket of sessions.keys()) socket.disconnect(true)
  })
  const io = new Server<ClientToServer, ServerToClient>({
    serveClient: false,
    transports: ['websocket'],
    maxHttpBufferSize: MAX_MESSAGE_BYTES,
    connectTimeout: LOGIN_WITHIN_MS,
  })
  // never listens: engine.io wants a server to attach to, and takes over the requests of the one it gets
  io.attach(createServer(), { path: SOCKET_PATH })

  const resolve = async (token: string): Promise<SocketHolder | null> => {
    try {
      return await tools.resolve(token)
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
    if (!parsed.success) return refusal(400, 'This is no login')
    const login = parsed.data
    const before = sessions.get(socket)
    if (before?.login.token === login.token && before.login.all_tenants === login.all_tenants) {
      // the answer to an earlier attempt was slow; it goes on where it is
      return { code: 200, message: 'Authorized', revision: feed.position(), resync: false }
    }
    const holder = await resolve(login.token)
    if (!holder) return refusal(401, 'Sign in to go on')
    if (!socket.connected) return refusal(401, 'The socket is gone')
    end(socket)
    return subscribe(socket, login, holder)
  }

  function subscribe(socket: HubSocket, login: SocketLogin, holder: SocketHolder): Promise<SocketLoginReply> {
    return new Promise((answer, reject) => {
      const outbox = createOutbox({
        send: (changes) => void socket.emit('changes', changes),
        bufferedBytes: () => bufferedBytes(socket),
        giveUp: () => {
          log.info({ session_id: holder.session_id }, 'a socket that does not keep up is closed')
          socket.disconnect(true)
        },
      })
      const session: Session = { login, holder, outbox, leave: null }
      sessions.set(socket, session)
      feed
        .join(login.since, (start) => {
          answer({ code: 200, message: 'Authorized', ...start })
          socket.emit('outage', outage)
          return {
            tell(told) {
              const change = changeFor(inventory, readerOf(session), told)
              if (change) outbox.add(change)
            },
          }
        })
        .then(
          (leave) => {
            // gone, or signed in anew, while it caught up
            if (sessions.get(socket) === session) session.leave = leave
            else leave()
          },
          (error: unknown) => {
            reject(error instanceof Error ? error : new Error(String(error)))
            // comes back and is told to load everything, or to try again
            socket.disconnect(true)
          },
        )
    })
  }

  io.on('connection', (socket) => {
    const deadline = setTimeout(() => {
      if (!sessions.has(socket)) socket.disconnect(true)
    }, LOGIN_WITHIN_MS)
    socket.once('disconnect', () => {
      clearTimeout(deadline)
      end(socket)
    })
    // one after the other: clients emit it again when the answer is slow
    let turn: Promise<unknown> = Promise.resolve()
    socket.on('login', (login, answer) => {
      if (typeof answer !== 'function') return
      turn = turn.then(async () => {
        const reply = await logIn(socket, login).catch((error: unknown) => {
          log.error({ error }, 'a socket could not be signed in')
          return refusal(503, 'Try again later')
        })
        answer(reply)
        if (reply.code !== 200) {
          end(socket)
          // after the answer is on its way
          setTimeout(() => sessions.has(socket) || socket.disconnect(true), 50).unref()
        }
      })
    })
  })

  const checking = setInterval(() => {
    for (const [socket, session] of sessions) {
      resolve(session.login.token).then(
        (holder) => {
          if (sessions.get(socket) !== session) return
          if (holder) session.holder = holder
          else signOut(socket)
        },
        (error: unknown) => log.warn({ error }, 'a socket could not be checked'),
      )
    }
  }, CHECK_EVERY_MS)
  checking.unref()

  const owns = (path: string): boolean => path.replace(/\/$/, '').endsWith(SOCKET_PATH)
  return {
    upgrade: (request, stream, head) => io.engine.handleUpgrade(request, stream, head),
    owns,
    figures: () => ({
      open: sessions.size,
      behind: [...sessions.values()].filter(({ outbox }) => outbox.isBehind()).length,
    }),
    revoke(sessionId) {
      for (const [socket, { holder }] of sessions) if (holder.session_id === sessionId) signOut(socket)
    },
    tellOutage(told) {
      outage = told
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

const readerOf = ({ holder, login }: Session): Reader => ({
  scope: holder.scope,
  grants: holder.grants,
  ownProjectOnly: holder.scope.kind === 'system' && !login.all_tenants,
})

function bufferedBytes(socket: HubSocket): number {
  const { transport } = socket.conn as unknown as { transport: { socket?: { bufferedAmount?: number } } }
  return transport.socket?.bufferedAmount ?? 0
}
