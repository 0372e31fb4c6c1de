import {
  SOCKET_PATH,
  type Change,
  type ClientToServer,
  type ServerToClient,
  type SocketLoginReply,
} from '@mainstay/contract/core/events'
import { io, type Socket } from 'socket.io-client'
import { rootPath } from '../lib/root-path'
import { startChangeFlow } from './change-flow'
import { setLive } from './live-state'

export const loginEveryMs = 1000
export const loginAttempts = 3
export const reconnectMs = 5000
/** Maximum random delay before a hidden tab reconnects: when a computer wakes up, all its tabs reconnect at once. */
export const spreadMs = 5000

export interface LiveOptions {
  token: string
  /** Subscribes to changes in every tenant; requires a system scope. */
  allTenants: boolean
  mayRead: (kind: string) => boolean
  /**
   * A revision that all displayed data already reflects, reported by the server before the first response; null if it
   * was not reported.
   */
  start: number | null
  /** The server rejected the token. */
  onSignedOut: () => void
  onAboutToStop: () => void
  /** Injected by tests. */
  connect?: () => LiveSocket
}

export type LiveSocket = Socket<ServerToClient, ClientToServer>

const openSocket = (): LiveSocket =>
  io(location.origin, {
    path: `${rootPath.replace(/\/$/, '')}${SOCKET_PATH}`,
    transports: ['websocket'],
    reconnection: false,
    autoConnect: false,
  })

/**
 * Subscribes to the server's changes until the returned function is called. Reconnects automatically and resumes
 * without gaps.
 */
export function startLive(options: LiveOptions): () => void {
  const { token, allTenants, start, onSignedOut, onAboutToStop } = options
  if (!token) throw new Error('The socket requires a scoped token')
  const flow = startChangeFlow(options.mayRead, start)
  const socket = (options.connect ?? openSocket)()
  let isStopped = false
  let login: ReturnType<typeof setInterval> | undefined
  let again: ReturnType<typeof setTimeout> | undefined

  function reconnectIn(delayMs: number) {
    clearInterval(login)
    clearTimeout(again)
    if (isStopped) return
    setLive({ state: 'offline', isConnected: false, isAuthorized: false })
    const spread = document.hidden ? Math.random() * spreadMs : 0
    again = setTimeout(() => socket.connect(), delayMs + spread)
  }

  function stop() {
    isStopped = true
    clearInterval(login)
    clearTimeout(again)
    removeEventListener('online', reconnectNow)
    document.removeEventListener('visibilitychange', reconnectNow)
    flow.stop()
    socket.disconnect()
    setLive({ state: 'off', isConnected: false, isAuthorized: false, outage: null })
  }

  function answered({ code, revision, resync }: SocketLoginReply) {
    if (isStopped) return
    clearInterval(login)
    if (code === 200) {
      setLive({ isAuthorized: true })
      flow.resumeFrom(revision, resync)
    } else if (code === 401) {
      stop()
      onSignedOut()
    } else {
      socket.disconnect()
      reconnectIn(reconnectMs)
    }
  }

  function sayWho() {
    let attempts = 0
    let isAnswered = false
    const attempt = () => {
      if (attempts === loginAttempts) {
        socket.disconnect()
        return reconnectIn(reconnectMs)
      }
      attempts++
      socket.emit('login', { token, all_tenants: allTenants, since: flow.since() }, (reply) => {
        if (isAnswered) return
        isAnswered = true
        answered(reply)
      })
    }
    attempt()
    login = setInterval(attempt, loginEveryMs)
  }

  const reconnectNow = () => {
    if (document.hidden || socket.connected || socket.active) return
    clearTimeout(again)
    socket.connect()
  }

  socket.on('connect', () => {
    setLive({ isConnected: true })
    sayWho()
  })
  socket.on('changes', (changes: Change[]) => flow.take(changes))
  socket.on('outage', (outage) => setLive({ outage }))
  socket.on('about-to-stop', onAboutToStop)
  socket.on('signed-out', () => {
    stop()
    onSignedOut()
  })
  socket.on('disconnect', (reason) => {
    if (reason !== 'io client disconnect') reconnectIn(reconnectMs)
  })
  socket.on('connect_error', () => reconnectIn(reconnectMs))
  addEventListener('online', reconnectNow)
  document.addEventListener('visibilitychange', reconnectNow)

  setLive({ state: 'connecting' })
  socket.connect()
  return stop
}
