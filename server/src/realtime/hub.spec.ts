import { setTimeout as sleep } from 'node:timers/promises'
import { SOCKET_PATH } from '@mainstay/contract/core/events'
import { Problem } from '@mainstay/contract/core/problems'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { limits } from '../limits'
import { grantsIn, projectScope } from '../testing/inventory-fixture'
import { login, openSocketFixture, until, type SocketFixture } from '../testing/socket-fixture'
import type { SocketHolder } from './hub'

let fixture: SocketFixture
beforeAll(async () => {
  fixture = await openSocketFixture()
})
afterEach(() => fixture.clear())
afterAll(() => fixture.close())

test('accepts a valid token with 200 and sends changes [EV-009]', async () => {
  const { url, hub } = await fixture.serve()
  const member = await fixture.follow(url, 'p1')
  expect(member.reply).toMatchObject({ code: 200, resync: false })
  expect(hub.socketCounts()).toEqual({ open: 1, behind: 0 })
  await fixture.put('a')
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

/** Limits without a sign-in deadline, which would also close the socket. */
const unhurried = { ...limits.sockets, loginWithinMs: 3_600_000 }

test('responds to a forged token with 401 and closes the socket', async () => {
  const { url } = await fixture.serve(fixture.inventory, undefined, unhurried)
  const { reply, socket } = await fixture.follow(url, 'forged')
  expect(reply.code).toBe(401)
  await until(() => socket.disconnected, 'the end of the socket')
})

test('responds to a revoked token with 401, and with 503 if the token cannot be checked [EV-011]', async () => {
  const faults: Record<string, Error> = {
    revoked: new Problem('unauthorized', 'Sign in'),
    away: new Error('no database'),
  }
  const { url } = await fixture.serve(fixture.inventory, (token) => Promise.reject(faults[token]!), unhurried)
  expect((await fixture.follow(url, 'revoked')).reply.code).toBe(401)
  const away = await fixture.follow(url, 'away')
  expect(away.reply.code).toBe(503)
  await until(() => away.socket.disconnected, 'the end of the socket')
})

test('refuses malformed logins with 400', async () => {
  const { url } = await fixture.serve()
  for (const garbage of [null, 1, 'x', [], {}, { token: 1 }, { token: 'p1', all_tenants: 'yes', since: -1 }]) {
    const socket = fixture.connect(url)
    expect((await login(socket, garbage)).code).toBe(400)
  }
  const mute = fixture.connect(url)
  mute.emit('login', { token: 'p1', all_tenants: false, since: null }, undefined as never)
  const member = await fixture.follow(url, 'p1')
  expect(member.reply.code).toBe(200)
})

test('responds to a repeated login without sending changes twice [EV-008]', async () => {
  const { url } = await fixture.serve()
  const member = await fixture.follow(url, 'p1')
  const given = { token: 'p1', all_tenants: false, since: null }
  expect((await login(member.socket, given)).code).toBe(200)
  expect((await login(member.socket, given)).code).toBe(200)
  await fixture.put('a')
  await until(() => member.changes.length > 0, 'a change')
  await sleep(150)
  expect(member.changes).toHaveLength(1)
})

test('sends changes for all tenants only to a system scope that requests them [EV-024]', async () => {
  const { url } = await fixture.serve()
  const all = await fixture.follow(url, 'system', null, true)
  const own = await fixture.follow(url, 'system', null, false)
  const member = await fixture.follow(url, 'p1', null, true)
  await fixture.put('mine', { project_id: 'p1' })
  await fixture.put('theirs', { project_id: 'p2' })
  await fixture.put('admin', { project_id: 'admin' })
  await fixture.put('public', { project_id: 'p2', public: true })
  await until(() => all.changes.length === 4 && member.changes.length === 2 && own.changes.length === 2, 'the changes')
  expect(member.changes.map(({ id }) => id)).toEqual(['mine', 'public'])
  expect(own.changes.map(({ id }) => id)).toEqual(['admin', 'public'])
  expect(all.changes[0]!.entity).toHaveProperty('host')
})

test('sends only kinds that the permission table allows the user to read', async () => {
  fixture.hold('nothing', projectScope('p1'), { grants: {} })
  const { url } = await fixture.serve()
  const [without, member] = [await fixture.follow(url, 'nothing'), await fixture.follow(url, 'p1')]
  await fixture.put('a')
  await until(() => member.changes.length > 0, 'a change')
  await sleep(150)
  expect(without.changes).toEqual([])
})

test('reports a row as removed when it is no longer visible, and only to those who saw it', async () => {
  fixture.hold('p3', projectScope('p3'))
  const { url } = await fixture.serve()
  const one = await fixture.follow(url, 'p1')
  await fixture.put('a', { project_id: 'p1' })
  await until(() => one.changes.length > 0, 'the first change')
  const [two, three] = [await fixture.follow(url, 'p2'), await fixture.follow(url, 'p3')]
  await fixture.put('a', { project_id: 'p2', note: 'secret of p2' })
  await until(() => one.changes.at(-1)?.op === 'remove' && two.changes.length > 0, 'the changes')
  expect(one.changes.at(-1)).toMatchObject({ op: 'remove', id: 'a', entity: null, project_id: 'p1' })
  expect(two.changes).toMatchObject([{ op: 'put', id: 'a' }])
  const heard = one.changes.length
  await fixture.remove('a')
  await until(() => two.changes.length > 1, 'the removal')
  expect(two.changes[1]).toMatchObject({ op: 'remove', id: 'a' })
  await sleep(150)
  expect(one.changes).toHaveLength(heard)
  expect(three.changes).toEqual([])
})

test('sends only the latest state of a row, in at most ten batches a second', async () => {
  const { url } = await fixture.serve()
  const member = await fixture.follow(url, 'p1')
  const started = performance.now()
  for (let round = 0; round < 60; round++) await fixture.put('a', { note: `${round}` })
  await until(() => member.changes.at(-1)?.entity?.['note'] === '59', 'the last state')
  const seconds = (performance.now() - started) / 1000
  expect(member.batches).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1)
  expect(member.changes).toHaveLength(member.batches)
})

test('signing out closes the sockets of that session only', async () => {
  const { url, hub } = await fixture.serve()
  const [one, two] = [await fixture.follow(url, 'p1'), await fixture.follow(url, 'p2')]
  let told = false
  one.socket.on('signed-out', () => (told = true))
  hub.revoke('session of p1')
  await until(() => one.socket.disconnected && told, 'the end of the socket')
  expect(two.socket.connected).toBe(true)
})

test('closes a socket whose session ends while it is signing in', async () => {
  let answer: ((found: SocketHolder | null) => void) | undefined
  let isOver = false
  const resolve = () => new Promise<SocketHolder | null>((told) => (isOver ? told(null) : (answer = told)))
  const { url, hub } = await fixture.serve(fixture.inventory, resolve)
  const socket = fixture.connect(url)
  let told = false
  socket.on('signed-out', () => (told = true))
  void login(socket, { token: 'p1', all_tenants: false, since: null }).catch(() => undefined)
  await until(() => answer !== undefined, 'the question who it is')
  isOver = true
  hub.revoke('session of p1')
  answer!({ session_id: 'session of p1', scope: projectScope('p1'), grants: grantsIn(projectScope('p1')) })
  await until(() => socket.disconnected && told, 'the end of the socket')
})

test('announces that the server is about to stop [EV-003]', async () => {
  const { url, hub } = await fixture.serve()
  const member = await fixture.follow(url, 'p1')
  let told = false
  member.socket.on('about-to-stop', () => (told = true))
  hub.aboutToStop()
  await until(() => told, 'the announcement')
})

test('accepts its path below a prefix, and no other path', async () => {
  const { url, hub } = await fixture.serve()
  const socket = fixture.connect(url, '/api/agent_direct/n1/lca')
  expect((await login(socket, { token: 'p1', all_tenants: false, since: null })).code).toBe(200)
  expect([hub.owns('/websockify'), hub.owns(SOCKET_PATH), hub.owns(`${SOCKET_PATH}/`)]).toEqual([false, true, true])
})

test('closes a socket that does not sign in within 10 s', { tags: 'all' }, async () => {
  expect(limits.sockets.loginWithinMs).toBe(10_000)
  const { url } = await fixture.serve(undefined, undefined, { ...limits.sockets, loginWithinMs: 2000 })
  const member = await fixture.follow(url, 'p1')
  const started = performance.now()
  const socket = fixture.connect(url)
  await until(() => socket.connected, 'a connection')
  await until(() => socket.disconnected, 'the end of the socket')
  expect(performance.now() - started).toBeGreaterThan(1900)
  expect(member.socket.connected).toBe(true)
})
