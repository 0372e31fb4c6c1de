import { SOCKET_PATH, type Change, type ClientToServer, type ServerToClient } from '@mainstay/contract/core/events'
import { io, type Socket } from 'socket.io-client'

/** State of a client that only receives changes: rows by kind and ID, across reconnects. */
export interface SocketMirror {
  /** Resumes on a server, which may differ from the previous one. */
  connect(url: string): Promise<void>
  rows(kind: string): Map<string, Record<string, unknown>>
  /** Resolves with the first past or future change that `wanted` accepts. */
  heard(wanted: (change: Change) => boolean, withinMs: number): Promise<Change>
  /** Revision of the newest change. */
  revision(): number
  close(): void
}

/** Creates a client with a token. With `since` set to 0, it receives everything that is still in the change log. */
export function socketMirror(token: string, since: number | null): SocketMirror {
  const rows = new Map<string, Map<string, Record<string, unknown>>>()
  const changes: Change[] = []
  const listeners = new Set<(change: Change) => void>()
  let newest = since
  let socket: Socket<ServerToClient, ClientToServer> | null = null

  const of = (kind: string) => {
    const known = rows.get(kind) ?? new Map<string, Record<string, unknown>>()
    rows.set(kind, known)
    return known
  }
  function take(change: Change): void {
    // a change may arrive twice, but never out of order
    if (newest !== null && change.revision <= newest)
      throw new Error(`revision ${change.revision} came after ${newest}`)
    newest = change.revision
    changes.push(change)
    if (change.entity) of(change.kind).set(change.id, change.entity)
    else of(change.kind).delete(change.id)
    for (const listener of [...listeners]) listener(change)
  }

  return {
    async connect(url) {
      socket?.disconnect()
      const opened: Socket<ServerToClient, ClientToServer> = io(url, {
        path: SOCKET_PATH,
        transports: ['websocket'],
        reconnection: false,
        forceNew: true,
      })
      socket = opened
      opened.on('changes', (told) => told.forEach(take))
      await new Promise<void>((resolve, reject) => {
        opened.once('connect', resolve)
        opened.once('connect_error', reject)
      })
      const reply = await opened.timeout(10_000).emitWithAck('login', { token, all_tenants: true, since: newest })
      if (reply.code !== 200) throw new Error(`the socket was answered ${reply.code} ${reply.message}`)
      if (reply.resync) throw new Error('the log does not reach back')
      newest ??= reply.revision
    },
    rows: of,
    heard: (wanted, withinMs) =>
      new Promise((resolve, reject) => {
        const found = changes.find(wanted)
        if (found) return resolve(found)
        const timer = setTimeout(() => {
          listeners.delete(listen)
          reject(new Error(`the socket did not tell it within ${withinMs} ms`))
        }, withinMs)
        const listen = (change: Change) => {
          if (!wanted(change)) return
          clearTimeout(timer)
          listeners.delete(listen)
          resolve(change)
        }
        listeners.add(listen)
      }),
    revision: () => newest ?? 0,
    close: () => void socket?.disconnect(),
  }
}
