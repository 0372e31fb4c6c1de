import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { users } from '@mainstay/contract/identity/users'
import { describe, expect, it } from 'vitest'
import {
  operator,
  admin,
  server,
  name,
  withDirectory,
  refusal,
  makeUser,
  makeProject,
  viewProject,
  viewUser,
  signIn,
  whoami,
} from '../../testing/directory-fixture'
import { PASSWORD } from '../../testing/personas'

withDirectory()

describe('users', () => {
  it('are listed, created, read and deleted, individually or in bulk [CA-142] [CA-143] [CA-144] [CA-145]', async () => {
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

  it('have contact data, permissions, project roles and the source of their identity', async () => {
    const project = await makeProject()
    const assigned_projects = [{ project_id: project.id, role: 'project_member' as const }]
    const draft = { email: 'ada@example.com', description: 'first', domain_permissions: ['image_upload' as const] }
    expect(await makeUser({ ...draft, assigned_projects })).toEqual({
      ...{ id: expect.any(String), name, enabled: true, domain_id: server.cast.domains['alpha']!.id },
      ...{ ...draft, assigned_projects, role: 'project_member', system_permissions: [], groups: [] },
      ...{ identity_provider: null, password_state: 'chosen', s3_user_id: null, created_at: expect.any(String) },
    })
  })

  it.each([
    ['a system administrator', { system_permissions: ['admin', 'compute'] }, 'system_admin', 'default'],
    ['a user who can read everything', { system_permissions: ['viewer'] }, 'viewer', 'default'],
    ['an administrator of one area', { system_permissions: ['viewer', 'compute'] }, 'custom', 'default'],
    ['a domain administrator', { domain_permissions: ['domain_admin'] }, 'domain_admin', undefined],
    ['a user without permissions', {}, 'none', undefined],
  ] as const)('have a single role name for %s', async (_, draft, role, domainId) => {
    expect((await makeUser(draft as never, domainId)).role).toBe(role)
  })

  it('have a role that distinguishes administrators, service accounts and members [PE-022]', async () => {
    const { data } = await server.call(users.list, {
      ...{ as: operator, params: { domain_id: ANY_PARENT }, query: { limit: 1000 } },
    })
    const roleOf = (who: keyof typeof server.cast.people) =>
      data.find(({ id }) => id === server.cast.people[who].user.id)!.role
    expect([roleOf('domain-admin'), roleOf('service-account'), roleOf('superuser'), roleOf('project-member')]).toEqual([
      ...['domain_admin', 'service_account', 'system_admin', 'project_member'],
    ])
    for (const role of ['domain_admin', 'service_account', 'system_admin', 'project_member'] as const) {
      const query = { role, limit: 1000 }
      const found = await server.call(users.list, { as: operator, params: { domain_id: ANY_PARENT }, query })
      expect(found.data.length).toBeGreaterThan(0)
      expect(found.data.filter((user) => user.role !== role)).toEqual([])
    }
  })

  it.each(['update', 'replace'] as const)(
    'are assigned to projects by %s with one role each, and removed with the role “none” [CA-146] [VA-069]',
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

  it('are refused with an error on the invalid field', async () => {
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

  it('with system permissions belong to the default domain and are managed by system administrators', async () => {
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

  it('cannot lock out themselves or the built-in administrator [PE-023]', async () => {
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

  it('are signed out when they are disabled or get a new password', async () => {
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

  it('gain and lose permissions with their next call', async () => {
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
