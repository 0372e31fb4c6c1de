import type { Group } from '@mainstay/contract/identity/groups'
import type { User } from '@mainstay/contract/identity/users'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { refusal, refusals } from '../../../conformance/cloud'
import { PASSWORD } from '../../../conformance/directory-fixture'
import { describeEngine, directorySuites } from '../../../conformance/engine'
import type { Scope } from '../../../ports/scope'
import { startFakeDirectory, type FakeDirectory } from '../../testing/directory-fixture'
import { keystoneRefusal } from '../../testing/fake-cloud/refusals'
import { startFaultProxy, type FaultProxy } from '../../testing/fault-proxy'

let shared: Promise<FakeDirectory> | null = null
afterAll(async () => (await shared)?.close())
describeEngine(
  async () => ({ ...(await (shared ??= startFakeDirectory())), close: async () => undefined }),
  directorySuites,
)

let cloud: FakeDirectory
let proxy: FaultProxy
const port = () => cloud.identity.directory!
const sent = (verb: string) =>
  cloud.fake.received.filter((it) => it.verb === verb && it.path !== '/auth/tokens').map(({ path }) => path)
const newUser = (change: object = {}) => ({
  ...{ name: 'grace', password: PASSWORD, must_change_password: false, email: null, description: '', enabled: true },
  ...{ system_permissions: [], domain_permissions: [], assigned_projects: [], ...change },
})
const member = (project_id: string) => [{ project_id, role: 'project_member' as const }]
const byId = <Row extends { id: string }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]))

/** Signs in the administrator of the domain `alpha`. */
async function head(): Promise<Scope> {
  const signedIn = await cloud.identity.authenticate('head', 'pass-head', 'alpha')
  return {
    ...{ kind: 'domain', user_id: 'u-head', user_name: 'head', domain_id: 'd-alpha', project_id: null },
    ...{ roles: ['domain_admin'], request_id: 'spec', credential: signedIn!.credential },
  }
}

