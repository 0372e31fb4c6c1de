import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  SOCKET_PATH,
  type Change,
  type ClientToServer,
  type ServerToClient,
  type SocketLoginReply,
} from '@mainstay/contract/core/events'
import { Problem } from '@mainstay/contract/core/problems'
import type { Scope } from '@mainstay/engines/ports/scope'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Inventory } from '../inventory/types'
import {
  grantsIn,
  openScene,
  projectScope,
  systemScope,
  thing,
  thingKind,
  type Scene,
} from '../testing/postgres-scenes'
import { quiet } from '../testing/quiet'
import { createHub, type Hub, type SocketHolder } from './hub'

type Client = Socket<ServerToClient, ClientToServer>

let scene: Scene
let closers: (() => Promise<unknown> | void)[]
let holders: Map<string, SocketHolder>
beforeEach(async () => {
  scene = await openScene({ thing: thingKind })
  closers = []
  holders = new Map()
  holder('system', systemScope)
  holder('p1', projectScope('p1'))
  holder('p2', projectScope('p2'))
})
afterEach(async () => {
  for (const close of closers.toReversed()) await close()
  await scene.close()
})

function holder(token: string, scope: Scope): void {
  holders.set(token, { session_id: `session of ${token}`, scope, grants: grantsIn(scope) })
}

