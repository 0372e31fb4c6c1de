import { flavors } from '@mainstay/contract/compute/flavors'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { limits } from '../limits'
import { fakeConsoles } from '../testing/guest-consoles'
import { startServer, type TestServer } from '../testing/start-server'

const CONSOLES = 8

let server: TestServer
let token: string
let instance: { id: string }

const statusOf = async (id: string) => (await server.call(instances.view, { as: { token }, params: { id } })).status
async function makeInstance(name: string): Promise<{ id: string }> {
  const [flavor] = (await server.call(flavors.list, { as: { token } })).data
  const made = await server.call(instances.create, {
    as: { token },
    body: { name, flavor: flavor!.id, volumes: [{ source: 'blank', size: GiB, boot_index: 0 }], networks: [] },
  })
  await vi.waitFor(async () => expect(await statusOf(made.id)).toBe('ACTIVE'))
  return made
}

beforeAll(async () => {
  server = await startServer({ limits: { ...limits, sockets: { ...limits.sockets, consolesOfUser: CONSOLES } } })
  fakeConsoles(server)
  token = await server.signIn('project-member')
  instance = await makeInstance('screen')
})
afterAll(() => server.close())

const ticketFor = (id = instance.id, as = { token }) => server.call(instances.console, { as, params: { id } })

interface Screen {
  socket: WebSocket
  bytes: () => Buffer
  closed: Promise<{ code: number; reason: string }>
}
/** Opens a console. Returns the HTTP status if the request is refused. */
const open = (path: string, headers: Record<string, string> = {}): Promise<Screen | number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, ['binary'], { headers })
    const chunks: Buffer[] = []
    socket.on('message', (data: Buffer) => chunks.push(data))
    const closed = new Promise<{ code: number; reason: string }>((done) =>
      socket.on('close', (code, reason) => done({ code, reason: String(reason) })),
    )
    socket.on('open', () => resolve({ socket, bytes: () => Buffer.concat(chunks), closed }))
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    socket.on('error', (error) => (error.message.includes('Unexpected server response') ? undefined : reject(error)))
  })
const opened = async (path: string, headers: Record<string, string> = {}): Promise<Screen> => {
  const screen = await open(path, headers)
  if (typeof screen === 'number') throw new Error(`refused with ${screen}`)
  return screen
}

describe('a ticket', () => {
  it('is valid for one minute and opens a two-way console at /websockify [EV-029]', async () => {
    const ticket = await ticketFor()
    expect(ticket.path).toMatch(/^\/websockify\?/)
    const seconds = (Date.parse(ticket.expires_at) - Date.now()) / 1000
    expect(ticket.protocol).toBe('vnc')
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
    const screen = await opened(ticket.path)
    await vi.waitFor(() => expect(screen.bytes().toString('latin1')).toMatch(/^RFB 003\.\d{3}\n/))
    screen.socket.send(Buffer.from('RFB 003.008\n'))
    await vi.waitFor(() => expect(screen.bytes().length).toBeGreaterThan(12))
    screen.socket.close()
  })

  it('is refused if the user already has the maximum number of consoles', async () => {
    const screens: Screen[] = []
    let refused: number | null = null
    while (refused === null && screens.length <= CONSOLES) {
      const next = await open((await ticketFor()).path)
      if (typeof next === 'number') refused = next
      else screens.push(next)
    }
    expect(refused).toBe(429)
    for (const { socket, closed } of screens) {
      socket.close()
      await closed
    }
    await vi.waitFor(async () => (await opened((await ticketFor()).path)).socket.close())
  })

  it('is valid only once', async () => {
    const { path } = await ticketFor()
    const screen = await opened(path)
    expect(await open(path)).toBe(401)
    screen.socket.close()
  })

  it("works below an agent's path prefix [RT-032]", async () => {
    const { path } = await ticketFor()
    const screen = await opened(`/api/agent_direct/node-1/lca${path}`)
    screen.socket.close()
  })

  it('is refused from other origins, and if it has expired or is unknown', async () => {
    const { path } = await ticketFor()
    expect(await open(path, { origin: 'https://evil.example' })).toBe(403)
    expect(await open(`/websockify?token=${'A'.repeat(43)}`)).toBe(401)
    expect(await open('/websockify')).toBe(401)
    const late = await ticketFor()
    await server.sql.query("update console_ticket set expires_at = now() - interval '1 second'")
    expect(await open(late.path)).toBe(401)
  })

  it('expires with the session in which it was requested', async () => {
    const own = await server.login('project-member')
    const id = server.cast.projects['alpha-one']!.id
    const scoped = await server.call(session.enterProject, { as: { token: own }, params: { id } })
    const { path } = await ticketFor(instance.id, scoped)
    await server.call(session.logout, { as: scoped })
    expect(await open(path)).toBe(401)
  })

  it('requires the console permission and a visible instance', async () => {
    await expect(ticketFor(instance.id, { token: await server.signIn('viewer') })).rejects.toMatchObject({
      status: 403,
    })
    await expect(ticketFor(instance.id, { token: await server.signIn('other-member') })).rejects.toMatchObject({
      status: 404,
    })
  })
})

