import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { fillPath, paramNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { SOCKET_PATH } from '@mainstay/contract/core/events'
import type { openApi } from '@mainstay/contract/core/openapi'
import { explanations } from '@mainstay/contract/identity/explanations'
import { session } from '@mainstay/contract/identity/session'
import { isServedAt } from '@mainstay/contract/panels'
import { allEndpoints, resourceList } from '@mainstay/contract/resources'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { PersonaName } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'

/* Operators work in the admin panel: its calls do not exist on the portal, even for operators. */

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const calls = resourceList.flatMap(([, table]) => Object.values(table.calls))
const ofAdminPanel = calls.filter((endpoint) => !isServedAt('self-service', endpoint))

async function askAt(url: string, { verb, path }: Endpoint, as: PersonaName | null) {
  const params = Object.fromEntries(paramNames(path).map((name) => [name, 'something']))
  const headers = { 'content-type': 'application/json', ...(as && { 'x-auth-token': await server.signIn(as) }) }
  const answer = await fetch(`${url}${fillPath(path, params)}`, {
    method: verb,
    headers,
    ...(verb !== 'GET' && { body: '{}' }),
  })
  const said = (await answer.json().catch(() => null)) as { error?: { err_code?: string } } | null
  return [answer.status, said?.error?.err_code]
}

it.each([null, 'project-member', 'domain-admin', 'superuser'] as const)(
  'hides admin panel calls on the portal from %s',
  { timeout: 120_000 },
  async (who) => {
    expect(ofAdminPanel.length).toBeGreaterThan(80)
    for (const endpoint of ofAdminPanel)
      expect(await askAt(server.url, endpoint, who), `${endpoint.verb} ${endpoint.path}`).toEqual([404, 'unknown_call'])
  },
)

it('serves admin panel calls on the admin port', { timeout: 120_000 }, async () => {
  for (const endpoint of ofAdminPanel)
    expect((await askAt(server.adminUrl, endpoint, 'viewer'))[1], endpoint.path).not.toBe('unknown_call')
})

it('omits admin panel calls from the portal’s Allow header', async () => {
  const allowed = async (url: string) =>
    (await fetch(`${url}/api/v2/domains/default`, { method: 'OPTIONS' })).headers.get('allow')
  expect(await allowed(server.adminUrl)).toBe('OPTIONS, GET, HEAD, PUT, DELETE')
  expect(await allowed(server.url)).toBe('OPTIONS, GET, HEAD')
})

it('describes all calls on the admin port, and only portal calls on the portal port', async () => {
  const operations = async (url: string) => {
    const { paths } = (await (await fetch(`${url}/api/v2/openapi.json`)).json()) as ReturnType<typeof openApi>
    return Object.entries(paths).flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => `${verb} ${path}`))
  }
  const named = (some: readonly Endpoint[]) =>
    some.map(({ verb, path }) => `${verb.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`).toSorted()
  const all = Object.values(allEndpoints).flatMap((table): Endpoint[] => Object.values(table))
  expect((await operations(server.adminUrl)).toSorted()).toEqual(named(all))
  expect((await operations(server.url)).toSorted()).toEqual(named(all.filter((it) => !ofAdminPanel.includes(it))))
})

it('gives an operator on the portal only the rights for portal calls', async () => {
  const rightsAt = async (at: 'admin' | 'self-service') =>
    (await server.call(session.meta, { as: 'superuser', at })).permissions
  expect(await rightsAt('admin')).toMatchObject({
    compute_flavors: { methods: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] },
  })
  const atPortal = await rightsAt('self-service')
  expect(atPortal).toMatchObject({ compute_flavors: { methods: ['GET'] }, compute_servers: {} })
  expect(Object.keys(atPortal)).not.toContain('compute_nodes')
  expect(Object.keys(atPortal)).not.toContain('settings_ldap')
})

it('sends changes to admin panel resources only to sockets on the admin port', async () => {
  const token = await server.signIn('superuser')
  const heard = async (url: string) => {
    const kinds: string[] = []
    const socket = io(url, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true, reconnection: false })
    socket.on('changes', (changes: { kind: string }[]) => kinds.push(...changes.map(({ kind }) => kind)))
    await socket.emitWithAck('login', { token, all_tenants: true, since: null })
    return { kinds, close: () => void socket.disconnect() }
  }
  const [admin, portal] = [await heard(server.adminUrl), await heard(server.url)]
  try {
    const [rule] = (await server.call(allEndpoints.alertRules.list, { as: 'superuser' })).data
    const body = { id: rule!.id, enabled: !rule!.enabled }
    await server.call(allEndpoints.alertRules.save, { as: 'superuser', body })
    const flavor = { name: 'told-to-both', vcpus: 1, ram: 512 }
    await server.call(allEndpoints.flavors.create, { as: 'superuser', body: flavor })
    // changes arrive in order, so an earlier row would also be here
    await vi.waitFor(() => {
      expect(admin.kinds).toContain('flavor')
      expect(portal.kinds).toContain('flavor')
    })
    expect(admin.kinds).toContain('alert_rule')
    expect(portal.kinds).not.toContain('alert_rule')
  } finally {
    admin.close()
    portal.close()
  }
})

it('refuses a bulk action on the portal if its call exists only in the admin panel', async () => {
  const body = { kind: 'server', action: 'migrate', ids: ['something'] }
  const code = async (at: 'admin' | 'self-service') =>
    server.call(bulkRuns.check, { as: 'superuser', at, body }).then(
      () => null,
      ({ fields }: { fields: Record<string, string[]> }) => Object.keys(fields),
    )
  expect(await code('admin')).toBeNull()
  expect(await code('self-service')).toEqual(['action'])
})

it('explains that an admin panel call is not available on the portal', async () => {
  const query = { call: 'flavors.create' }
  const askedAt = (at: 'admin' | 'self-service') => server.call(explanations.explain, { as: 'superuser', at, query })
  expect(await askedAt('admin')).toMatchObject({ allowed: true })
  const { allowed, checks, would_allow } = await askedAt('self-service')
  expect([allowed, would_allow]).toEqual([false, []])
  expect(checks.filter(({ passed }) => passed === false).map(({ code }) => code)).toEqual(['panel'])
})