interface Served {
  hub: Hub
  server: Server
  url: string
}
async function serve(
  inventory: Inventory = scene.inventory,
  resolve?: (token: string) => Promise<SocketHolder | null>,
): Promise<Served> {
  const hub = await createHub({
    inventory,
    log: quiet,
    resolve: resolve ?? (async (token) => holders.get(token) ?? null),
  })
  const server = createServer()
  hub.attach(server)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closers.push(async () => {
    await hub.close()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
  return { hub, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

interface Followed {
  socket: Client
  reply: SocketLoginReply
  changes: Change[]
  batches: number
}
function connect(url: string, prefix = ''): Client {
  const socket: Client = io(url, {
    path: `${prefix}${SOCKET_PATH}`,
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  })
  closers.push(() => void socket.disconnect())
  return socket
}
const login = (socket: Client, given: unknown): Promise<SocketLoginReply> =>
  socket.timeout(5000).emitWithAck('login', given as Parameters<ClientToServer['login']>[0])

async function follow(
  url: string,
  token: string,
  since: number | null = null,
  allTenants = token === 'system',
): Promise<Followed> {
  const socket = connect(url)
  const followed: Followed = {
    socket,
    changes: [],
    batches: 0,
    reply: { code: 0, message: '', revision: 0, resync: false },
  }
  socket.on('changes', (changes) => {
    followed.changes.push(...changes)
    followed.batches++
  })
  followed.reply = await login(socket, { token, all_tenants: allTenants, since })
  return followed
}
const put = (id: string, more: Record<string, unknown> = {}): Promise<void> =>
  scene.inventory.transaction((records) => records.put('thing', thing(id, more)))
const remove = (id: string): Promise<void> => scene.inventory.transaction((records) => records.remove('thing', id))
async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 8000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`)
    await sleep(10)
  }
}

test('a login with a good token is answered 200, and the socket hears of changes [EV-009]', async () => {
  const { url, hub } = await serve()
  const member = await follow(url, 'p1')
  expect(member.reply).toMatchObject({ code: 200, resync: false })
  expect(hub.figures()).toEqual({ open: 1, behind: 0 })
  await put('a')
  await until(() => member.changes.length > 0, 'a change')
  expect(member.changes[0]).toMatchObject({
    kind: 'thing',
    id: 'a',
    op: 'put',
    project_id: 'p1',
    entity: { name: 'thing a' },
  })
  expect(member.changes[0]!.entity).not.toHaveProperty('host')
})

test('a login with a token of nobody is answered 401, and the server closes the socket [EV-010]', async () => {
  const { url } = await serve()
  const { reply, socket } = await follow(url, 'forged')
  expect(reply.code).toBe(401)
  await until(() => socket.disconnected, 'the end of the socket')
})

test('a login is answered 401 for a token that was revoked and 5xx when that cannot be known now [EV-011]', async () => {
  const faults: Record<string, Error> = {
    revoked: new Problem('unauthorized', 'Sign in'),
    away: new Error('no database'),
  }
  const { url } = await serve(scene.inventory, (token) => Promise.reject(faults[token]!))
  expect((await follow(url, 'revoked')).reply.code).toBe(401)
  const away = await follow(url, 'away')
  expect(away.reply.code).toBe(503)
  await until(() => away.socket.disconnected, 'the end of the socket')
})

test('what is no login is refused, whatever it is', async () => {
  const { url } = await serve()
  for (const garbage of [null, 1, 'x', [], {}, { token: 1 }, { token: 'p1', all_tenants: 'yes', since: -1 }]) {
    const socket = connect(url)
    expect((await login(socket, garbage)).code).toBe(400)
  }
  const mute = connect(url)
  mute.emit('login', { token: 'p1', all_tenants: false, since: null } as never, undefined as never)
  const member = await follow(url, 'p1')
  expect(member.reply.code).toBe(200)
})

test('a login that is emitted again is answered again, and nothing is told twice [EV-008]', async () => {
  const { url } = await serve()
  const member = await follow(url, 'p1')
  const given = { token: 'p1', all_tenants: false, since: null }
  expect((await login(member.socket, given)).code).toBe(200)
  expect((await login(member.socket, given)).code).toBe(200)
  await put('a')
  await until(() => member.changes.length > 0, 'a change')
  await sleep(150)
  expect(member.changes).toHaveLength(1)
})

test('only a system scope sees every tenant, and only when it asks for it [EV-024]', async () => {
  const { url } = await serve()
  const all = await follow(url, 'system', null, true)
  const own = await follow(url, 'system', null, false)
  const member = await follow(url, 'p1', null, true)
  await put('mine', { project_id: 'p1' })
  await put('theirs', { project_id: 'p2' })
  await put('admin', { project_id: 'admin' })
  await put('public', { project_id: 'p2', public: true })
  await until(() => all.changes.length === 4 && member.changes.length === 2 && own.changes.length === 2, 'the changes')
  expect(member.changes.map(({ id }) => id)).toEqual(['mine', 'public'])
  expect(own.changes.map(({ id }) => id)).toEqual(['admin', 'public'])
  expect(all.changes[0]!.entity).toHaveProperty('host')
})

test('a socket hears only of kinds that the permission table lets it read', async () => {
  holders.set('nothing', { session_id: 's', scope: projectScope('p1'), grants: {} })
  const { url } = await serve()
  const [without, member] = [await follow(url, 'nothing'), await follow(url, 'p1')]
  await put('a')
  await until(() => member.changes.length > 0, 'a change')
  await sleep(150)
  expect(without.changes).toEqual([])
})

test('a row that leaves sight is told as removed, to those who saw it and to nobody else', async () => {
  holder('p3', projectScope('p3'))
  const { url } = await serve()
  await put('a', { project_id: 'p1' })
  const [one, two, three] = [await follow(url, 'p1'), await follow(url, 'p2'), await follow(url, 'p3')]
  await put('a', { project_id: 'p2', note: 'secret of p2' })
  await until(() => one.changes.at(-1)?.op === 'remove' && two.changes.length > 0, 'the changes')
  expect(one.changes.at(-1)).toMatchObject({ op: 'remove', id: 'a', entity: null, project_id: 'p1' })
  expect(two.changes).toMatchObject([{ op: 'put', id: 'a' }])
  const heard = one.changes.length
  await remove('a')
  await until(() => two.changes.length > 1, 'the removal')
  expect(two.changes[1]).toMatchObject({ op: 'remove', id: 'a' })
  await sleep(150)
  expect(one.changes).toHaveLength(heard)
  expect(three.changes).toEqual([])
})

test('many changes of one row are told as the latest, in at most ten batches a second', async () => {
  const { url } = await serve()
  const member = await follow(url, 'p1')
  const started = performance.now()
  for (let round = 0; round < 60; round++) await put('a', { note: `${round}` })
  await until(() => member.changes.at(-1)?.entity?.['note'] === '59', 'the last state')
  const seconds = (performance.now() - started) / 1000
  expect(member.batches).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1)
  expect(member.changes.length).toBeLessThan(60)
})

test('a client that says where it stopped is told what came since, then what comes', async () => {
  const { url } = await serve()
  await put('a')
  const since = await scene.inventory.revision()
  await put('b')
  await remove('a')
  const member = await follow(url, 'p1', since)
  expect(member.reply).toMatchObject({ code: 200, revision: since, resync: false })
  await put('c')
  await until(() => member.changes.length === 3, 'three changes')
  expect(member.changes.map(({ op, id }) => `${op} ${id}`)).toEqual(['put b', 'remove a', 'put c'])
})

test('a client that was away for longer than the log is kept has to load everything anew', async () => {
  const { url } = await serve()
  await put('a')
  await put('b')
  await scene.store.pool.query("update change set at = now() - interval '2 days'")
  await scene.inventory.pruneChanges(3600)
  expect((await follow(url, 'p1', 0)).reply).toMatchObject({ code: 200, resync: true })
  expect((await follow(url, 'p1', 999)).reply).toMatchObject({ code: 200, resync: true })
  expect((await follow(url, 'p1', 2)).reply).toMatchObject({ code: 200, resync: false })
})

test('however often a client is cut off, it ends with exactly what is there and is told no revision twice', async () => {
  const servers = [await serve(), await serve((await scene.another()).inventory)]
  const state = new Map<string, unknown>()
  let known = (await scene.inventory.revision()) as number
  let writing = true
  let reconnects = 0
  const revisions: number[] = []
  const client = (async () => {
    while (writing) {
      const { url } = servers[reconnects++ % 2]!
      const socket = connect(url)
      socket.on('changes', (changes) => {
        for (const { revision, id, op, entity } of changes) {
          revisions.push(revision)
          known = revision
          if (op === 'remove') state.delete(id)
          else state.set(id, entity!['note'])
        }
      })
      const reply = await login(socket, { token: 'p1', all_tenants: false, since: known }).catch(() => null)
      if (reply) expect(reply).toMatchObject({ code: 200, resync: false })
      await sleep(Math.random() * 250)
      socket.removeAllListeners('changes')
      socket.disconnect()
    }
  })()
  const writer = async (number: number): Promise<void> => {
    for (let round = 0; round < 60; round++) {
      const id = `w${number}-${Math.floor(Math.random() * 5)}`
      if (Math.random() < 0.25) await remove(id)
      else await put(id, { note: `${round}`, project_id: Math.random() < 0.8 ? 'p1' : 'p2' })
      await sleep(Math.random() * 20)
    }
  }
  await Promise.all([0, 1, 2].map(writer))
  writing = false
  await client
  const last = await follow(servers[0]!.url, 'p1', known)
  await sleep(300)
  for (const { revision, id, op, entity } of last.changes) {
    revisions.push(revision)
    if (op === 'remove') state.delete(id)
    else state.set(id, entity!['note'])
  }
  const page = await scene.inventory.list(thingKind, projectScope('p1'), { limit: 1000 } as never)
  expect(Object.fromEntries(state)).toEqual(Object.fromEntries(page.data.map((row) => [row.id, row['note']])))
  expect(reconnects).toBeGreaterThan(3)
  expect(revisions).toEqual(revisions.toSorted((one, other) => one - other))
  expect(new Set(revisions).size).toBe(revisions.length)
}, 60_000)

test('a change at one server is heard at the other', async () => {
  const other = await serve((await scene.another()).inventory)
  const member = await follow(other.url, 'p1')
  await put('a')
  await until(() => member.changes.length === 1, 'the change')
})

test('signing out ends the sockets of that session and no others', async () => {
  const { url, hub } = await serve()
  const [one, two] = [await follow(url, 'p1'), await follow(url, 'p2')]
  let told = false
  one.socket.on('signed-out', () => (told = true))
  hub.revoke('session of p1')
  await until(() => one.socket.disconnected && told, 'the end of the socket')
  expect(two.socket.connected).toBe(true)
})

test('before it stops, the server tells everybody [EV-003]', async () => {
  const { url, hub } = await serve()
  const member = await follow(url, 'p1')
  let told = false
  member.socket.on('about-to-stop', () => (told = true))
  hub.aboutToStop()
  await until(() => told, 'the announcement')
})

test('the socket works below a prefix, and only as a websocket', async () => {
  const { url, hub } = await serve()
  const socket = connect(url, '/api/agent_direct/n1/lca')
  expect((await login(socket, { token: 'p1', all_tenants: false, since: null })).code).toBe(200)
  expect([hub.owns('/websockify'), hub.owns(SOCKET_PATH), hub.owns(`${SOCKET_PATH}/`)]).toEqual([false, true, true])
})

test('a socket that does not log in is closed after 10 s', async () => {
  const { url } = await serve()
  const socket = connect(url)
  await until(() => socket.connected, 'a connection')
  const started = performance.now()
  while (socket.connected) await sleep(50)
  expect(performance.now() - started).toBeGreaterThan(8000)
  expect(performance.now() - started).toBeLessThan(12_000)
}, 20_000)
