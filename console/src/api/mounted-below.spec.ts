import { afterEach, expect, it, vi } from 'vitest'
import { createMemoryHistory } from '@tanstack/react-router'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { rootOf } from '../lib/root-path'
import { buildRouter } from '../nav/build-router'
import { call } from './call'
import { startLive } from './live'

/* The console mounted under an agent's path prefix. */

const prefix = '/api/agent_direct/n1/lca/'
vi.mock('../lib/root-path', async (original) => ({
  ...(await original<object>()),
  rootPath: '/api/agent_direct/n1/lca/',
}))
const { io } = vi.hoisted(() => ({
  io: vi.fn((_origin: string, _options: { path: string }) => ({ on() {}, connect() {}, disconnect() {} })),
}))
vi.mock('socket.io-client', () => ({ io }))
afterEach(() => vi.unstubAllGlobals())

it('derives its root path from the URL of its script', () => {
  expect(rootOf('https://cloud/api/agent_direct/n1/lca/assets/index-1a2b.js')).toBe(prefix)
  expect(rootOf('https://cloud:8800/assets/index-1a2b.js')).toBe('/')
})

it('serves pages and sends calls under the prefix [RT-031]', async () => {
  const fetching = vi.fn((_address: string) => Promise.resolve(Response.json({})))
  vi.stubGlobal('fetch', fetching)
  await call(sshKeys.view, { params: { id: 'a' } })
  expect(fetching.mock.calls.map(([address]) => address)).toEqual([`${prefix}api/v2/compute/keys/a`])
  const nothing = () => null
  const around = {
    root: nothing,
    iframe: nothing,
    frame: nothing,
    notFound: nothing,
    fault: nothing,
    pending: nothing,
  }
  const history = createMemoryHistory({ initialEntries: [`${prefix}compute/volumes`] })
  const router = buildRouter(around, [], [], history)
  expect(router.state.location.pathname).toBe('/compute/volumes')
  expect(router.buildLocation({ to: '/compute/images' } as never).publicHref).toBe(`${prefix}compute/images`)
})

it('opens the event socket under the prefix [RT-032]', () => {
  const stop = startLive({
    token: 'token',
    allTenants: false,
    mayRead: () => true,
    start: null,
    onSignedOut: () => {},
    onAboutToStop: () => {},
  })
  stop()
  expect(io.mock.calls[0]![1]).toMatchObject({ path: `${prefix}api/v2/events` })
})