describe('a terminal', () => {
  const terminal = async () =>
    opened(
      (
        await server.call(instances.console, {
          as: { token },
          params: { id: instance.id },
          query: { protocol: 'serial' },
        })
      ).path,
    )

  it('shows earlier output, and then input from each client to all attached clients', async () => {
    const [first, second] = [await terminal(), await terminal()]
    for (const { bytes } of [first, second])
      await vi.waitFor(() => expect(bytes().toString()).toContain('screen login:'))
    first.socket.send(Buffer.from('uptime'))
    for (const { bytes } of [first, second]) await vi.waitFor(() => expect(bytes().toString()).toMatch(/uptime$/))
    first.socket.close()
    await first.closed
    second.socket.send(Buffer.from('\r'))
    await vi.waitFor(() => expect(second.bytes().toString()).toMatch(/uptime\r\n\$ $/))
    second.socket.close()
  })

  it('refuses protocols other than vnc and serial', async () => {
    const { path } = instances.console
    const response = await fetch(`${server.url}${path.replace(':id', instance.id)}?protocol=spice`, {
      headers: { 'x-auth-token': token },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { err_code: 'validation', fields: { protocol: expect.anything() } },
    })
  })
})

describe('an open screen', () => {
  it('closes when the session ends', async () => {
    const own = await server.login('project-member')
    const id = server.cast.projects['alpha-one']!.id
    const scoped = await server.call(session.enterProject, { as: { token: own }, params: { id } })
    const screen = await opened((await ticketFor(instance.id, scoped)).path)
    await server.call(session.logout, { as: { token: own } })
    expect((await screen.closed).code).toBe(4403)
  })

  it('closes when the instance stops', { tags: 'all' }, async () => {
    const other = await makeInstance('leaving')
    const screen = await opened((await ticketFor(other.id)).path)
    await server.call(instances.stop, { as: { token }, params: { id: other.id }, body: { hard: true } })
    expect([1011, 4404]).toContain((await screen.closed).code)
    await vi.waitFor(async () => expect(await statusOf(other.id)).toBe('SHUTOFF'))
    await expect(ticketFor(other.id)).rejects.toMatchObject({ code: 'console_unavailable', status: 409 })
  })
})

describe('the events of an instance', () => {
  it('are listed with the newest first, including the outcome of asynchronous actions', async () => {
    const other = await makeInstance('history')
    await server.call(instances.update, { as: { token }, params: { id: other.id }, body: { name: 'renamed' } })
    await server.call(instances.stop, { as: { token }, params: { id: other.id }, body: { hard: true } })
    await server.call(instances.resume, { as: { token }, params: { id: other.id }, body: {} }).catch(() => undefined)
    await vi.waitFor(async () => expect(await statusOf(other.id)).toBe('SHUTOFF'))
    const events = () => server.call(instances.events, { as: { token }, params: { id: other.id } })
    await vi.waitFor(async () => {
      const { data } = await events()
      expect(data.map(({ action, result, user_name }) => [action, result, user_name])).toEqual([
        ['resume', 'error', 'project_member'],
        ['stop', 'success', 'project_member'],
        ['update', 'success', 'project_member'],
        ['create', 'success', 'project_member'],
      ])
    })
    const { data } = await events()
    expect(data[0]!.message).toBeTruthy()
    expect(data.every(({ finished_at }) => finished_at !== null)).toBe(true)
    const page = await server.call(instances.events, { as: { token }, params: { id: other.id }, query: { limit: 3 } })
    const rest = await server.call(instances.events, {
      as: { token },
      params: { id: other.id },
      query: { limit: 3, marker: page.pages[0]!.marker },
    })
    expect(rest.data.map(({ action }) => action)).toEqual(['create'])
  })

  it('are not visible to other tenants', async () => {
    await expect(
      server.call(instances.events, { as: 'other-member', params: { id: instance.id } }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('contain no passwords, not even for sign-ins', async () => {
    const rows = await server.sql.query<Record<string, unknown>>('select * from audit')
    expect(rows.some((row) => row['action'] === 'session.login' && row['user_name'] === 'project_member')).toBe(true)
    expect(JSON.stringify(rows)).not.toContain('correct horse')
    await expect(server.sql.query("update audit set user_name = 'x'")).rejects.toThrow('never changed')
  })
})

describe('the console log', () => {
  it('is served as a file that is named after the instance', async () => {
    const response = await server.fetch(instances.log, { as: { token }, params: { id: instance.id } })
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('filename="screen-console.log"')
    expect(response.status).toBe(200)
  })

  it('can be opened through a link with the session cookie, in the project that the link names', async () => {
    const cookie = `session-self-service=${await server.login('project-member')}`
    const ask = (query: string) =>
      fetch(`${server.url}/api/v2/compute/servers/${instance.id}/log${query}`, { headers: { cookie } })
    expect((await ask('')).status).toBe(403)
    expect((await ask(`?project_id=${server.cast.projects['alpha-one']!.id}`)).status).toBe(200)
    expect((await ask(`?project_id=${server.cast.projects['beta-one']!.id}`)).status).toBe(404)
  })
})
