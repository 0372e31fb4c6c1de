import { domains } from '@mainstay/contract/identity/domains'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users, type User, type UserDraft } from '@mainstay/contract/identity/users'
import { GiB } from '@mainstay/contract/core/bytes'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../testing/personas'
import { startServer, type TestServer } from '../../testing/start-server'

/* Domains, projects and users, as their administrators have them: on the engine of this machine. */

const operator = 'superuser'
const admin = 'domain-admin'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

let count = 0
/** A name that nothing has yet. */
let name = ''
beforeEach(() => {
  count += 1
  name = `made_${count}`
})

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    ({ code, fields, data, message }: { code: string; fields: object; data: object; message: string }) => ({
      ...{ code, data, message },
      fields: Object.keys(fields),
    }),
  )
const makeUser = (draft: Partial<UserDraft> = {}, domain_id?: string): Promise<User> =>
  server.call(users.create, {
    as: domain_id ? operator : admin,
    ...(domain_id && { params: { domain_id } }),
    body: { name, password: PASSWORD, ...draft },
  })
const makeProject = (of = name) => server.call(projects.create, { as: admin, body: { name: of } })
const viewProject = (id: string) => server.call(projects.view, { as: admin, params: { id } })
const viewUser = (id: string) => server.call(users.view, { as: admin, params: { id } })
const signIn = async (username: string, password = PASSWORD, domain = 'alpha') =>
  (await server.call(session.login, { body: { username, password, domain } })).token!
const whoami = (token: string) => server.call(session.whoami, { as: { token } })

