import { afterAll, beforeAll, expect, it } from 'vitest'
import { session } from '@mainstay/contract/identity/session'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
beforeAll(async () => {
  const MAINSTAY_PARENT_ORIGINS = 'https://portal.example, http://intranet.example:8080'
  server = await startServer({ environment: { MAINSTAY_PARENT_ORIGINS } })
})
afterAll(() => server.close())

const ancestors = async (at: string) =>
  /frame-ancestors ([^;]*)/.exec((await fetch(at)).headers.get('content-security-policy') ?? '')?.[1]

it('allows only the configured origins to frame pages, and only the embeddable ones', async () => {
  const both = "'self' https://portal.example http://intranet.example:8080"
  expect(await ancestors(`${server.url}/iframe/volumes/add`)).toBe(both)
  expect(await ancestors(`${server.url}/api/agent_direct/one/lca/iframe/volumes/add`)).toBe(both)
  for (const at of ['/', '/compute/volumes/add', '/iframes', '/login', '/api/v2/panel'])
    expect(await ancestors(server.url + at), at).toBe("'self'")
})

it('never allows other origins to frame the admin panel', async () => {
  expect(await ancestors(`${server.adminUrl}/iframe/volumes/add`)).toBe("'self'")
  const told = (await (await fetch(`${server.adminUrl}/api/v2/panel`)).json()) as { parent_origins: string[] }
  expect(told.parent_origins).toEqual([])
})

it('lists the origins from which the portal’s pages may accept messages', async () => {
  expect(await server.call(session.panel)).toMatchObject({
    parent_origins: ['https://portal.example', 'http://intranet.example:8080'],
  })
})
