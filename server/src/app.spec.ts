import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from './testing/start-server'

let server: TestServer
let folder: string
const METRICS_TOKEN = 'a-token-of-the-figures'
const bearer = { authorization: `Bearer ${METRICS_TOKEN}` }
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mainstay-console-'))
  await mkdir(path.join(folder, 'assets'))
  await mkdir(path.join(folder, '.vite'))
  await writeFile(path.join(folder, '.vite/manifest.json'), '{}')
  await writeFile(path.join(folder, 'assets/main-abc123.js'), `// ${'x'.repeat(5000)}`)
  await writeFile(
    path.join(folder, 'index.html'),
    '<html><script type="module" src="./assets/main-abc123.js"></script>',
  )
  await writeFile(
    path.join(folder, 'admin.html'),
    '<html><script type="module" src="./assets/admin-abc123.js"></script>',
  )
  server = await startServer({ environment: { MAINSTAY_CONSOLE: folder, MAINSTAY_METRICS_TOKEN: METRICS_TOKEN } })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const get = (at: string, headers: Record<string, string> = {}) => fetch(`${server.url}${at}`, { headers })

describe('the console', () => {
  it.each(['/', '/compute/instances/1/console', '/login/alpha', '/networks/a.b'])(
    'is served at %s and never cached',
    async (at) => {
      const response = await get(at)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('text/html')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(await response.text()).toContain('src="/assets/main-abc123.js"')
    },
  )

  it('serves the operator pages only on the admin port', async () => {
    expect(await (await get('/compute/instances')).text()).not.toContain('admin-abc123')
    const page = await (await fetch(`${server.adminUrl}/compute/instances`)).text()
    expect(page).toContain('src="/assets/admin-abc123.js"')
  })

  it('loads its assets from below its mount prefix [RT-031]', async () => {
    const page = await (await get('/api/agent_direct/node-1/lca/compute/instances')).text()
    expect(page).toContain('src="/api/agent_direct/node-1/lca/assets/main-abc123.js"')
    expect((await get('/api/agent_direct/node-1/lca/assets/main-abc123.js')).status).toBe(200)
    expect((await get('/api/agent_direct/node-1/lca')).status).toBe(200)
  })

  it('serves immutable assets in an encoding that the browser accepts', async () => {
    const response = await get('/assets/main-abc123.js', { 'accept-encoding': 'br, gzip' })
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-encoding')).toBe('br')
    expect((await response.text()).length).toBe(5003)
    const plain = await get('/assets/main-abc123.js', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
  })

  it.each(['/assets/gone.js', '/.vite/manifest.json/../x.js', '/assets/%2e%2e/%2e%2e/x.json'])(
    'does not expose the build manifest at %s',
    async (at) => {
      const response = await get(at)
      expect(await response.text()).not.toContain('manifest')
      expect([200, 404]).toContain(response.status)
    },
  )

  it('does not expose the Vite manifest', async () => {
    expect(await (await get('/.vite/manifest.json')).text()).not.toBe('{}')
  })
})

describe('response headers', () => {
  it.each(['/', '/api/v2/panel', '/api/v2/docs', '/api/v2/nothing'])(
    'of %s forbid inline and third-party content',
    async (at) => {
      const { headers } = await get(at)
      const policy = Object.fromEntries(
        headers
          .get('content-security-policy')!
          .split(';')
          .map((part) => [part.split(' ')[0]!, part.split(' ').slice(1)]),
      )
      const host = new URL(server.url).host
      expect(policy['default-src']).toEqual(["'none'"])
      expect(policy['script-src']).toEqual(["'self'"])
      expect(policy['style-src']).toEqual(["'self'"])
      expect(policy['connect-src']).toEqual(["'self'", `ws://${host}`, `wss://${host}`])
      expect(policy['frame-ancestors']).toEqual(["'self'"])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('strict-transport-security')).toBeNull()
      expect(headers.get('x-powered-by')).toBeNull()
    },
  )
})

describe('endpoints outside the console', () => {
  it('report liveness and readiness', async () => {
    expect(await (await get('/health')).json()).toEqual({ status: 'live' })
    const parts = ['database', 'compute', 'object-storage', 'tasks', 'files'].map((name) => ({
      ...{ name, reachable: true, message: null },
      since: expect.stringMatching(/^20\d\d-/),
    }))
    expect(await (await get('/ready')).json()).toEqual({ status: 'ready', parts })
  })

  it('label request metrics with the route, never with an ID', async () => {
    await get('/api/v2/compute/servers/some-id')
    await server.tools.inventory.applyObservations([
      { op: 'put', kind: 'volume', entity: { id: 'odd', attachments: null } },
    ])
    const told = async () => (await fetch(`${server.adminUrl}/metrics`, { headers: bearer })).text()
    // wait for the jobs that run at startup
    const text = await vi.waitFor(async () => {
      const said = await told()
      expect(said).toMatch(/^mainstay_jobs 0$/m)
      return said
    })
    expect(text).toContain(
      'mainstay_http_request_seconds_count{method="GET",route="/api/v2/compute/servers/:id",status="401"}',
    )
    expect(text).toMatch(/^mainstay_revision \d+$/m)
    // the malformed row above counts as unreadable
    expect(text).toMatch(/^mainstay_rows_unreadable\{kind="volume"\} 1$/m)
    expect(text).not.toContain('some-id')
  })

  it('serve metrics only on the admin port, to operators and to clients with the metrics token', async () => {
    const status = async (url: string, headers: Record<string, string> = {}) =>
      (await fetch(`${url}/metrics`, { headers })).status
    expect(await status(server.adminUrl)).toBe(401)
    expect(await status(server.adminUrl, { authorization: `Bearer ${METRICS_TOKEN}x` })).toBe(401)
    expect(await status(server.adminUrl, { 'x-auth-token': await server.signIn('project-member') })).toBe(403)
    expect(await status(server.adminUrl, { 'x-auth-token': await server.login('superuser') })).toBe(200)
    expect(await status(server.adminUrl, bearer)).toBe(200)
    expect(await status(server.url, bearer)).toBe(404)
  })

  it('document every call in OpenAPI and on a web page', async () => {
    expect(await (await get('/api/v2/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' })
    const page = await (await get('/api/v2/docs')).text()
    expect(page).toContain('/api/v2/compute/servers/{id}/start')
    expect(page).not.toMatch(/<script|style=|onclick/)
    expect((await get('/api/v2/docs/style.css')).headers.get('content-type')).toContain('text/css')
  })

  it('send JSON as exactly `application/json`, because clients compare the whole header', async () => {
    const token = await server.signIn('project-member')
    const answers = await Promise.all([
      ...['/health', '/ready', '/api/v2/panel', '/api/v2/openapi.json', '/api/v2/gone', '/%zz', '/gone'].map((at) =>
        get(at, { accept: 'application/json' }),
      ),
      get('/api/v2/compute/servers', { 'x-auth-token': token }),
      get('/api/v2/compute/servers/gone', { 'x-auth-token': token }),
      fetch(`${server.url}/api/v2/login`, {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      }),
    ])
    const told = answers.map((answer) => `${new URL(answer.url).pathname} ${answer.headers.get('content-type')}`)
    expect(told.filter((it) => !it.endsWith(' application/json'))).toEqual(['/gone text/html; charset=utf-8'])
  })

  it('never fall back to the console page', async () => {
    for (const at of ['/api/v2/gone', '/prometheus/api/v1/query', '/websockify'])
      expect((await get(at)).headers.get('content-type')).toContain('application/json')
    expect((await get('/s3proxy/x')).headers.get('content-type')).toContain('application/xml')
  })
})
