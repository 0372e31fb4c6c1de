import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { SOCKET_PATH, type SocketLoginReply } from '@mainstay/contract/core/events'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let open: Socket[] = []
beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  for (const socket of open) socket.disconnect()
  await server.close()
})

async function outagesOf(token: string): Promise<unknown[]> {
  const socket = io(server.url, { path: SOCKET_PATH, transports: ['websocket'], reconnection: false, forceNew: true })
  open = [...open, socket]
  const told: unknown[] = []
  socket.on('outage', (outage) => told.push(outage))
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  const login = { token, all_tenants: false, since: null }
  const reply = (await socket.timeout(10_000).emitWithAck('login', login)) as SocketLoginReply
  expect(reply.code).toBe(200)
  return told
}

it('reports no lag for an engine whose system of record is the index', async () => {
  const followsNothing = {
    ...{ view: 'record', holder: null, by: null, parts: [] },
    ...{ problems: [], unreadable: [], lag_ms: 0, read_at: null },
  }
  expect(await server.call(engines.list, { as: 'superuser' })).toEqual({
    data: [
      { name: 'compute', engine: 'embedded', ...followsNothing },
      { name: 'object-storage', engine: 's3', ...followsNothing },
    ],
  })
})

it('shows engines to operators but not to tenants', async () => {
  expect((await server.call(engines.list, { as: 'viewer' })).data).toHaveLength(2)
  for (const as of ['project-member', 'domain-admin'] as const)
    await expect(server.call(engines.list, { as })).rejects.toMatchObject({ code: 'forbidden' })
})

it('exports the lag of each engine as a Prometheus metric', async () => {
  const headers = { 'x-auth-token': await server.login('superuser') }
  const text = await (await fetch(`${server.adminUrl}/metrics`, { headers })).text()
  expect(text).toContain('mainstay_engine_lag_seconds{engine="compute"} 0')
})

it('reports the start of an outage to all signed-in users, even to those who connect later', async () => {
  expect((await server.call(computeCluster.view, { as: 'project-member' })).outage).toBeNull()
  const early = await outagesOf(await server.signIn('project-member'))
  await vi.waitFor(() => expect(early).toEqual([null]))
  const outage = { since: '2026-11-21T14:03:00.000Z', parts: ['compute'] }
  server.tools.hub.tellOutage(outage)
  await vi.waitFor(() => expect(early).toEqual([null, outage]))
  const late = await outagesOf(await server.signIn('viewer'))
  await vi.waitFor(() => expect(late).toEqual([outage]))
  server.tools.hub.tellOutage(null)
  await vi.waitFor(() => expect([early.at(-1), late.at(-1)]).toEqual([null, null]))
})