describe('Keystone directory', () => {
  beforeEach(async () => {
    cloud = await startFakeDirectory(async ({ endpoints }) => {
      proxy = await startFaultProxy({ identity: endpoints.identity })
      return proxy.authUrl
    })
  })
  afterEach(async () => {
    await cloud.close()
    await proxy.close()
  })

  test('produces the same rows in a full read as after individual changes', async () => {
    const { operator } = cloud
    const crew = await port().groups.create(operator, 'd-alpha', {
      ...{ name: 'crew', description: '', system_permissions: [], domain_permissions: ['quota_manager'] },
      assigned_projects: [{ project_id: 'p-two', role: 'project_admin' }],
    })
    const made = await port().users.create(operator, 'd-alpha', newUser({ assigned_projects: member('p-one') }))
    await port().groups.addMembers(operator, 'd-alpha', crew.id, [made.id])
    for (const kind of ['project', 'group', 'user'] as const) {
      const rows = byId(await cloud.readAll(kind))
      for (const [key, row] of cloud.index) if (key.startsWith(`${kind}/`)) expect(rows.get(row.id), key).toEqual(row)
    }
    expect(cloud.index.get(`project/p-two`)).toMatchObject({ members_count: 1 })
    expect(cloud.index.get(`user/${made.id}`)).toMatchObject({
      groups: [{ name: 'crew', domain_permissions: ['quota_manager'] }],
      created_at: null,
    })
  })

  test('fails on a truncated list instead of treating users as deleted', async () => {
    for (const list of ['users', 'groups', 'projects', 'domains']) {
      cloud.fake.on('identity', 'GET', `/${list}`, () => ({ body: { [list]: [], truncated: true, links: {} } }))
      expect(await refusal(cloud.readAll(list === 'domains' ? 'domain' : 'user')), list).toMatchObject({
        code: 'engine_unavailable',
        message: expect.stringContaining('list_limit'),
      })
      cloud.fake.on('identity', 'GET', `/${list}`, () => ({ body: { [list]: [], links: {} } }))
    }
  })

  test('counts an inherited role in each project of the domain', async () => {
    cloud.fake.on('identity', 'GET', '/role_assignments', () => ({
      body: {
        role_assignments: [
          {
            role: { id: 'r-member' },
            user: { id: 'u-nobody' },
            scope: { domain: { id: 'd-alpha' }, 'OS-INHERIT:inherited_to': 'projects' },
          },
        ],
        links: { next: null },
      },
    }))
    const rows = byId((await cloud.readAll('user')) as User[])
    expect(rows.get('u-nobody')?.assigned_projects).toEqual([...member('p-one'), ...member('p-two')])
    expect(byId(await cloud.readAll('project')).get('p-one')).toMatchObject({ members_count: 1 })
  })

  test('shows the identity provider of federated users, and LDAP for users of a read-only directory', async () => {
    const alpha = { id: 'd-alpha', name: 'alpha' }
    const fromLdap = 'a1'.repeat(32)
    cloud.known.providers.push({ id: 'company', description: '', enabled: true, domain_id: 'd-alpha', protocols: [] })
    cloud.known.users.push(
      { id: 'b2'.repeat(32), name: 'fay', password: '', domain: alpha, federated: [{ idp_id: 'company' }] },
      { id: fromLdap, name: 'lou', password: '', domain: alpha },
    )
    const rows = byId((await cloud.readAll('user')) as User[])
    expect(rows.get('b2'.repeat(32))?.identity_provider).toBe('company')
    expect(rows.get(fromLdap)?.identity_provider).toBe('LDAP')
    expect(rows.get('u-mary')?.identity_provider).toBeNull()
    const rename = port().users.update(cloud.operator, 'd-alpha', fromLdap, { name: 'louise' })
    expect(await refusal(rename)).toMatchObject({ fields: { name: [expect.any(String)] } })
    // the cloud itself rejects other changes
    cloud.fake.on('identity', 'PATCH', '/users/:id', () =>
      keystoneRefusal(403, 'Forbidden', 'LDAP does not support write operations'),
    )
    const change = port().users.update(cloud.operator, 'd-alpha', fromLdap, { description: 'Lou' })
    expect(await refusal(change)).toMatchObject({ code: 'unsupported', message: expect.stringContaining('LDAP') })
  })

  test("uses the caller's token, scoped to the domain for a domain administrator", async () => {
    const { id } = await port().users.create(await head(), 'd-alpha', newUser())
    const created = cloud.fake.received.find(({ verb, path }) => verb === 'POST' && path === '/users')
    expect(created?.token).toMatchObject({ user: { id: 'u-head' }, roles: [{ name: 'admin' }] })
    expect(cloud.index.get(`user/${id}`)).toMatchObject({ name: 'grace' })
  })

  test("explains that the cloud's policy denied the request, and how to resolve it", async () => {
    cloud.fake.on('identity', 'POST', '/users', () =>
      keystoneRefusal(
        403,
        'Forbidden',
        'You are not authorized to perform the requested action: identity:create_user.',
      ),
    )
    expect(await refusal(port().users.create(cloud.operator, 'd-alpha', newUser()))).toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/policy.*identity:create_user.*Ask a cloud administrator to assign/),
    })
  })

  test('requires an initial password, and refuses to force a change, which Keystone does not support', async () => {
    const make = (change: object) => refusal(port().users.create(cloud.operator, 'd-alpha', newUser(change)))
    expect(await make({ password: undefined })).toMatchObject({ fields: { password: [expect.any(String)] } })
    const forced = { code: 'unsupported', fields: { must_change_password: [expect.any(String)] } }
    expect(await make({ must_change_password: true })).toMatchObject(forced)
    const change = port().users.update(cloud.operator, 'd-alpha', 'u-mary', { must_change_password: true })
    expect(await refusal(change)).toMatchObject(forced)
    expect(sent('POST')).toEqual([])
  })

  test('leaves no user behind when a project role cannot be assigned', async () => {
    cloud.fake.on('identity', 'PUT', '/projects/:place/users/:who/roles/:role', () =>
      keystoneRefusal(
        403,
        'Forbidden',
        'You are not authorized to perform the requested action: identity:create_grant.',
      ),
    )
    const draft = newUser({ assigned_projects: member('p-one') })
    expect(await refusal(port().users.create(cloud.operator, 'd-alpha', draft))).toMatchObject({ code: 'forbidden' })
    expect(cloud.known.users.map(({ name }) => name)).not.toContain('grace')
    expect(sent('DELETE')).toHaveLength(1)
  })

  test('reverts a change that fails halfway, and reports what could not be reverted', async () => {
    const { operator, known } = cloud
    const refuse = () => keystoneRefusal(400, 'Bad Request', 'Invalid input for field description')
    cloud.fake.on('identity', 'PATCH', '/users/:id', refuse)
    const change = {
      description: 'x',
      assigned_projects: [...member('p-two'), { project_id: 'p-one', role: 'none' as const }],
    }
    const rolesOfMary = () =>
      known.assignments.filter(({ user }) => user === 'u-mary').map((it) => `${it.project} ${it.role}`)
    const before = new Set(rolesOfMary())
    const call = () => refusal(port().users.update(operator, 'd-alpha', 'u-mary', change))
    expect((await call()).message).not.toContain('could not be undone')
    expect(new Set(rolesOfMary())).toEqual(before)
    cloud.fake.on('identity', 'DELETE', '/projects/:place/users/:who/roles/:role', ({ params }) =>
      params['place'] === 'p-two' ? refuse() : { status: 204 },
    )
    expect((await call()).message).toContain('could not be undone')
  })

  test('keeps a domain enabled if it could not be deleted', async () => {
    const { id } = await port().domains.create(cloud.operator, { name: 'beta', description: '', enabled: true })
    cloud.fake.on('identity', 'DELETE', '/domains/:id', () => keystoneRefusal(500, 'Error', 'An unexpected error'))
    const remove = port().domains.delete(cloud.operator, id, { withUsers: false })
    expect(await refusal(remove)).toMatchObject({ code: 'engine_unavailable' })
    expect(cloud.known.domains.find((it) => it.id === id)).toMatchObject({ enabled: true })
    expect(cloud.index.get(`domain/${id}`)).toMatchObject({ enabled: true })
  })

  test('refuses to delete a project that contains indexed objects, and reports their counts', async () => {
    const volume = { id: 'v1', name: 'disk', project_id: 'p-one', domain_id: 'd-alpha' }
    cloud.index.set('volume/v1', volume)
    const remove = () => port().projects.delete(cloud.operator, 'd-alpha', 'p-one')
    expect(await refusal(remove())).toMatchObject({ code: 'project_not_empty', data: { volumes: 1 } })
    expect(sent('DELETE')).toEqual([])
    cloud.index.delete('volume/v1')
    await remove()
    expect(cloud.known.projects.map(({ id }) => id)).not.toContain('p-one')
  })

  test("refuses to disable or delete the console's account and project", async () => {
    const { operator } = cloud
    const account = { code: 'builtin_admin_protected' }
    for (const refused of await refusals([
      port().users.update(operator, 'default', 'u-service', { enabled: false }),
      port().users.update(operator, 'default', 'u-service', { system_permissions: [] }),
      port().users.delete(operator, 'default', 'u-service'),
      port().projects.removeMembers(operator, 'default', 'p-admin', ['u-service']),
    ]))
      expect(refused).toMatchObject(account)
    for (const refused of await refusals([
      port().projects.update(operator, 'default', 'p-admin', { enabled: false }),
      port().projects.delete(operator, 'default', 'p-admin'),
    ]))
      expect(refused).toMatchObject({ code: 'in_use' })
  })

  test('creates a missing console role, and reports other missing roles', async () => {
    const { operator, known } = cloud
    known.roles.splice(known.roles.indexOf('image_upload'), 1)
    const update = (change: object) => port().users.update(operator, 'default', 'u-admin', change)
    const changed = await port().users.update(operator, 'd-alpha', 'u-nobody', {
      domain_permissions: ['image_upload'],
      assigned_projects: [{ project_id: 'p-one', role: 'project_admin' }],
    })
    expect(changed).toMatchObject({
      domain_permissions: ['image_upload'],
      assigned_projects: [{ project_id: 'p-one', role: 'project_admin' }],
    })
    expect(known.roles).toEqual(expect.arrayContaining(['image_upload', 'project_admin']))
    expect(await refusal(update({ system_permissions: ['admin', 'compute'] }))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('the role “compute”'),
    })
  })

  test('treats admins of any project as system administrators, whom domain administrators cannot change', async () => {
    cloud.known.assignments.push({ user: 'u-mary', project: 'p-one', role: 'admin' })
    const scope = await head()
    const [mary] = ((await cloud.readAll('user')) as User[]).filter(({ id }) => id === 'u-mary')
    expect(mary).toMatchObject({ role: 'system_admin', system_permissions: ['admin'] })
    for (const refused of await refusals([
      port().users.update(scope, 'd-alpha', 'u-mary', { enabled: false }),
      port().users.delete(scope, 'd-alpha', 'u-mary'),
      port().projects.removeMembers(scope, 'd-alpha', 'p-one', ['u-mary']),
    ]))
      expect(refused).toMatchObject({ code: 'forbidden' })
    const taken = await port().users.update(cloud.operator, 'd-alpha', 'u-mary', { system_permissions: [] })
    expect(taken).toMatchObject({
      role: 'project_member',
      system_permissions: [],
      assigned_projects: expect.anything(),
    })
  })

  test('notifies all servers of changed permissions only once', async () => {
    const { operator, told } = cloud
    const crew: Group = await port().groups.create(operator, 'd-alpha', {
      ...{ name: 'crew', description: '', system_permissions: [], domain_permissions: [], assigned_projects: [] },
    })
    told.length = 0
    await port().groups.addMembers(operator, 'd-alpha', crew.id, ['u-mary', 'u-nobody'])
    expect(told).toEqual(['user:u-mary', 'user:u-nobody'])
    told.length = 0
    await port().projects.update(operator, 'd-alpha', 'p-one', { enabled: false })
    expect(told).toEqual(['project:p-one'])
    told.length = 0
    await port().domains.update(operator, 'd-alpha', { enabled: false })
    expect(told).toEqual([''])
  })

  test('refuses changes while Keystone is down, and leaves no change half done', async () => {
    await port().users.update(cloud.operator, 'd-alpha', 'u-mary', { description: 'Before' })
    const users = structuredClone(cloud.known.users)
    await proxy.faultAll({ kind: 'refuse' })
    for (const refused of await refusals([
      port().users.create(cloud.operator, 'd-alpha', newUser({ assigned_projects: member('p-one') })),
      port().projects.create(cloud.operator, 'd-alpha', { name: 'shop', description: '', enabled: true, tags: [] }),
      port().domains.delete(cloud.operator, 'd-alpha', { withUsers: true }),
    ]))
      expect(refused).toMatchObject({
        code: 'engine_unavailable',
        message: expect.stringContaining('identity service cannot be reached'),
      })
    // the index keeps the rows that were read before
    expect(cloud.index.get('user/u-mary')).toMatchObject({ description: 'Before' })
    await proxy.heal()
    expect(cloud.known.users).toEqual(users)
  })
})
