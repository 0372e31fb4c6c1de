import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { flavors } from '@mainstay/contract/compute/flavors'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../../server/src/testing/personas'
import { startServer, type StartOptions, type TestServer } from '../../../server/src/testing/start-server'
import { serveDirectory, someDirectory, type Directory } from './testing/fake-cloud/directory'
import { fakeEnvironment } from './testing/fake-cloud/environment'
import { startFaultProxy, type FaultProxy } from './testing/fault-proxy'
import { startFakeCloud, type FakeCloud } from './testing/fake-cloud/cloud'

let directory: Directory
let cloud: FakeCloud
let proxy: FaultProxy
let server: TestServer

async function open(): Promise<void> {
  directory = someDirectory()
  directory.users.find(({ name }) => name === 'admin')!.password = PASSWORD
  // the cast creates a domain with this name
  directory.domains.find(({ name }) => name === 'alpha')!.name = 'gamma'
  directory.roles.push('compute', 'service_account', 'project_admin')
  cloud = await startFakeCloud(directory)
  serveDirectory(cloud, directory)
  serveKeys()
  proxy = await startFaultProxy({ identity: cloud.endpoints.identity, compute: cloud.endpoints.compute })
  server = await start()
}
async function close(): Promise<void> {
  await server.close()
  await proxy.close()
  await cloud.close()
}

/** Fakes SSH keys in Nova, the simplest objects that a tenant can create. */
function serveKeys(): void {
  const keys = new Map<string, object>()
  cloud.on('compute', 'POST', '/os-keypairs', ({ body, token }) => {
    const { keypair } = body as { keypair: { name: string } }
    const made = { ...keypair, user_id: token!.user.id, created_at: '2026-01-01T00:00:00' }
    keys.set(keypair.name, made)
    return { status: 201, body: { keypair: made } }
  })
  cloud.on('compute', 'GET', '/os-keypairs/:name', ({ params }) => {
    const keypair = keys.get(params['name']!)
    return keypair ? { body: { keypair } } : { status: 404, body: { itemNotFound: { code: 404, message: 'gone' } } }
  })
}

const start = (options: StartOptions = {}): Promise<TestServer> =>
  startServer({
    ...options,
    environment: fakeEnvironment(proxy),
    pace: 10,
  })

const makeKey = (as: { token: string }, name: string) =>
  server.call(sshKeys.generate, { as, body: { name, type: 'ed25519' } })
const unavailable = { code: 'engine_unavailable', status: 503 }
const signedOut = { code: 'unauthorized', status: 401 }

