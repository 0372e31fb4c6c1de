import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { GiB } from '@mainstay/contract/core/bytes'
import { SOCKET_PATH, type Change, type SocketLoginReply } from '@mainstay/contract/core/events'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { networks } from '@mainstay/contract/networking/networks'
import { io, type Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { PASSWORD, type PersonaName } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'

/* Runs the whole server and checks which changes made by others reach a browser. */

let server: TestServer
let open: Socket[] = []
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => (open = []))
afterEach(() => open.forEach((socket) => socket.disconnect()))

async function follow(token: string, since: number | null = null, all_tenants = false) {
  const socket = io(all_tenants ? server.adminUrl : server.url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
  })
  open.push(socket)
  const changes: Change[] = []
  socket.on('changes', (told: Change[]) => changes.push(...told))
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  const login = { token, all_tenants, since }
  const reply = (await socket.timeout(10_000).emitWithAck('login', login)) as SocketLoginReply
  return { socket, reply, changes }
}
/** Rejects after 20 s, well before the regular token check would sign the socket out. */
const isSignedOut = (socket: Socket) =>
  new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the socket was not ended at once')), 20_000)
    socket.once('signed-out', () => {
      clearTimeout(late)
      resolve()
    })
  })
const heard = (changes: Change[], kind: string, id: string, entity: object) =>
  vi.waitFor(() =>
    expect(
      changes.filter((change) => change.kind === kind && change.id === id).map((change) => change.entity),
    ).toContainEqual(expect.objectContaining(entity)),
  )

const as: PersonaName = 'project-member'
const draft = {
  name: 'told',
  flavor: 's1.nano',
  networks: [],
  volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }],
}

it('sends instance and task changes until the task is finished [EV-013] [EV-016]', async () => {
  const { reply, changes } = await follow(await server.signIn(as))
  expect(reply).toMatchObject({ code: 200, resync: false })
  const { id } = await server.call(instances.create, { as, body: draft })
  await heard(changes, 'server', id, { name: 'told', status: 'ACTIVE', task_state: null })
  const task = await vi.waitFor(() => {
    const told = changes.find(({ kind, entity }) => kind === 'task' && entity?.['name'] === 'compute.server.create')
    expect(told).toBeDefined()
    return told!.id
  })
  await heard(changes, 'task', task, { state: 'success', progress: 100 })
  const revisions = changes.map(({ revision }) => revision)
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
})

it('a browser that resumes from the start of its session receives changes made before its socket opened', async () => {
  const token = await server.signIn(as)
  const { revision } = await server.call(session.meta, { as: { token } })
  const { data } = await server.call(sshKeys.list, { as })
  expect(data.map(({ name }) => name)).not.toContain('meanwhile')
  const key = await server.call(sshKeys.generate, { as, body: { name: 'meanwhile', type: 'ed25519' } })
  const { reply, changes } = await follow(token, revision)
  expect(reply).toMatchObject({ code: 200, revision, resync: false })
  await heard(changes, 'key', key.id, { name: 'meanwhile' })
})

it('sends image changes [EV-018]', async () => {
  const { changes } = await follow(await server.signIn(as))
  const bytes = new Uint8Array(1024 * 1024)
  bytes.set([0x55, 0xaa], 510)
  const response = await fetch(`${server.url}${images.create.path}`, {
    method: 'POST',
    headers: {
      'x-auth-token': await server.signIn('compute-operator@alpha-one'),
      'content-type': 'application/octet-stream',
      'x-hci-image-name': Buffer.from('told').toString('base64'),
    },
    body: bytes,
  })
  const { id } = (await response.json()) as { id: string }
  await heard(changes, 'image', id, { name: 'told', status: 'active' })
})

