import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWithIdentityProvider } from '../testing/outside/identity-provider'

let fixture: Awaited<ReturnType<typeof startWithIdentityProvider>>
let as: { token: string }
beforeAll(async () => {
  fixture = await startWithIdentityProvider()
  const { server, directory } = fixture
  directory.assignments.push({ user: 'u-mary', project: 'p-one', role: 'member' })
  const { token } = await server.call(session.login, {
    body: { username: 'mary', password: 'pass-mary', domain: 'alpha' },
  })
  as = await server.call(session.enterProject, { as: { token: token! }, params: { id: 'p-one' } })
})
afterAll(() => fixture.close())

const linesOf = (name: string) =>
  fixture.server.sql.query<object>(
    'select action, subject_name, user_name, result, status from audit where subject_name = $1 order by id',
    [name],
  )
const body = (name: string) => ({
  name,
  public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH',
})

test('records a cloud command with an unknown outcome before sending it, then completes the entry', async () => {
  const { cloud, server } = fixture
  let asked: object[] = []
  cloud.on('compute', 'POST', '/os-keypairs', async () => {
    asked = await linesOf('laptop')
    return { body: {} }
  })
  cloud.on('compute', 'GET', '/os-keypairs/:name', ({ params }) => ({
    body: {
      keypair: { ...body(params['name']!), user_id: 'u-mary', created_at: '2026-01-01T00:00:00.000000' },
    },
  }))
  await server.call(sshKeys.create, { as, body: body('laptop') })
  const line = { action: 'key.create', subject_name: 'laptop', user_name: 'mary' }
  expect(asked).toEqual([{ ...line, result: 'unknown', status: 0 }])
  expect(await linesOf('laptop')).toEqual([{ ...line, result: 'success', status: 201 }])
})

test('records one error entry for a command that the cloud refuses', async () => {
  const { cloud, server } = fixture
  cloud.on('compute', 'POST', '/os-keypairs', () => ({
    status: 409,
    body: { conflictingRequest: { code: 409, message: 'Key pair exists' } },
  }))
  await expect(server.call(sshKeys.create, { as, body: body('known') })).rejects.toMatchObject({
    code: 'duplicate_name',
  })
  expect(await linesOf('known')).toMatchObject([{ result: 'error', status: 409 }])
})

test(
  'writes no entry for a sign-in before the cloud responds, and limits entries for anonymous callers',
  { tags: 'all' },
  async () => {
    const { server } = fixture
    const body = { username: 'mallory', password: 'a guess', domain: 'alpha' }
    const attempts = 120
    for (let attempt = 0; attempt < attempts; attempt++)
      expect((await server.fetch(session.login, { body })).status).toBeGreaterThanOrEqual(400)
    const known = await server.sql.query<object>("select result, status from audit where user_name = 'mallory'")
    expect(known[0]).toEqual({ result: 'error', status: 401 })
    // the burst allowed per address, plus a few entries that became available during the attempts
    expect(known.length).toBeLessThan(attempts)
  },
)