describe('domains', () => {
  const make = (draft: object = {}) => server.call(domains.create, { as: operator, body: { name, ...draft } })

  it('are listed, made, read, changed by PUT and deleted [CA-134] [CA-135] [CA-136] [CA-137]', async () => {
    const made = await make({ description: 'first' })
    expect(made).toMatchObject({ name, description: 'first', enabled: true, projects_count: 0, users_count: 0 })
    const params = { id: made.id }
    const changed = await server.call(domains.update, { as: operator, params, body: { description: 'second' } })
    expect(changed).toEqual({ ...made, description: 'second' })
    expect(await server.call(domains.view, { as: operator, params })).toEqual(changed)
    const listed = () => server.call(domains.list, { as: operator, query: { name } })
    expect((await listed()).data).toEqual([changed])
    await server.call(domains.delete, { as: operator, params })
    expect((await listed()).data).toEqual([])
    expect(await refusal(server.call(domains.view, { as: operator, params }))).toMatchObject({ code: 'not_found' })
    expect(await refusal(server.call(domains.delete, { as: operator, params }))).toMatchObject({ code: 'not_found' })
  })

  it('have an id, a name, whether they are enabled, and count their projects and users [EN-033]', async () => {
    const { id } = await make()
    const params = { domain_id: id }
    const project = await server.call(projects.create, { as: operator, params, body: { name } })
    const user = await makeUser({}, id)
    const view = () => server.call(domains.view, { as: operator, params: { id } })
    expect(await view()).toMatchObject({ id, name, enabled: true, projects_count: 1, users_count: 1 })
    await server.call(projects.delete, { as: operator, params: { ...params, id: project.id } })
    await server.call(users.delete, { as: operator, params: { ...params, id: user.id } })
    expect(await view()).toMatchObject({ projects_count: 0, users_count: 0 })
  })

  it('keep the default one, enabled, whoever asks [VA-067] [CO-042]', async () => {
    const params = { id: 'default' }
    expect(await server.call(domains.view, { as: operator, params })).toMatchObject({ id: 'default', name: 'Default' })
    const code = 'default_domain_protected'
    expect(await refusal(server.call(domains.delete, { as: operator, params }))).toMatchObject({ code })
    const disable = server.call(domains.update, { as: operator, params, body: { enabled: false } })
    expect(await refusal(disable)).toMatchObject({ code })
  })

  it('with projects are not deleted, and those with users only when these are to go as well [VA-068]', async () => {
    const { id } = await make()
    const params = { domain_id: id }
    const project = await server.call(projects.create, { as: operator, params, body: { name } })
    const user = await makeUser({}, id)
    const remove = (delete_users?: 'true') =>
      refusal(
        server.call(domains.delete, { as: operator, params: { id }, ...(delete_users && { query: { delete_users } }) }),
      )
    expect(await remove('true')).toMatchObject({ code: 'domain_has_projects', data: { projects: 1 } })
    await server.call(projects.delete, { as: operator, params: { ...params, id: project.id } })
    expect(await remove()).toMatchObject({ code: 'domain_has_users', data: { users: 1 } })
    const token = await signIn(name, PASSWORD, name)
    expect(await remove('true')).toBe('no refusal')
    expect(await refusal(whoami(token))).toMatchObject({ code: 'unauthorized' })
    const gone = server.call(users.view, { as: operator, params: { ...params, id: user.id } })
    expect(await refusal(gone)).toMatchObject({ code: 'not_found' })
  })

  it('are taken by one name, and a name has its rules', async () => {
    await make()
    expect(await refusal(make())).toMatchObject({ code: 'duplicate_name', fields: ['name'] })
    for (const wrong of ['a', ' padded', 'new\nline', 'a/b', 'x'.repeat(65)])
      expect(await refusal(make({ name: wrong })), wrong).toMatchObject({ code: 'validation', fields: ['name'] })
  })

  it('that are disabled let nobody in, and end what goes on', async () => {
    const { id } = await make()
    await makeUser({}, id)
    const token = await signIn(name, PASSWORD, name)
    await server.call(domains.update, { as: operator, params: { id }, body: { enabled: false } })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled', data: { subject: 'domain' } })
  })

  it('are read by their own administrators, and seen by nobody of another one', async () => {
    const own = server.cast.domains['alpha']!.id
    const other = server.cast.domains['beta']!.id
    expect((await server.call(domains.list, { as: admin })).data.map(({ id }) => id)).toEqual([own])
    expect(await refusal(server.call(domains.view, { as: admin, params: { id: other } }))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(server.call(domains.create, { as: admin, body: { name } }))).toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('projects', () => {
  it('are listed page by page, made, read, changed and deleted [CA-138] [CA-139]', async () => {
    const made = await makeProject()
    expect(await viewProject(made.id)).toEqual(made)
    const params = { id: made.id }
    const changed = await server.call(projects.update, { as: admin, params, body: { tags: ['shop'] } })
    expect(changed).toEqual({ ...made, tags: ['shop'] })
    const first = await server.call(projects.list, { as: admin, query: { limit: 1, sort: 'created_at:desc' } })
    expect([first.data, first.pages.length]).toEqual([[changed], 1])
    const { marker } = first.pages[0]!
    const next = await server.call(projects.list, { as: admin, query: { limit: 1, sort: 'created_at:desc', marker } })
    expect(next.data[0]!.id).not.toBe(made.id)
    await server.call(projects.delete, { as: admin, params })
    expect(await refusal(viewProject(made.id))).toMatchObject({ code: 'not_found' })
  })

  it('say id, name, description, domain, tags, when they were made, and count their members [EN-034]', async () => {
    const project = await server.call(projects.create, {
      as: admin,
      body: { name, description: 'of the shop', enabled: false, tags: ['a'] },
    })
    expect(project).toEqual({
      ...{ id: expect.any(String), name, description: 'of the shop', enabled: false, tags: ['a'], members_count: 0 },
      ...{ domain_id: server.cast.domains['alpha']!.id, created_at: expect.any(String) },
    })
    expect(Math.abs(Date.now() - Date.parse(project.created_at))).toBeLessThan(60_000)
    await makeUser({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    expect((await viewProject(project.id)).members_count).toBe(1)
  })

  it('with something in them stay, with counts of it; several are deleted but for those [CA-140]', async () => {
    const [empty, full] = [await makeProject(), await makeProject(`${name}_full`)]
    const member = await makeUser({ assigned_projects: [{ project_id: full.id, role: 'project_member' }] })
    const unscoped = await signIn(member.name)
    const { token } = await server.call(session.enterProject, { as: { token: unscoped }, params: { id: full.id } })
    const volume = await server.call(volumes.create, { as: { token }, body: { name: 'disk', size: GiB } })
    const deleteBoth = () =>
      refusal(server.call(projects.deleteSeveral, { as: admin, body: { uuids: [full.id, empty.id] } }))
    expect(await deleteBoth()).toMatchObject({
      code: 'not_all_deleted',
      data: { deleted: [empty.id], failed: [{ id: full.id, err_code: 'project_not_empty' }] },
    })
    expect(await refusal(viewProject(empty.id))).toMatchObject({ code: 'not_found' })
    const alone = server.call(projects.delete, { as: admin, params: { id: full.id } })
    expect(await refusal(alone)).toMatchObject({ code: 'project_not_empty', data: { volumes: 1 } })
    await expect
      .poll(() => server.call(volumes.delete, { as: { token }, params: { id: volume.id } }).then(() => 'gone', String))
      .toBe('gone')
    await expect
      .poll(() => refusal(server.call(projects.delete, { as: admin, params: { id: full.id } })), { timeout: 20_000 })
      .toBe('no refusal')
    expect((await viewUser(member.id)).assigned_projects).toEqual([])
  })

  it('list their members with the role in them, and let go of some [CA-141]', async () => {
    const project = await makeProject()
    const role = 'project_admin'
    const one = await makeUser({ name: `${name}_1`, assigned_projects: [{ project_id: project.id, role }] })
    const two = await makeUser({ name: `${name}_2`, assigned_projects: [{ project_id: project.id, role }] })
    await makeUser({ name: `${name}_3` })
    const members = async () =>
      (await server.call(projects.members, { as: admin, params: { id: project.id } })).data.map((it) => [
        it.id,
        it.role,
      ])
    expect(await members()).toEqual([
      [one.id, role],
      [two.id, role],
    ])
    const body = { uuids: [one.id] }
    await server.call(projects.removeMembers, { as: admin, params: { id: project.id }, body })
    expect(await members()).toEqual([[two.id, role]])
    expect((await viewUser(one.id)).assigned_projects).toEqual([])
    expect((await viewProject(project.id)).members_count).toBe(1)
  })

  it('show themselves, and no other one, to who works in them', async () => {
    const own = server.cast.projects['alpha-one']!.id
    const { data } = await server.call(projects.list, { as: 'project-member' })
    expect(data.map(({ id }) => id)).toEqual([own])
    const other = server.cast.projects['alpha-two']!.id
    const view = server.call(projects.view, { as: 'project-member', params: { id: other } })
    expect(await refusal(view)).toMatchObject({ code: 'not_found' })
    const members = server.call(projects.members, { as: 'project-member', params: { id: own } })
    expect(await refusal(members)).toMatchObject({ code: 'forbidden' })
  })

  it('that are disabled are worked in by nobody, at once', async () => {
    const project = await makeProject()
    await makeUser({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    const unscoped = await signIn(name)
    const { token } = await server.call(session.enterProject, { as: { token: unscoped }, params: { id: project.id } })
    await server.call(projects.update, { as: admin, params: { id: project.id }, body: { enabled: false } })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled', data: { subject: 'project' } })
  })
})

describe('users', () => {
  it('are listed, made, read and deleted, one or several [CA-142] [CA-143] [CA-144] [CA-145]', async () => {
    const made = await makeUser()
    expect(await viewUser(made.id)).toEqual(made)
    const { data } = await server.call(users.list, { as: admin, query: { name: made.name } })
    expect(data).toEqual([made])
    expect((await whoami(await signIn(name))).id).toBe(made.id)
    const two = await Promise.all(['a', 'b'].map((end) => makeUser({ name: `${name}_${end}` })))
    await server.call(users.deleteSeveral, { as: admin, body: { uuids: two.map(({ id }) => id) } })
    await server.call(users.delete, { as: admin, params: { id: made.id } })
    for (const { id } of [made, ...two]) expect(await refusal(viewUser(id))).toMatchObject({ code: 'not_found' })
    expect(await refusal(signIn(name))).toMatchObject({ code: 'wrong_credentials' })
  })

  it('say who they are, what they may do and where, and who vouches for them [EN-035] [EN-036]', async () => {
    const project = await makeProject()
    const assigned_projects = [{ project_id: project.id, role: 'project_member' as const }]
    const draft = { email: 'ada@example.com', description: 'first', domain_permissions: ['image_upload' as const] }
    expect(await makeUser({ ...draft, assigned_projects })).toEqual({
      ...{ id: expect.any(String), name, enabled: true, domain_id: server.cast.domains['alpha']!.id },
      ...{ ...draft, assigned_projects, role: 'project_member', system_permissions: [] },
      ...{ identity_provider: null, s3_user_id: null, created_at: expect.any(String) },
    })
  })

  it.each([
    ['a system administrator', { system_permissions: ['admin', 'compute'] }, 'system_admin', 'default'],
    ['who may look at everything', { system_permissions: ['viewer'] }, 'viewer', 'default'],
    ['who administers an area', { system_permissions: ['viewer', 'compute'] }, 'custom', 'default'],
    ['a domain administrator', { domain_permissions: ['domain_admin'] }, 'domain_admin', undefined],
    ['who may do nothing yet', {}, 'none', undefined],
  ] as const)('have one word for %s', async (_, draft, role, domainId) => {
    expect((await makeUser(draft as never, domainId)).role).toBe(role)
  })

  it.each(['update', 'replace'] as const)(
    'are put into projects by %s, each with one role, and taken out by the role none [CA-146] [VA-069]',
    async (way) => {
      const [one, two] = [await makeProject(), await makeProject(`${name}_2`)]
      const { id } = await makeUser({ assigned_projects: [{ project_id: one.id, role: 'project_member' }] })
      const assign = async (project_id: string, role: 'project_admin' | 'project_member' | 'none') =>
        (
          await server.call(users[way], {
            as: admin,
            params: { id },
            body: { assigned_projects: [{ project_id, role }] },
          })
        ).assigned_projects
      const sorted = (...list: [string, string][]) =>
        list.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([project_id, role]) => ({ project_id, role }))
      expect(await assign(two.id, 'project_admin')).toEqual(
        sorted([one.id, 'project_member'], [two.id, 'project_admin']),
      )
      expect(await assign(one.id, 'project_admin')).toEqual(
        sorted([one.id, 'project_admin'], [two.id, 'project_admin']),
      )
      expect(await assign(one.id, 'none')).toEqual(sorted([two.id, 'project_admin']))
      expect((await viewProject(one.id)).members_count).toBe(0)
      expect((await viewProject(two.id)).members_count).toBe(1)
    },
  )

  it('are refused with the field of what is wrong', async () => {
    const wrong = async (draft: object) => (await refusal(makeUser(draft))) as { code: string; fields: string[] }
    for (const [draft, field] of [
      [{ name: 'ab' }, 'name'],
      [{ name: 'with space' }, 'name'],
      [{ name: 'x'.repeat(33) }, 'name'],
      [{ email: 'nobody' }, 'email'],
      [{ password: 'short1' }, 'password'],
      [{ name: 'margarete_bauer', password: 'Margarete_Bauer 2026' }, 'password'],
      [{ domain_permissions: ['king'] }, 'domain_permissions.0'],
      [{ assigned_projects: [{ project_id: 'x', role: 'king' }] }, 'assigned_projects.0.role'],
      [{ assigned_projects: [{ project_id: 'x', role: 'project_admin' }] }, 'assigned_projects.0.project_id'],
    ] as const)
      expect(await wrong(draft), JSON.stringify(draft)).toMatchObject({ code: 'validation', fields: [field] })
    const foreign = { project_id: server.cast.projects['beta-one']!.id, role: 'project_member' }
    expect(await wrong({ assigned_projects: [foreign] })).toMatchObject({ fields: ['assigned_projects.0.project_id'] })
    await makeUser()
    expect(await wrong({})).toMatchObject({ code: 'duplicate_name', fields: ['name'] })
  })

  it('with system permissions are made and changed by system administrators alone, in the default domain', async () => {
    const body = { name, password: PASSWORD, system_permissions: ['viewer' as const] }
    expect(await refusal(server.call(users.create, { as: admin, body }))).toMatchObject({
      ...{ code: 'forbidden', fields: ['system_permissions'] },
    })
    const inAlpha = { domain_id: server.cast.domains['alpha']!.id }
    const elsewhere = server.call(users.create, { as: operator, params: inAlpha, body })
    expect(await refusal(elsewhere)).toMatchObject({ code: 'validation', fields: ['system_permissions'] })
    const second = server.call(users.create, { as: operator, body: { ...body, system_permissions: ['superuser'] } })
    expect(await refusal(second)).toMatchObject({ code: 'validation', fields: ['system_permissions'] })
  })

  it('never lock themselves out, nor the first administrator [PE-023]', async () => {
    const first = server.cast.people.superuser.user.id
    const helper = await makeUser({ system_permissions: ['admin'] }, 'default')
    expect((await server.call(users.view, { as: operator, params: { id: first } })).system_permissions).toContain(
      'superuser',
    )
    const as = { token: await signIn(helper.name, PASSWORD, 'Default') }
    const change = (id: string, body: object) =>
      refusal(server.call(users.update, { as, params: { domain_id: 'default', id }, body }))
    const remove = (id: string) => refusal(server.call(users.delete, { as, params: { domain_id: 'default', id } }))
    const builtIn = { code: 'builtin_admin_protected' }
    expect(await change(first, { enabled: false })).toMatchObject(builtIn)
    expect(await change(first, { system_permissions: ['viewer'] })).toMatchObject(builtIn)
    expect(await remove(first)).toMatchObject(builtIn)
    expect(await change(helper.id, { enabled: false })).toMatchObject({ code: 'user_is_self' })
    expect(await remove(helper.id)).toMatchObject({ code: 'user_is_self' })
    expect(await change(helper.id, { password: `${PASSWORD}!` })).toMatchObject({ fields: ['password'] })
    expect((await whoami(as.token)).id).toBe(helper.id)
  })

  it('that are disabled or given another password are signed in no longer', async () => {
    const { id } = await makeUser()
    const token = await signIn(name)
    const change = (body: object) => server.call(users.update, { as: admin, params: { id }, body })
    await change({ enabled: false })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled', data: { subject: 'user' } })
    await change({ enabled: true, password: 'another horse 13' })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'unauthorized' })
    expect(await refusal(signIn(name))).toMatchObject({ code: 'wrong_credentials' })
    expect((await whoami(await signIn(name, 'another horse 13'))).id).toBe(id)
  })

  it('have in the next call what they were given, and have lost what they were taken', async () => {
    const { id } = await makeUser()
    const token = await signIn(name)
    const list = () => refusal(server.call(users.list, { as: { token }, params: { domain_id: alpha() } }))
    const alpha = () => server.cast.domains['alpha']!.id
    const give = (domain_permissions: 'domain_admin'[]) =>
      server.call(users.update, { as: admin, params: { id }, body: { domain_permissions } })
    expect(await list()).toMatchObject({ code: 'forbidden' })
    await give(['domain_admin'])
    expect(await list()).toBe('no refusal')
    await give([])
    expect(await list()).toMatchObject({ code: 'forbidden' })
  })
})

describe('the project of system scopes', () => {
  it('is in no list of projects, and who administers its domain does not enter it', async () => {
    const system = await server.tools.identity.adminProjectId()
    await makeUser({ domain_permissions: ['domain_admin'] }, 'default')
    const as = { token: await signIn(name, PASSWORD, 'Default') }
    const ids = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
    const params = { domain_id: 'default' }
    expect(ids(await server.call(projects.list, { as, params }))).toContain(server.cast.projects['demo']!.id)
    expect(ids(await server.call(projects.list, { as, params }))).not.toContain(system)
    expect(ids(await server.call(projects.list, { as: operator }))).not.toContain(system)
    expect(ids(await server.call(session.projects, { as }))).not.toContain(system)
    const entering = server.call(session.enterProject, { as, params: { id: system } })
    expect(await refusal(entering)).toMatchObject({ code: 'not_found' })
  })
})

describe('what is in another domain', () => {
  it('is in no list of a domain, not even of an operator', async () => {
    for (const domain of ['alpha', 'beta']) {
      const params = { domain_id: server.cast.domains[domain]!.id }
      for (const call of [projects.list, users.list]) {
        const { data } = await server.call(call, { as: operator, params, query: { limit: 200 } })
        expect(new Set(data.map(({ domain_id }) => domain_id))).toEqual(new Set([params.domain_id]))
      }
    }
  })

  it('is not there for a domain administrator, by whatever call', async () => {
    const beta = { domain_id: server.cast.domains['beta']!.id }
    const alpha = { domain_id: server.cast.domains['alpha']!.id }
    const project = server.cast.projects['beta-one']!.id
    const user = server.cast.people['other-member'].user.id
    const several = (id: string) => ({ uuids: [id] })
    const before = await server.call(users.view, { as: operator, params: { ...beta, id: user } })
    const calls = [beta, alpha].flatMap((domain) => [
      () => server.call(projects.view, { as: admin, params: { ...domain, id: project } }),
      () => server.call(projects.update, { as: admin, params: { ...domain, id: project }, body: { name: 'mine' } }),
      () => server.call(projects.delete, { as: admin, params: { ...domain, id: project } }),
      () => server.call(projects.deleteSeveral, { as: admin, params: domain, body: several(project) }),
      () => server.call(projects.members, { as: admin, params: { ...domain, id: project } }),
      () => server.call(projects.removeMembers, { as: admin, params: { ...domain, id: project }, body: several(user) }),
      () => server.call(users.view, { as: admin, params: { ...domain, id: user } }),
      () => server.call(users.update, { as: admin, params: { ...domain, id: user }, body: { description: 'mine' } }),
      () => server.call(users.replace, { as: admin, params: { ...domain, id: user }, body: { enabled: false } }),
      () => server.call(users.delete, { as: admin, params: { ...domain, id: user } }),
      () => server.call(users.deleteSeveral, { as: admin, params: domain, body: several(user) }),
    ])
    calls.push(
      () => server.call(projects.list, { as: admin, params: beta }) as never,
      () => server.call(users.list, { as: admin, params: beta }) as never,
      () => server.call(projects.create, { as: admin, params: beta, body: { name: 'mine' } }) as never,
      () => server.call(users.create, { as: admin, params: beta, body: { name: 'mine', password: PASSWORD } }) as never,
    )
    for (const call of calls) expect(await refusal(call()), String(call)).toMatchObject({ code: 'not_found' })
    // nor for an operator, below a domain that it is not in
    const elsewhere = server.call(users.view, { as: operator, params: { ...alpha, id: user } })
    expect(await refusal(elsewhere)).toMatchObject({ code: 'not_found' })
    expect(await server.call(users.view, { as: operator, params: { ...beta, id: user } })).toEqual(before)
  })
})
