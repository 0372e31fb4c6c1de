import { SOCKET_PATH } from '@mainstay/contract/core/events'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { fillPath, type Endpoint } from '@mainstay/contract/core/endpoint'
import { instances } from '@mainstay/contract/compute/instances'
import { domains } from '@mainstay/contract/identity/domains'
import { session } from '@mainstay/contract/identity/session'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PASSWORD } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'
import type { SignedIn } from './signed-in'

let server: TestServer
const words = /System permissions do not apply at the portal.*admin panel at https:\/\/admin\.example/
beforeAll(async () => {
  server = await startServer({
    environment: { MAINSTAY_PORTAL_OPERATORS: '0', MAINSTAY_ADMIN_ADDRESS: 'https://admin.example' },
  })
  const { demo } = server.cast.projects
  const operator = { domain_id: 'default', password: PASSWORD, roles: ['admin' as const] }
  await server.tools.identity.createUser({ ...operator, name: 'operator', assigned_projects: [] })
  await server.tools.identity.createUser({
    ...operator,
    name: 'both',
    assigned_projects: [{ project_id: demo!.id, role: 'project_member' }],
  })
})
afterAll(() => server.close())

interface Asked {
  at: 'portal' | 'admin'
  token?: string
  params?: Record<string, string>
  body?: unknown
}
async function ask({ verb, path }: Endpoint, { at, token, params = {}, body }: Asked) {
  const address = at === 'portal' ? server.url : server.adminUrl
  const response = await fetch(`${address}${fillPath(path, params)}`, {
    method: verb,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { 'x-auth-token': token }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const said = (await response.json().catch(() => null)) as Record<string, unknown> | null
  return { status: response.status, said, message: (said?.['error'] as { message?: string } | undefined)?.message }
}
const signIn = async (username: string, at: Asked['at']) => {
  const { said } = await ask(session.login, { at, body: { username, password: PASSWORD } })
  return said!['token'] as string
}

describe('when the admin port is separate from the portal', () => {
  it('a user who is only an operator cannot sign in at the portal and is told where to sign in', async () => {
    const body = { username: 'operator', password: PASSWORD }
    expect(await ask(session.login, { at: 'portal', body })).toMatchObject({
      status: 403,
      message: expect.stringMatching(words),
    })
    expect(await ask(session.login, { at: 'admin', body })).toMatchObject({ status: 200 })
  })

  it('an operator’s token is valid at the admin port but refused at the portal', async () => {
    const token = await signIn('operator', 'admin')
    expect(await ask(domains.list, { at: 'admin', token })).toMatchObject({ status: 200 })
    for (const call of [domains.list, session.whoami, session.projects])
      expect(await ask(call, { at: 'portal', token })).toMatchObject({
        status: 403,
        message: expect.stringMatching(words),
      })
  })

  it('an operator who is a member of a project has only the rights of a member at the portal', async () => {
    const token = await signIn('both', 'portal')
    const { said } = await ask(session.whoami, { at: 'portal', token })
    expect(said).toMatchObject({ name: 'both', is_superuser: false, roles: ['project_member'] })
    expect(await ask(domains.list, { at: 'portal', token })).toMatchObject({
      status: 403,
      message: expect.stringMatching(words),
    })
    const [demo, other] = [server.cast.projects['demo']!.id, server.cast.projects['alpha-one']!.id]
    const entered = await ask(session.enterProject, { at: 'portal', token, params: { id: demo } })
    const scoped = entered.said!['token'] as string
    expect(await ask(instances.list, { at: 'portal', token: scoped })).toMatchObject({ status: 200 })
    expect((await ask(session.whoami, { at: 'portal', token: scoped })).said!['roles']).not.toContain('project_admin')
    // only operators may enter this project
    expect(await ask(session.enterProject, { at: 'portal', token, params: { id: other } })).toMatchObject({
      status: 403,
      message: expect.stringMatching(words),
    })
    expect(await ask(session.enterProject, { at: 'admin', token, params: { id: other } })).toMatchObject({
      status: 200,
    })
    expect(await ask(domains.list, { at: 'admin', token })).toMatchObject({ status: 200 })
  })

  it('an operator cannot open a socket at the portal', async () => {
    const token = await signIn('operator', 'admin')
    const codeAt = async (url: string) => {
      const socket = io(url, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true, reconnection: false })
      try {
        const answer = await socket.emitWithAck('login', { token, all_tenants: true, since: null })
        return (answer as { code: number }).code
      } finally {
        socket.disconnect()
      }
    }
    expect(await codeAt(server.url)).toBe(401)
    expect(await codeAt(server.adminUrl)).toBe(200)
  })

  it('a bulk run keeps the rights that its caller had at the portal', async () => {
    const resolve = vi.spyOn(server.tools.sessions, 'resolveSession')
    const params = { id: server.cast.projects['demo']!.id }
    const rolesOfRunAt = async (at: Asked['at']) => {
      const entered = await ask(session.enterProject, { at, token: await signIn('both', at), params })
      const token = entered.said!['token'] as string
      const made = await ask(volumes.create, { at, token, body: { name: `disk ${at}`, size: GiB } })
      const body = { kind: 'volume', action: 'delete', ids: [made.said!['id']] }
      resolve.mockClear()
      expect(await ask(bulkRuns.create, { at, token, body })).toMatchObject({ status: 202 })
      await vi.waitFor(() => expect(resolve.mock.results.length).toBeGreaterThan(0), { timeout: 60_000 })
      return ((await resolve.mock.results[0]!.value) as SignedIn).scope.roles
    }
    expect(await rolesOfRunAt('portal')).toEqual(['project_member'])
    expect(await rolesOfRunAt('admin')).toContain('project_admin')
    resolve.mockRestore()
  })
})
