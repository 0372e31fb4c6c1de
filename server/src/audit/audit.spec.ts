import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'
import type { AuditEntry } from './line'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_PROXIES: '127.0.0.1' } })
})
afterAll(() => server.close())

const from = (address: string) => ({ 'x-forwarded-for': address })
const lines = (address: string) =>
  server.sql.query<{ action: string; user_name: string | null; path: string; message: string | null; status: number }>(
    'select * from audit where address = $1 order by id',
    [address],
  )

test('records nothing for a sign-out without a session or a sign-in with an invalid body', async () => {
  const headers = from('192.0.2.1')
  for (const token of [null, 'F'.repeat(43)])
    await server.call(session.logout, { headers: { ...headers, ...(token && { 'x-auth-token': token }) } })
  for (const body of [{ username: 'x'.repeat(10_000), password: 'x' }, { username: 'a' }, 'text', {}])
    expect((await server.fetch(session.login, { body: body as never, headers })).status).toBe(400)
  expect(await lines('192.0.2.1')).toEqual([])
  const token = await server.login('project-member')
  await server.call(session.logout, { as: { token }, headers })
  expect(await lines('192.0.2.1')).toMatchObject([{ action: 'session.logout', status: 204 }])
})

const entry = (address: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  action: 'session.login',
  subject: { kind: null, id: null, name: null },
  scope: null,
  user_name: 'nobody',
  request_id: 'req-1',
  address,
  method: 'POST',
  path: session.login.path,
  status: 401,
  result: 'error',
  error_code: 'unauthorized',
  message: null,
  started_at: new Date(),
  finished_at: new Date(),
  ...more,
})

test('records failed sign-ins, up to a limit per address', async () => {
  const body = { username: 'nobody_1', password: 'wrong' }
  await server.fetch(session.login, { body, headers: from('192.0.2.2') })
  for (let attempt = 0; attempt < 150; attempt++) await server.tools.audit.write(entry('192.0.2.2'))
  const kept = await lines('192.0.2.2')
  expect(kept[0]).toMatchObject({ action: 'session.login', user_name: 'nobody_1', status: 401 })
  expect(kept.length).toBeGreaterThanOrEqual(60)
  expect(kept.length).toBeLessThan(80)
  await server.tools.audit.write(entry('192.0.2.4'))
  expect(await lines('192.0.2.4')).toHaveLength(1)
})

test('truncates every text in an entry', async () => {
  const address = '192.0.2.3'
  await server.tools.audit.write(
    entry(address, {
      subject: { kind: null, id: 'i'.repeat(9000), name: 'n'.repeat(9000) },
      user_name: `\0${'u'.repeat(9000)}`,
      path: `/${'p'.repeat(9000)}`,
      message: 'm'.repeat(9000),
    }),
  )
  const [line] = await server.sql.query<Record<string, unknown>>('select * from audit where address = $1', [address])
  const lengths = Object.entries(line!).flatMap(([name, value]) =>
    typeof value === 'string' && value.length > 100 ? [[name, value.length]] : [],
  )
  expect(Object.fromEntries(lengths)).toEqual({
    subject_id: 255,
    subject_name: 255,
    user_name: 255,
    path: 255,
    message: 1024,
  })
})

test('removes all entries older than the retention period, however many there are', async () => {
  // retention removes entries from the start of the chain, so the old ones must come first
  await server.sql.query('truncate audit, audit_unsealed, audit_seal')
  await server.sql.query(
    `insert into audit (action, request_id, address, method, path, status, result, started_at, finished_at)
      select 'server.start', 'req', 'old', 'POST', '/', 200, 'success', at, at
      from (select now() - make_interval(days => 10, secs => n) as at from generate_series(1, 3500) n) old`,
  )
  await server.tools.audit.write(entry('192.0.2.5'))
  expect(await server.tools.audit.prune(11)).toBe(0)
  expect(await server.tools.audit.prune(10)).toBe(3500)
  expect(await server.sql.query('select address from audit')).toEqual([{ address: '192.0.2.5' }])
})
