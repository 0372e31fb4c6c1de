import { flavors } from '@mainstay/contract/compute/flavors'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { SOCKET_PATH, type SocketLoginReply } from '@mainstay/contract/core/events'
import { domains } from '@mainstay/contract/identity/domains'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { PASSWORD } from '../testing/personas'
import { fakeConsoles } from '../testing/guest-consoles'
import { startServer, type TestServer } from '../testing/start-server'

/*
 * A user who loses access is cut off within a second of the response: API calls, the change socket, and open consoles.
 */

const WITHIN_MS = 1000
const as = 'superuser'
const ROLE = 'project_member' as const

let server: TestServer
let domain_id = ''
beforeAll(async () => {
  server = await startServer()
  fakeConsoles(server)
  domain_id = (await server.call(domains.create, { as, body: { name: 'observatory' } })).id
})
afterAll(() => server.close())

const setDomain = (enabled: boolean) =>
  server.call(domains.update, { as, params: { id: domain_id }, body: { enabled } })
const inDomain = () => ({ domain_id })

interface Place {
  project_id: string
  user_id: string
  group_id: string
}
const setProject = ({ project_id: id }: Place, enabled: boolean) =>
  server.call(projects.update, { as, params: { ...inDomain(), id }, body: { enabled } })
const setUser = ({ user_id: id }: Place, body: object) =>
  server.call(users.update, { as, params: { ...inDomain(), id }, body })

/** Changes that revoke a user's access to a project. The user has access through their own role or through a group. */
const ends: readonly [what: string, by: 'role' | 'group', end: (place: Place) => Promise<unknown>][] = [
  ['the project is disabled', 'role', (place) => setProject(place, false)],
  ['the user is disabled', 'role', (place) => setUser(place, { enabled: false })],
  ['the domain is disabled', 'role', () => setDomain(false)],
  ['the user’s password is changed', 'role', (place) => setUser(place, { password: `${PASSWORD} 3` })],
  [
    'the user loses the role in the project',
    'role',
    (place) => setUser(place, { assigned_projects: [{ project_id: place.project_id, role: 'none' }] }),
  ],
  [
    'the user is deleted',
    'role',
    ({ user_id: id }) => server.call(users.delete, { as, params: { ...inDomain(), id } }),
  ],
  [
    'the user leaves the group',
    'group',
    ({ group_id: id, user_id }) =>
      server.call(groups.removeMembers, { as, params: { ...inDomain(), id }, body: { uuids: [user_id] } }),
  ],
  [
    'the group loses its role in the project',
    'group',
    ({ group_id: id, project_id }) =>
      server.call(groups.update, {
        ...{ as, params: { ...inDomain(), id } },
        body: { assigned_projects: [{ project_id, role: 'none' }] },
      }),
  ],
  [
    'the group is deleted',
    'group',
    ({ group_id: id }) => server.call(groups.delete, { as, params: { ...inDomain(), id } }),
  ],
]

/** Creates a user with access to a project, through a role or a group, and returns their token for the project. */
async function somebody(name: string, by: 'role' | 'group') {
  const params = inDomain()
  const { id: project_id } = await server.call(projects.create, { as, params, body: { name } })
  const assigned_projects = [{ project_id, role: ROLE }]
  const { id: user_id } = await server.call(users.create, {
    ...{ as, params },
    body: { name, password: PASSWORD, ...(by === 'role' && { assigned_projects }) },
  })
  const { id: group_id } = await server.call(groups.create, {
    ...{ as, params },
    body: { name, ...(by === 'group' && { assigned_projects }) },
  })
  await server.call(groups.addMembers, { as, params: { ...params, id: group_id }, body: { uuids: [user_id] } })
  const login = { username: name, password: PASSWORD, domain: 'observatory' }
  const token = (await server.call(session.login, { body: login })).token!
  const entered = await server.call(session.enterProject, { as: { token }, params: { id: project_id } })
  return { place: { project_id, user_id, group_id }, token: entered.token }
}

/** Opens a change socket and signs it in. */
async function follow(token: string): Promise<Socket> {
  const socket = io(server.url, { path: SOCKET_PATH, transports: ['websocket'], reconnection: false, forceNew: true })
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  const login = { token, all_tenants: false, since: null }
  expect(((await socket.timeout(20_000).emitWithAck('login', login)) as SocketLoginReply).code).toBe(200)
  return socket
}

/** Opens the console of a new instance. */
async function openScreen(token: string): Promise<WebSocket> {
  const { data } = await server.call(flavors.list, { as: { token } })
  const { id } = await server.call(instances.create, {
    as: { token },
    body: {
      ...{ name: 'screen', flavor: data[0]!.id, networks: [] },
      volumes: [{ source: 'blank' as const, size: GiB, boot_index: 0 }],
    },
  })
  const params = { id }
  await vi.waitFor(async () =>
    expect((await server.call(instances.view, { as: { token }, params })).status).toBe('ACTIVE'),
  )
  const { path } = await server.call(instances.console, { as: { token }, params })
  const screen = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, ['binary'])
  await new Promise<void>((resolve, reject) => {
    screen.once('open', resolve)
    screen.once('error', reject)
  })
  return screen
}

/** Time of an event on the `performance` clock; never resolves if the event does not happen. */
const timeOf = (happens: (done: () => void) => void) =>
  new Promise<number>((resolve) => happens(() => resolve(performance.now())))

it.each(ends)('cuts off calls, socket and screen within a second after %s', async (what, by, end) => {
  const name = `u${String(ends.findIndex(([it]) => it === what))}_leaving`
  const { place, token } = await somebody(name, by)
  const [socket, screen] = [await follow(token), await openScreen(token)]
  const signedOut = timeOf((done) => socket.once('signed-out', done))
  const closed = timeOf((done) => screen.once('close', done))
  await end(place)
  const answered = performance.now()
  // the next call is refused
  expect((await server.fetch(instances.list, { as: { token } })).status).toBeGreaterThanOrEqual(401)
  expect((await signedOut) - answered).toBeLessThan(WITHIN_MS)
  expect((await closed) - answered).toBeLessThan(WITHIN_MS)
  await setDomain(true)
})
