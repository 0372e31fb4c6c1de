import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  SOCKET_PATH,
  type Change,
  type ClientToServer,
  type ServerToClient,
  type SocketLoginReply,
} from '@mainstay/contract/core/events'
import type { Scope } from '@mainstay/engines/ports/scope'
import { io, type Socket } from 'socket.io-client'
import type { Inventory } from '../inventory/types'
import type { Limits } from '../limits'
import { createHub, type Hub, type SocketHolder } from '../realtime/hub'
import {
  grantsIn,
  openInventoryFixture,
  projectScope,
  systemScope,
  thing,
  thingKind,
  type InventoryFixture,
} from './inventory-fixture'
import { silentLogger } from './silent-logger'

type Client = Socket<ServerToClient, ClientToServer>
type Resolve = (token: string) => Promise<SocketHolder | null>

/** A signed-in socket and everything it has received. */
export interface Followed {
  socket: Client
  reply: SocketLoginReply
  changes: Change[]
  batches: number
}

/** A database with the kind `thing`, hubs on it, and their clients. Tokens: `system`, `p1`, `p2`. */
export interface SocketFixture extends InventoryFixture {
  /** Makes a token valid for a scope. */
  hold(token: string, scope: Scope, more?: Partial<SocketHolder>): void
  serve(inventory?: Inventory, resolve?: Resolve, limits?: Limits['sockets']): Promise<{ hub: Hub; url: string }>
  connect(url: string, prefix?: string): Client
  follow(url: string, token: string, since?: number | null, allTenants?: boolean): Promise<Followed>
  put(id: string, more?: Record<string, unknown>): Promise<void>
  remove(id: string): Promise<void>
  /** Closes all hubs, sockets and additional servers, and empties the database. */
  clear(): Promise<void>
}

export async function openSocketFixture(): Promise<SocketFixture> {
  const fixture = await openInventoryFixture({ thing: thingKind })
  const closers: (() => Promise<unknown> | void)[] = []
  const holders = new Map<string, SocketHolder>()
  const hold: SocketFixture['hold'] = (token, scope, more = {}) =>
    void holders.set(token, { session_id: `session of ${token}`, scope, grants: grantsIn(scope), ...more })
  const clear = async (): Promise<void> => {
    for (const close of closers.splice(0).toReversed()) await close()
    // clears the rows without logging the deletions, because the next hub could receive them
    await fixture.clear()
    holders.clear()
    hold('system', systemScope)
    hold('p1', projectScope('p1'))
    hold('p2', projectScope('p2'))
  }
  await clear()

  const connect: SocketFixture['connect'] = (url, prefix = '') => {
    const path = `${prefix}${SOCKET_PATH}`
    const socket: Client = io(url, { path, transports: ['websocket'], reconnection: false, forceNew: true })
    closers.push(() => void socket.disconnect())
    return socket
  }
  return {
    ...fixture,
    hold,
    connect,
    async serve(inventory = fixture.inventory, resolve = async (token) => holders.get(token) ?? null, limits) {
      const hub = await createHub({ inventory, log: silentLogger, resolve, ...(limits && { limits }) })
      const server = createServer()
      server.on('upgrade', (request, stream, head) => hub.upgrade(request, stream, head, 'admin'))
      await new Promise<void>((ready) => {
        server.listen(0, '127.0.0.1', ready)
      })
      closers.push(async () => {
        await hub.close()
        server.closeAllConnections()
        await new Promise((closed) => {
          server.close(closed)
        })
      })
      return { hub, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    },
    async follow(url, token, since = null, allTenants = token === 'system') {
      const socket = connect(url)
      const reply = { code: 0, message: '', revision: 0, resync: false }
      const followed: Followed = { socket, changes: [], batches: 0, reply }
      socket.on('changes', (changes) => {
        followed.changes.push(...changes)
        followed.batches++
      })
      followed.reply = await login(socket, { token, all_tenants: allTenants, since })
      return followed
    },
    put: (id, more = {}) => fixture.inventory.transaction((records) => records.put('thing', thing(id, more))),
    remove: (id) => fixture.inventory.transaction((records) => records.remove('thing', id)),
    clear,
    async close() {
      await clear()
      await fixture.close()
    },
  }
}

/** Emits a login message, valid or not. */
export const login = (socket: Client, given: unknown): Promise<SocketLoginReply> =>
  socket.timeout(30_000).emitWithAck('login', given as Parameters<ClientToServer['login']>[0])

/** Waits for a condition. Throws after 30 s, with `what` as the description of the condition. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`)
    await sleep(10)
  }
}
