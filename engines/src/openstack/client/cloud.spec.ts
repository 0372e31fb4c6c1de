import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Secret } from '../../ports/secret'
import { problemOf } from '../testing/outcomes'
import { type ClientFixture, startClientFixture } from '../testing/client-fixture'
import type { FakePeople } from '../testing/fake-cloud/keystone'

const Row = z.object({ id: z.string() })
const Servers = z.object({ servers: z.array(Row) })

let client: ClientFixture
const start = async (people: Partial<FakePeople> = {}) => {
  client = await startClientFixture(people)
  client.fake.list('compute', '/servers/detail', 'servers', [{ id: 's-1' }])
  client.fake.on('compute', 'POST', '/servers', () => ({ status: 202, body: { server: { id: 's-2' } } }))
}
beforeEach(() => start())
afterEach(() => client.stop())
const signIns = () => client.fake.received.filter(({ path, verb }) => path === '/auth/tokens' && verb === 'POST')

describe('the service account', () => {
  test('signs in once for concurrent calls', async () => {
    const caller = client.service()
    await Promise.all([1, 2, 3, 4].map(() => caller.get('compute', '/servers/detail', Servers)))
    expect(signIns()).toHaveLength(1)
    expect(client.fake.received.at(-1)?.token).toMatchObject({
      user: { name: 'mainstay' },
      project: { name: 'admin' },
    })
  })

  test('can sign in with an application credential or with system scope', async () => {
    const { cloud, fake } = client
    const credential = cloud.applicationCredentialTokens({ id: 'ac-service', secret: new Secret('ac-secret') })
    await cloud.callerFor(credential).get('compute', '/servers/detail', Servers)
    expect(fake.received.at(-1)?.token?.project?.id).toBe('p-admin')
    const password = { user: { id: 'u-service' }, password: new Secret('service-secret') }
    expect(await cloud.passwordTokens(password, 'system').token()).toMatchObject({ system: true, project: null })
  })

  test('renews its token before the old one expires', { tags: 'all' }, async () => {
    await client.stop()
    await start({ tokenSeconds: 5 })
    const caller = client.service()
    const until = Date.now() + 5_500
    while (Date.now() < until) {
      await caller.get('compute', '/servers/detail', Servers)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(signIns()).toHaveLength(2)
    expect(client.fake.received.every(({ path, token }) => path === '/auth/tokens' || token !== null)).toBe(true)
  })

  test('reports a rejected service account as an outage, not as an expired sign-in', async () => {
    const { cloud } = client
    const wrong = cloud.passwordTokens({ user: { id: 'u-service' }, password: new Secret('guess') })
    const problem = await problemOf(cloud.callerFor(wrong).get('compute', '/servers/detail', Servers))
    expect(problem).toMatchObject({ code: 'engine_unavailable', data: { service: 'identity', status: 401 } })
    expect(problem.message).toContain('The service account cannot sign in')
    client.fake.on('volume', 'GET', '/volumes', () => ({ status: 401, text: 'Authentication required' }))
    expect(await problemOf(client.service().get('volume', '/volumes', z.unknown()))).toMatchObject({
      code: 'engine_unavailable',
      message: 'The volume service rejected the service account',
    })
  })
})

describe('a tenant', () => {
  test('uses the same project token for all calls', async () => {
    const { id } = await client.signIn()
    const caller = () => client.cloud.callerFor(client.cloud.rescoped(id, 'p-demo'))
    await caller().send('POST', 'compute', '/servers', z.object({ server: Row }), { body: { server: { name: 'a' } } })
    await caller().send('POST', 'compute', '/servers', z.void())
    const made = client.fake.received.filter(({ path }) => path === '/servers')
    expect(made.map(({ token }) => `${token?.user.name} in ${token?.project?.name}`)).toEqual([
      'demo in demo',
      'demo in demo',
    ])
    expect(made[0]?.body).toEqual({ server: { name: 'a' } })
    expect(signIns()).toHaveLength(2)
  })

  test('cannot act in a project without a role there', async () => {
    const { id } = await client.signIn()
    expect(await problemOf(client.cloud.rescoped(id, 'p-admin').token())).toMatchObject({ code: 'forbidden' })
    expect(await problemOf(client.cloud.rescoped(id, 'p-none').token())).toMatchObject({ code: 'forbidden' })
  })

  test('is signed out when the sign-in token has expired', async () => {
    const { cloud, fake } = client
    const { id } = await client.signIn()
    const caller = cloud.callerFor(cloud.rescoped(id, 'p-demo'))
    await caller.get('compute', '/servers/detail', Servers)
    fake.expireTokens()
    expect(await problemOf(caller.get('compute', '/servers/detail', Servers))).toMatchObject({ code: 'unauthorized' })
  })

  test('gets a new project token when only the project token was revoked', async () => {
    const { cloud } = client
    const { id } = await client.signIn()
    const tokens = cloud.rescoped(id, 'p-demo')
    await cloud.revoke((await tokens.token()).id)
    expect(await cloud.callerFor(tokens).get('compute', '/servers/detail', Servers)).toEqual({
      servers: [{ id: 's-1' }],
    })
  })

  test('revokes all tokens of a user on sign-out', async () => {
    const { cloud } = client
    const { id } = await client.signIn()
    const inProject = await cloud.rescoped(id, 'p-demo').token()
    await cloud.revoke(id)
    for (const token of [id, inProject.id])
      expect(await problemOf(cloud.inspect(token))).toMatchObject({ code: 'unauthorized' })
    expect(await problemOf(cloud.rescoped(id, 'p-demo').token())).toMatchObject({ code: 'unauthorized' })
  })

  test('is signed out when a held token is revoked', async () => {
    const { cloud, fake } = client
    const token = await client.signIn()
    fake.on('identity', 'GET', '/auth/projects', () => ({ body: { projects: [{ id: 'p-demo' }] } }))
    const caller = cloud.callerFor(cloud.held(token))
    expect(await caller.get('identity', '/auth/projects', z.unknown())).toEqual({ projects: [{ id: 'p-demo' }] })
    await cloud.revoke(token.id)
    await cloud.revoke(token.id)
    expect(await problemOf(caller.get('identity', '/auth/projects', z.unknown()))).toMatchObject({
      code: 'unauthorized',
      message: 'The cloud no longer accepts this sign-in. Sign in again.',
    })
  })
})

describe('a sign-in', () => {
  test("returns the user and the token's expiry", async () => {
    const token = await client.signIn()
    expect(token).toMatchObject({ user: { name: 'demo', domain: { name: 'Default' } }, project: null, roles: [] })
    expect(token.expiresAt.getTime()).toBeGreaterThan(Date.now() + 3_500_000)
    expect(await client.cloud.inspect(token.id)).toMatchObject({ user: { name: 'demo' } })
    expect(await problemOf(client.cloud.inspect(new Secret('gAAAAno')))).toMatchObject({ code: 'unauthorized' })
  })

  test('gives the same error for a wrong password and an unknown user', async () => {
    for (const [name, password] of [
      ['demo', 'guess'],
      ['nobody', 'guess'],
    ] as const) {
      const problem = await problemOf(client.signIn(name, password))
      expect(problem).toMatchObject({ code: 'wrong_credentials', message: 'The username or password is incorrect' })
      expect(JSON.stringify([problem.message, problem.data])).not.toContain('guess')
    }
  })

  test('does not expose the token when printed', async () => {
    const token = await client.signIn()
    expect(JSON.stringify(token)).not.toContain(token.id.reveal())
    expect(String(token.id)).toBe('[secret]')
  })
})
