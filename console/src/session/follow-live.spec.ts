import { createElement } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import type { Meta } from '@mainstay/contract/identity/session'
import { QueryClientProvider } from '@tanstack/react-query'
import { renderHook } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { LiveOptions } from '../api/live'
import { useLive } from '../api/live-state'
import { queryClient } from '../api/query-client'
import { useView } from '../api/use-view'
import { freshSession, keepAccess } from '../testing/fresh-session'
import { followLive } from './follow-live'
import { sessionNow, setSession } from './session'
import { switchProject } from './sign-in'

const { startLive } = vi.hoisted(() => ({ startLive: vi.fn((_options: unknown) => () => {}) }))
vi.mock('../api/live', () => ({ startLive }))

beforeAll(() => followLive())
beforeEach(() => {
  freshSession()
  startLive.mockClear()
})

async function followed(resources: string[], kind: Meta['scope']['kind'] = 'project'): Promise<LiveOptions> {
  const permissions = Object.fromEntries(resources.map((name) => [name, { name, methods: ['GET'] }]))
  const token = `token of ${resources.join()} ${kind}`
  setSession({ status: 'signed-in', scopedToken: token, meta: { permissions, scope: { kind } } as unknown as Meta })
  await vi.waitFor(() => expect(startLive).toHaveBeenCalledOnce())
  return startLive.mock.calls[0]![0] as LiveOptions
}

it.each([
  ['domain', 'domain'],
  ['user', 'domain_user'],
  ['project', 'domain_project'],
])('accepts %s changes only with permission to read %s', async (kind, resource) => {
  const { mayRead } = await followed([resource])
  expect(mayRead(kind)).toBe(true)
  setSession({ meta: { permissions: {}, scope: { kind: 'project' } } as unknown as Meta })
  expect(mayRead(kind)).toBe(false)
})

it.each([
  ['task', 'tasks'],
  ['server', 'compute_servers'],
  ['network', 'compute_networks'],
  ['image', 'compute_images'],
])('accepts %s changes with permission to read %s', async (kind, resource) => {
  const { mayRead } = await followed([resource])
  expect(mayRead(kind)).toBe(true)
  expect(mayRead('spaceship')).toBe(false)
})

it('subscribes to changes in every tenant only in a system scope [EV-024]', async () => {
  expect(await followed(['tasks'], 'system')).toMatchObject({ allTenants: true })
  startLive.mockClear()
  expect(await followed(['tasks'], 'project')).toMatchObject({ allTenants: false })
})

it('starts from the revision reported before the first response, or without one if the server is older', async () => {
  expect(await followed(['tasks'])).toMatchObject({ start: null })
  startLive.mockClear()
  const meta = { permissions: {}, scope: { kind: 'project' }, revision: 41 } as unknown as Meta
  setSession({ scopedToken: 'another token', meta })
  await vi.waitFor(() => expect(startLive).toHaveBeenCalledOnce())
  expect(startLive.mock.calls[0]![0]).toMatchObject({ start: 41 })
})

it('shows the sign-in form over the page when the socket’s token expires, then uses the new token', async () => {
  const { onSignedOut } = await followed(['tasks'])
  setSession({ user: { id: 'u', name: 'mo' } as never })
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ error: { message: 'no' } }, { status: 401 })))
  onSignedOut()
  await vi.waitFor(() => expect(sessionNow().isExpired).toBe(true))
  expect(sessionNow()).toMatchObject({ status: 'signed-in', user: { name: 'mo' } })
  vi.unstubAllGlobals()
  setSession({ isExpired: false, scopedToken: 'new' })
  await vi.waitFor(() => expect(startLive.mock.lastCall).toMatchObject([{ token: 'new' }]))
})

it('loads the compute figures whenever the current project is set, if its services include compute [CA-117]', async () => {
  keepAccess()
  const permissions = { compute_stat: { name: 'compute_stat', methods: ['GET'] } }
  const services = { compute: { configured: true } }
  const asked: string[] = []
  const figures = { servers: { total: 3, by_status: {} } }
  vi.stubGlobal('fetch', (address: string, { headers }: { headers: Record<string, string> }) => {
    const isStat = address.endsWith('/api/v2/compute/cluster/stat')
    if (isStat) asked.push(headers['x-auth-token']!)
    if (isStat) return Promise.resolve(Response.json(figures))
    const id = /p-\w+/.exec(address)?.[0]
    return Promise.resolve(Response.json(id ? { token: `token of ${id}` } : { permissions, services, scope: {} }))
  })
  setSession({ status: 'signed-in' })
  const enter = (id: string) => switchProject({ id, name: id, enabled: true } as never)
  await enter('p-one')
  await vi.waitFor(() => expect(asked).toEqual(['token of p-one']))
  await enter('p-two')
  await vi.waitFor(() => expect(asked).toEqual(['token of p-one', 'token of p-two']))
  // the overview shows them at once
  const { result } = renderHook(() => useView(computeCluster.stat, {}), {
    wrapper: ({ children }) => createElement(QueryClientProvider, { client: queryClient }, children),
  })
  await vi.waitFor(() => expect(result.current.data).toEqual(figures))
  expect(asked).toHaveLength(2)

  services.compute.configured = false
  startLive.mockClear()
  await enter('p-three')
  await vi.waitFor(() => expect(startLive).toHaveBeenCalledOnce())
  expect(asked).toHaveLength(2)
  vi.unstubAllGlobals()
})

it('opens no socket without a scoped token [EV-012]', async () => {
  await followed(['tasks'])
  startLive.mockClear()
  setSession({ scopedToken: null, meta: { permissions: {}, scope: { kind: 'domain' } } as unknown as Meta })
  await vi.dynamicImportSettled()
  expect(startLive).not.toHaveBeenCalled()
  expect(useLive.getState().state).toBe('offline')
})
