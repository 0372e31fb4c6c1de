import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from './testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_GRAFANA_URL: 'https://grafana.example/dashboards/' } })
})
afterAll(() => server.close())

const open = async (at: TestServer, who: 'superuser' | 'project-member' | null) => {
  const headers: Record<string, string> = who === null ? {} : { 'x-auth-token': await at.signIn(who) }
  const answer = await fetch(`${at.adminUrl}/grafana/login`, { headers, redirect: 'manual' })
  return [answer.status, answer.headers.get('location')]
}

it('redirects operators to the sign-in page of their dashboards, and refuses everyone else [CA-023]', async () => {
  expect(await open(server, 'superuser')).toEqual([302, 'https://grafana.example/dashboards/login'])
  expect(await open(server, 'project-member')).toEqual([403, null])
  expect(await open(server, null)).toEqual([401, null])
  expect((await fetch(`${server.url}/grafana/login`, { redirect: 'manual' })).status).toBe(404)
})

it('responds with 503 if no dashboards are configured', { tags: 'all' }, async () => {
  const without = await startServer()
  try {
    expect(await open(without, 'superuser')).toEqual([503, null])
  } finally {
    await without.close()
  }
})