it('sends network changes to users who may see the network [EV-017]', async () => {
  const [mine, theirs] = [await follow(await server.signIn(as)), await follow(await server.signIn('other-member'))]
  const [shared] = (await server.call(networks.list, { as })).data
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  const own = { ...shared!, id: 'own', name: 'own', shared: false, project_id, domain_id }
  const { transaction } = server.tools.inventory.from('embedded')
  await transaction((records) => records.put('network', own))
  await heard(mine.changes, 'network', 'own', { name: 'own', status: 'ACTIVE' })
  await transaction((records) => records.put('network', { ...own, name: 'renamed', status: 'DOWN' }))
  await heard(mine.changes, 'network', 'own', { name: 'renamed', status: 'DOWN' })
  await transaction((records) => records.remove('network', 'own'))
  await transaction((records) => records.put('network', { ...shared!, mtu: 1400 }))
  for (const { changes } of [mine, theirs]) await heard(changes, 'network', shared!.id, { mtu: 1400 })
  expect(mine.changes).toContainEqual(expect.objectContaining({ kind: 'network', id: 'own', op: 'remove' }))
  expect(theirs.changes.map(({ id }) => id)).toEqual([shared!.id])
})

it('sends changes of compute nodes to operators only [EV-033]', async () => {
  const operator = await follow(await server.signIn('compute-operator'), null, true)
  const tenant = await follow(await server.signIn(as))
  const [node] = (await server.call(computeNodes.list, { as: 'compute-operator' })).data
  const { transaction } = server.tools.inventory.from('embedded')
  await transaction((records) => records.put('compute_node', { ...node!, state: 'down' }))
  await heard(operator.changes, 'compute_node', node!.id, { state: 'down' })
  await transaction((records) => records.put('compute_node', node!))
  await heard(operator.changes, 'compute_node', node!.id, { state: 'up' })
  const { id } = await server.call(sshKeys.generate, { as, body: { name: 'last' } })
  await heard(tenant.changes, 'key', id, { name: 'last' })
  expect(tenant.changes.map(({ kind }) => kind)).not.toContain('compute_node')
})

it('sends nothing from other projects, and no keys of other users', async () => {
  const mine = await follow(await server.signIn(as))
  const theirs = await follow(await server.signIn('other-member'))
  const colleague = await follow(await server.signIn('project-admin'))
  const { id } = await server.call(sshKeys.generate, { as, body: { name: 'told' } })
  await heard(mine.changes, 'key', id, { name: 'told' })
  const other = await server.call(sshKeys.generate, { as: 'other-member', body: { name: 'theirs' } })
  await heard(theirs.changes, 'key', other.id, { name: 'theirs' })
  // earlier changes in the colleague's project may still arrive
  const keys = [theirs, colleague].flatMap(({ changes }) => changes.filter(({ kind }) => kind === 'key'))
  expect(keys.map((change) => change.id)).toEqual([other.id])
  expect(new Set(theirs.changes.map((change) => change.project_id))).toEqual(new Set([other.project_id]))
})

it('signs a socket out immediately if its session ends elsewhere, or its user or domain is disabled', async () => {
  const { user, domain } = server.cast.people['other-member']
  const enabling = [
    'update identity_user set enabled = $2 where id = $1',
    'update identity_domain set enabled = $2 where id = $1',
  ]
  const ends: (() => Promise<unknown>)[] = [
    () => server.sql.query('update session set ended_at = now() where user_id = $1', [user.id]),
    () => server.sql.query(enabling[0]!, [user.id, false]),
    () => server.sql.query(enabling[1]!, [domain.id, false]),
  ]
  for (const end of ends) {
    const { socket, reply } = await follow(await server.login('other-member'))
    expect(reply.code).toBe(200)
    const signedOut = isSignedOut(socket)
    await end()
    await signedOut
    await server.sql.query(enabling[0]!, [user.id, true])
    await server.sql.query(enabling[1]!, [domain.id, true])
  }
})