describe('a server with a cloud', () => {
  beforeAll(open)
  afterAll(close)

  it('signs users in with their cloud password and the permissions of their cloud roles', async () => {
    const people = [
      'superuser',
      'viewer',
      'compute-operator',
      'domain-admin',
      'project-member',
      'service-account',
    ] as const
    const scopes: string[] = []
    for (const who of people) {
      const token = await server.signIn(who)
      const { scope, permissions } = await server.call(session.meta, { as: { token } })
      const may = permissions['compute_servers']?.methods.join(' ') ?? 'none'
      scopes.push(`${who}: ${scope.kind}, instances ${may}`)
    }
    expect(scopes).toEqual([
      'superuser: system, instances POST GET PUT PATCH DELETE',
      'viewer: system, instances GET',
      'compute-operator: system, instances POST GET PUT PATCH DELETE',
      'domain-admin: domain, instances none',
      'project-member: project, instances POST GET PUT PATCH DELETE',
      'service-account: project, instances POST GET PUT PATCH DELETE',
    ])
    const { user } = server.cast.people['project-member']
    expect(await server.call(session.whoami, { as: 'project-member' })).toMatchObject({ id: user.id, name: user.name })
    await expect(
      server.call(session.login, { body: { username: user.name, password: 'wrong', domain: 'alpha' } }),
    ).rejects.toMatchObject({ code: 'wrong_credentials' })
  })

  it("sends a tenant's commands with the tenant's own project token", async () => {
    const token = await server.signIn('project-member')
    await makeKey({ token }, 'laptop')
    const { user, project } = server.cast.people['project-member']
    const [sent] = cloud.received.filter(({ verb, path }) => verb === 'POST' && path === '/os-keypairs')
    expect([sent?.token?.user.id, sent?.token?.project?.id]).toEqual([user.id, project!.id])
    expect(await server.call(sshKeys.list, { as: { token } })).toMatchObject({ data: [{ name: 'laptop' }] })
  })

  it('stores neither cloud tokens nor passwords in its database', async () => {
    await makeKey({ token: await server.signIn('project-member') }, 'stored')
    const tables = await server.sql.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    for (const { name } of tables) {
      const rows = await server.sql.query<{ row: string }>(`select t::text as row from "${name}" t`)
      const text = rows.map(({ row }) => row).join('\n')
      expect(text, name).not.toMatch(/gAAAA|service-secret/)
      expect(text, name).not.toContain(Buffer.from('gAAAA').toString('hex'))
      expect(text, name).not.toContain(PASSWORD)
    }
  })

  it("reports an operator who has no role in the cloud's project", { tags: 'all' }, async () => {
    const token = await server.signIn('compute-operator@beta-one')
    await expect(makeKey({ token }, 'mine')).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('Your account has no role in this project on the connected cloud'),
    })
  })

  it('requests a new sign-in when the cloud no longer accepts the token', { tags: 'all' }, async () => {
    const token = await server.signIn('project-member')
    cloud.expireTokens()
    await expect(makeKey({ token }, 'late')).rejects.toMatchObject(signedOut)
  })

  it('keeps a session open after a password change, using the new token from the cloud', async () => {
    const token = await server.login('project-member')
    const { id } = server.cast.projects['alpha-one']!
    const enter = async (as: string) =>
      (await server.call(session.enterProject, { as: { token: as }, params: { id } })).token
    const scoped = { token: await enter(token) }
    const next = 'another horse 12'
    const body = { current_password: PASSWORD, new_password: next, confirm_password: next }
    await server.call(session.changePassword, { as: { token }, body })
    await makeKey(scoped, 'after')
    await makeKey({ token: await enter(token) }, 'later')
    const { name } = server.cast.people['project-member'].user
    await expect(
      server.call(session.login, { body: { username: name, password: next, domain: 'alpha' } }),
    ).resolves.toMatchObject({ name })
  })
})

describe('while the cloud is down', () => {
  beforeAll(open)
  afterAll(close)

  it('lets users read, even after a restart, and tells them why they cannot change anything', async () => {
    const token = await server.signIn('project-member')
    await makeKey({ token }, 'laptop')
    await proxy.faultAll({ kind: 'refuse' })

    const looks = async () => {
      const began = performance.now()
      expect(await server.call(session.whoami, { as: { token } })).toMatchObject({ name: 'project_member' })
      expect(await server.call(sshKeys.list, { as: { token } })).toMatchObject({ data: [{ name: 'laptop' }] })
      await server.call(flavors.list, { as: { token } })
      await expect(makeKey({ token }, 'another')).rejects.toMatchObject(unavailable)
      return performance.now() - began
    }
    await looks()

    const { folder, databaseUrl, cast } = server
    const second = await start({ keep: { folder, databaseUrl }, cast })
    const first = server
    server = second
    try {
      expect(await looks()).toBeLessThan(30_000)
      const { user } = cast.people['project-member']
      const body = { username: user.name, password: PASSWORD, domain: 'alpha' }
      await expect(server.call(session.login, { body })).rejects.toMatchObject(unavailable)
      await expect(server.call(session.whoami, { as: { token: 'A'.repeat(43) } })).rejects.toMatchObject(signedOut)

      await proxy.heal()
      await makeKey({ token }, 'at last')
      expect(await server.call(session.login, { body })).toMatchObject({ name: 'project_member' })
    } finally {
      await second.close()
      server = first
    }
  })
})
