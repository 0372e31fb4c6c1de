import { instances } from '@mainstay/contract/compute/instances'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'
import { limits } from '../../limits'

let server: TestServer
beforeAll(async () => {
  server = await startServer({
    environment: { MAINSTAY_PROXIES: '127.0.0.1' },
    limits: {
      ...limits,
      rates: { token: { burst: 30, perSecond: 0.001 }, address: { burst: 60, perSecond: 0.001 } },
      turns: { ...limits.turns, longLists: { ...limits.turns.longLists, waitingOfTenant: 5 } },
    },
  })
})
afterAll(() => server.close())

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
const count = (statuses: number[], status: number) => statuses.filter((it) => it === status).length

test('responds with 429 and Retry-After if a token or an address exceeds its rate limit', async () => {
  const as = 'project-member'
  await Promise.all([server.signIn(as), server.signIn('other-member')])
  const answers: Response[] = []
  for (let call = 0; call < 40; call++) answers.push(await server.fetch(session.whoami, { as, ...from('192.0.2.1') }))
  expect(answers.slice(0, 30).map(({ status }) => status)).toEqual(Array(30).fill(200))
  const refused = answers.at(-1)!
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({
    error: { err_code: 'too_many_requests', message: expect.stringContaining('Too many requests with this token') },
  })
  expect((await server.fetch(session.whoami, { as: 'other-member', ...from('192.0.2.1') })).status).toBe(200)

  const anonymous: number[] = []
  for (let call = 0; call < 40; call++) anonymous.push((await server.fetch(session.panel, from('192.0.2.1'))).status)
  expect([count(anonymous, 200), count(anonymous, 429)]).toEqual([19, 21])
  expect((await server.fetch(session.panel, from('192.0.2.2'))).status).toBe(200)
  expect((await fetch(`${server.url}/health`, from('192.0.2.1'))).status).toBe(200)
})

test('responds with 429 if too many of a tenant’s list calls are waiting, without affecting others', async () => {
  const query = { limit: 1000, with_count: true }
  const many = Array.from({ length: 25 }, () =>
    server.fetch(instances.list, { as: 'project-admin', query, ...from('192.0.2.3') }),
  )
  const other = server.fetch(instances.list, { as: 'other-member', query, ...from('192.0.2.4') })
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect((await other).status).toBe(200)
  expect(count(statuses, 200)).toBeGreaterThanOrEqual(6)
  expect(count(statuses, 200) + count(statuses, 429)).toBe(25)
})