it('signs a socket out immediately if its project is disabled or its user leaves it or is deleted', async () => {
  const admin = 'domain-admin'
  const { id: project_id, domain_id } = await server.call(projects.create, { as: admin, body: { name: 'left soon' } })
  const body = { name: 'leaves_soon', password: PASSWORD }
  const { id } = await server.call(users.create, { as: admin, body })
  const assign = (role: 'project_member' | 'none') =>
    server.call(users.update, { as: admin, params: { id }, body: { assigned_projects: [{ project_id, role }] } })
  const enable = (enabled: boolean) =>
    server.call(projects.update, { as: admin, params: { id: project_id }, body: { enabled } })
  const ends: (() => Promise<unknown>)[] = [
    () => assign('none'),
    () => enable(false),
    () => server.call(users.delete, { as: admin, params: { id } }),
  ]
  for (const end of ends) {
    await enable(true)
    await assign('project_member')
    const domain = Object.values(server.cast.domains).find((it) => it.id === domain_id)!.name
    const login = { username: body.name, password: PASSWORD, domain }
    const unscoped = (await server.call(session.login, { body: login })).token!
    const as = { token: unscoped }
    const { token } = await server.call(session.enterProject, { as, params: { id: project_id } })
    const { socket, reply } = await follow(token)
    expect(reply.code).toBe(200)
    const signedOut = isSignedOut(socket)
    await end()
    await signedOut
  }
})

it('signs a socket out immediately if its user loses access through a group', async () => {
  const admin = 'domain-admin'
  const { id: project_id } = await server.call(projects.create, { as: admin, body: { name: 'of a group' } })
  const { id } = await server.call(users.create, { as: admin, body: { name: 'of_a_group', password: PASSWORD } })
  const body = { name: 'Leaving', assigned_projects: [{ project_id, role: 'project_member' as const }] }
  const group = await server.call(groups.create, { as: admin, body })
  const params = { id: group.id }
  const joining: { as: PersonaName; params: { id: string }; body: { uuids: string[] } } = {
    ...{ as: admin, params },
    body: { uuids: [id] },
  }
  const assign = (role: 'project_member' | 'none') =>
    server.call(groups.update, { as: admin, params, body: { assigned_projects: [{ project_id, role }] } })
  const ends: (() => Promise<unknown>)[] = [
    () => assign('none'),
    () => server.call(groups.removeMembers, joining),
    () => server.call(groups.delete, { as: admin, params }),
  ]
  const above = await follow(await server.signIn(admin))
  for (const end of ends) {
    await assign('project_member')
    await server.call(groups.addMembers, joining)
    // a domain administrator receives changes to the group and its members
    await heard(above.changes, 'group', group.id, { members_count: 1, role: 'project_member' })
    await heard(above.changes, 'user', id, { groups: [expect.objectContaining({ name: 'Leaving' })] })
    above.changes.length = 0
    const login = { username: 'of_a_group', password: PASSWORD, domain: 'alpha' }
    const as = { token: (await server.call(session.login, { body: login })).token! }
    const { token } = await server.call(session.enterProject, { as, params: { id: project_id } })
    const { socket, reply } = await follow(token)
    expect(reply.code).toBe(200)
    const signedOut = isSignedOut(socket)
    await end()
    await signedOut
  }
  await vi.waitFor(() =>
    expect(above.changes).toContainEqual(expect.objectContaining({ kind: 'group', id: group.id, op: 'remove' })),
  )
})

it('refuses forged and revoked tokens, and signs the socket out when the session ends', async () => {
  expect((await follow('F'.repeat(43))).reply.code).toBe(401)
  const token = await server.login(as)
  const params = { id: server.cast.projects['alpha-one']!.id }
  const scoped = await server.call(session.enterProject, { as: { token }, params })
  const { socket, reply } = await follow(scoped.token)
  expect(reply.code).toBe(200)
  const signedOut = new Promise<void>((resolve) => socket.once('signed-out', resolve))
  await server.call(session.logout, { as: { token } })
  await signedOut
  expect((await follow(scoped.token)).reply.code).toBe(401)
})
