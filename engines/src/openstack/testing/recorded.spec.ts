import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openRecorder, openReplay } from './recorded'

/** Starts a minimal Keystone and compute service for a recording. */
async function fakeCloud(): Promise<string> {
  const server = createServer((request, reply) => {
    request.resume()
    const origin = `http://${request.headers.host}`
    const answers: Record<string, object> = {
      'POST /v3/auth/tokens': {
        token: {
          expires_at: '2020-01-01T00:00:00.000000Z',
          audit_ids: 'tells who',
          catalog: [{ type: 'compute', endpoints: [{ interface: 'public', url: `${origin}/v2.1` }] }],
        },
      },
      'GET /v2.1/servers?limit=2&name=a': { servers: [{ id: 'one', adminPass: 'hush' }] },
      'POST /v2.1/servers': { server: { id: 'two', adminPass: 'hush' } },
    }
    const answer = answers[`${request.method} ${request.url}`]
    reply
      .writeHead(answer ? 200 : 404, { 'content-type': 'application/json', 'x-subject-token': 'a real token' })
      .end(answer ? JSON.stringify(answer) : '{"error": "none"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
}

interface Answer {
  token: { expires_at: string; catalog: { endpoints: { url: string }[] }[] }
  servers: object[]
}
const read = async (url: string, init: RequestInit = {}) => {
  const reply = await fetch(url, init)
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Answer }
}

async function visit(authUrl: string) {
  const signedIn = await read(`${authUrl}/auth/tokens`, { method: 'POST', body: '{"password": "hush"}' })
  const compute = signedIn.body.token.catalog[0]!.endpoints[0]!.url
  const servers = await read(`${compute}/servers?limit=2&name=a`)
  return { signedIn, compute, servers }
}

test('replays recorded responses at another address, with a valid token and without secrets', async () => {
  const recorder = await openRecorder(await fakeCloud())
  const real = await visit(recorder.authUrl)
  expect(real.signedIn.headers.get('x-subject-token')).toBe('a real token')
  expect(real.servers.body).toEqual({ servers: [{ id: 'one', adminPass: 'hush' }] })
  await read(`${real.compute}/servers`, { method: 'POST', body: '{}' })
  const exchanges = recorder.take()
  await recorder.close()

  expect(exchanges.map(({ request }) => request.replace(/\/\d+\//, '/'))).toEqual([
    'POST /v3/auth/tokens',
    'GET /v2.1/servers?limit=2&name=a',
  ])
  const kept = JSON.stringify(exchanges)
  for (const secret of ['hush', 'tells who', 'a real token', '127.0.0.1']) expect(kept).not.toContain(secret)

  const replay = await openReplay(exchanges)
  onTestFinished(replay.close)
  const again = await visit(replay.authUrl)
  expect(Date.parse(again.signedIn.body.token.expires_at)).toBeGreaterThan(Date.now())
  expect(again.servers).toMatchObject({ status: 200, body: { servers: [{ id: 'one' }] } })
  expect(replay.missed).toEqual([])
  expect((await read(`${again.compute}/flavors`)).status).toBe(404)
  expect(replay.missed).toHaveLength(1)
})
