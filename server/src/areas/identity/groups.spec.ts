import { accessRoleCalls } from '@mainstay/contract/identity/access-roles'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import type { domainPermissions, systemPermissions } from '@mainstay/contract/identity/user-roles'
import { users } from '@mainstay/contract/identity/users'
import { domains } from '@mainstay/contract/identity/domains'
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
  makeGroup,
  viewGroup,
  viewProject,
  viewUser,
  join,
  leave,
} from '../../testing/directory-fixture'

withDirectory()

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
const notThere = '00000000-0000-4000-8000-000000000000'

describe('groups', () => {
  it('are listed, created, read, updated and deleted [CA-148]', async () => {
    const made = await makeGroup()
    expect(await viewGroup(made.id)).toEqual(made)
    const { data } = await server.call(groups.list, { as: admin, query: { name: made.name } })
    expect(data).toEqual([made])
    const params = { id: made.id }
    const body = { name: `${name} two`, description: 'of the shop', domain_permissions: ['image_upload' as const] }
    expect(await server.call(groups.update, { as: admin, params, body })).toEqual({ ...made, ...body })
    expect(await viewGroup(made.id)).toEqual({ ...made, ...body })
    await server.call(groups.delete, { as: admin, params })
    expect(await refusal(viewGroup(made.id))).toMatchObject({ code: 'not_found' })
  })

  it('show their description, permissions, projects and number of members [EN-037]', async () => {
    const project = await makeProject()
    const draft = {
      description: 'of the shop',
      domain_permissions: ['image_upload' as const],
      assigned_projects: [{ project_id: project.id, role: 'project_admin' as const }],
    }
    const made = await makeGroup(draft)
    expect(made).toEqual({
      ...{ id: expect.any(String), name, role: 'project_member', domain_id: server.cast.domains['alpha']!.id },
      ...{ ...draft, system_permissions: [], members_count: 0, created_at: expect.any(String) },
      identity_provider: null,
    })
    expect(Math.abs(Date.now() - Date.parse(made.created_at!))).toBeLessThan(60_000)
    await join(made.id, await makeUser(), await makeUser({ name: `${name}_2` }))
    expect((await viewGroup(made.id)).members_count).toBe(2)
    const ofOperators = await makeGroup({ system_permissions: ['viewer'] }, 'default')
    expect(ofOperators).toMatchObject({ role: 'viewer', system_permissions: ['viewer'], domain_id: 'default' })
  })

  it('list, add and remove their members [CA-149] [CA-150] [CA-151]', async () => {
    const { id } = await makeGroup()
    const [one, two, three] = await Promise.all([1, 2, 3].map((at) => makeUser({ name: `${name}_${at}` })))
    const members = async () => ids((await server.call(groups.members, { as: admin, params: { id } })).data)
    // duplicates and existing members are ignored
    expect(await join(id, one!, two!, one!)).toMatchObject({ id, members_count: 2 })
    expect(await join(id, two!, three!)).toMatchObject({ members_count: 3 })
    expect(await members()).toEqual(ids([one!, two!, three!]))
    const first = await server.call(groups.members, { as: admin, params: { id }, query: { limit: 2 } })
    expect([ids(first.data), first.pages.length]).toEqual([ids([one!, two!]), 1])
    await leave(id, one!, one!)
    await leave(id, one!)
    expect(await members()).toEqual(ids([two!, three!]))
    await server.call(users.delete, { as: admin, params: { id: two!.id } })
    expect(await members()).toEqual([three!.id])
    expect((await viewGroup(id)).members_count).toBe(1)
  })

  it('of a user are listed and included in the user’s row [CA-147]', async () => {
    const project = await makeProject()
    const assigned_projects = [{ project_id: project.id, role: 'project_member' as const }]
    const one = await makeGroup({ name: `${name} a`, assigned_projects })
    const two = await makeGroup({ name: `${name} b`, domain_permissions: ['quota_manager'] })
    await makeGroup({ name: `${name} c` })
    const user = await makeUser()
    const groupsOf = async () => (await server.call(groups.ofUser, { as: admin, params: { id: user.id } })).data
    expect(await groupsOf()).toEqual([])
    await join(one.id, user)
    await join(two.id, user)
    expect(await groupsOf()).toEqual([await viewGroup(one.id), await viewGroup(two.id)])
    const none = { system_permissions: [], domain_permissions: [], assigned_projects: [] }
    expect(await viewUser(user.id)).toEqual({
      ...user,
      role: 'project_member',
      groups: [
        { ...none, id: one.id, name: one.name, assigned_projects },
        { ...none, id: two.id, name: two.name, domain_permissions: ['quota_manager'] },
      ],
    })
    await server.call(groups.update, { as: admin, params: { id: two.id }, body: { name: `${name} z` } })
    expect((await viewUser(user.id)).groups[1]!.name).toBe(`${name} z`)
    expect(await refusal(server.call(groups.ofUser, { as: admin, params: { id: notThere } }))).toMatchObject({
      code: 'not_found',
    })
  })

  it('give their members the most privileged of several project roles until they lose it or are deleted', async () => {
    const [one, two] = [await makeProject(), await makeProject(`${name}_2`)]
    const assign = (id: string, project_id: string, role: 'project_admin' | 'project_member' | 'none') =>
      server.call(groups.update, { as: admin, params: { id }, body: { assigned_projects: [{ project_id, role }] } })
    const user = await makeUser({ assigned_projects: [{ project_id: one.id, role: 'project_member' }] })
    const group = await makeGroup({ assigned_projects: [{ project_id: one.id, role: 'project_admin' }] })
    await assign(group.id, two.id, 'project_member')
    const members = async (id: string) =>
      (await server.call(projects.members, { as: admin, params: { id } })).data.map((it) => [it.id, it.role])
    expect(await members(two.id)).toEqual([])
    await join(group.id, user)
    expect(await members(one.id)).toEqual([[user.id, 'project_admin']])
    expect(await members(two.id)).toEqual([[user.id, 'project_member']])
    expect([(await viewProject(one.id)).members_count, (await viewProject(two.id)).members_count]).toEqual([1, 1])

    // removing members from a project does not affect roles that they have through a group
    await server.call(projects.removeMembers, { as: admin, params: { id: two.id }, body: { uuids: [user.id] } })
    expect(await members(two.id)).toEqual([[user.id, 'project_member']])
    expect((await assign(group.id, two.id, 'none')).assigned_projects).toEqual([
      { project_id: one.id, role: 'project_admin' },
    ])
    expect(await members(two.id)).toEqual([])
    expect((await viewProject(two.id)).members_count).toBe(0)
    await server.call(groups.delete, { as: admin, params: { id: group.id } })
    expect(await members(one.id)).toEqual([[user.id, 'project_member']])
    expect(await viewUser(user.id)).toEqual(user)
  })

  it('lose projects that are deleted, and are deleted with their domain', async () => {
    const project = await makeProject()
    const group = await makeGroup({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    const user = await makeUser()
    await join(group.id, user)
    await server.call(projects.delete, { as: admin, params: { id: project.id } })
    expect((await viewGroup(group.id)).assigned_projects).toEqual([])
    expect((await viewUser(user.id)).groups[0]!.assigned_projects).toEqual([])

    const domain = await server.call(domains.create, { as: operator, body: { name } })
    const [there, user2] = [await makeGroup({}, domain.id), await makeUser({}, domain.id)]
    const call = { as: operator, params: { domain_id: domain.id, id: there.id } } as const
    await server.call(groups.addMembers, { ...call, body: { uuids: [user2.id] } })
    await server.call(domains.delete, { as: operator, params: { id: domain.id }, query: { delete_users: 'true' } })
    const { data } = await server.call(groups.list, {
      as: operator,
      params: { domain_id: 'default' },
      query: { id: there.id },
    })
    expect(data).toEqual([])
    expect(await server.sql.query("select id from resource where kind = 'group' and id = $1", [there.id])).toEqual([])
  })

  it.each([
    ['an empty name', { name: '' }, 'name'],
    ['a name with invisible characters', { name: 'a\u200bb' }, 'name'],
    ['a description that is too long', { description: 'x'.repeat(256) }, 'description'],
    ['an unknown permission', { domain_permissions: ['root'] }, 'domain_permissions.0'],
    ['an unknown role', { assigned_projects: [{ project_id: 'x', role: 'root' }] }, 'assigned_projects.0.role'],
    [
      'an unknown project',
      { assigned_projects: [{ project_id: notThere, role: 'project_member' }] },
      'assigned_projects.0.project_id',
    ],
    ['the built-in administrator’s permission', { system_permissions: ['superuser'] }, 'system_permissions'],
    ['an unknown field', { members: [] }, 'members'],
  ] as const)('are refused with %s and an error on the field', async (_, draft, field) => {
    expect(await refusal(makeGroup(draft as never))).toMatchObject({ fields: [field] })
  })

  it('must have unique names within their domain, ignoring case', async () => {
    const made = await makeGroup({ name: `${name} Öl` })
    const taken = { code: 'duplicate_name', fields: ['name'] }
    expect(await refusal(makeGroup({ name: `${name} öL` }))).toMatchObject(taken)
    const other = await makeGroup({ name: `${name} 2` })
    const rename = (id: string, wanted: string) =>
      refusal(server.call(groups.update, { as: admin, params: { id }, body: { name: wanted } }))
    expect(await rename(other.id, `${name} ÖL`)).toMatchObject(taken)
    expect(await rename(made.id, `${name} ÖL`)).toBe('no refusal')
    expect(await refusal(makeGroup({ name: `${name} Öl` }, server.cast.domains['beta']!.id))).toBe('no refusal')
  })
})

describe('groups of another domain', () => {
  const beta = () => server.cast.domains['beta']!.id

  it('are not found by any call', async () => {
    const theirs = await makeGroup({}, beta())
    const own = await makeUser()
    const { data } = await server.call(groups.list, { as: admin, query: { name } })
    expect(data).toEqual([])
    const there = { as: admin, params: { domain_id: beta(), id: theirs.id } } as const
    const here = { as: admin, params: { id: theirs.id } } as const
    const uuids = [own.id]
    for (const call of [here, there])
      for (const attempt of [
        () => server.call(groups.view, call),
        () => server.call(groups.update, { ...call, body: { description: 'mine' } }),
        () => server.call(groups.delete, call),
        () => server.call(groups.members, call),
        () => server.call(groups.addMembers, { ...call, body: { uuids } }),
        () => server.call(groups.removeMembers, { ...call, body: { uuids } }),
      ])
        expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
    for (const attempt of [
      () => server.call(groups.list, { as: admin, params: { domain_id: beta() } }),
      () => server.call(groups.create, { as: admin, params: { domain_id: beta() }, body: { name } }),
    ])
      expect(await refusal(attempt())).toMatchObject({ code: 'not_found' })
  })

  it('share no users or projects with groups in this domain', async () => {
    const theirs = await makeUser({}, beta())
    const [group, own] = [await makeGroup(), await makeUser()]
    const nobody = { code: 'not_found' }
    const foreign = await refusal(join(group.id, own, theirs))
    expect(foreign).toEqual(await refusal(join(group.id, own, { id: notThere })))
    expect(foreign).toMatchObject(nobody)
    expect(await refusal(leave(group.id, own, theirs))).toMatchObject(nobody)
    expect((await viewGroup(group.id)).members_count).toBe(0)

    const give = (project_id: string) =>
      refusal(
        server.call(groups.update, {
          as: admin,
          params: { id: group.id },
          body: { description: 'new', assigned_projects: [{ project_id, role: 'project_admin' }] },
        }),
      )
    expect(await give(server.cast.projects['beta-one']!.id)).toEqual(await give(notThere))
    expect(await give(await server.tools.identity.adminProjectId())).toEqual(await give(notThere))
    expect(await give(notThere)).toMatchObject({ fields: ['assigned_projects.0.project_id'] })
    expect(await viewGroup(group.id)).toEqual(group)
  })

  it('are not revealed through users of that domain', async () => {
    const theirs = await makeUser({}, beta())
    for (const params of [{ id: theirs.id }, { id: theirs.id, domain_id: beta() }])
      expect(await refusal(server.call(groups.ofUser, { as: admin, params }))).toMatchObject({ code: 'not_found' })
  })
})

describe('assignable roles', () => {
  it('are listed with their scopes and can be assigned in them', async () => {
    const told = await server.call(accessRoleCalls.list, { as: 'project-member' })
    const of = <Role extends string>(scope: 'system' | 'domain' | 'project') =>
      told.filter((it) => it.scope.includes(scope)).map(({ id }) => id as Role)
    const system_permissions = of<(typeof systemPermissions)[number]>('system')
    const domain_permissions = of<(typeof domainPermissions)[number]>('domain')
    expect(await makeGroup({ system_permissions, domain_permissions }, 'default')).toMatchObject({
      system_permissions,
      domain_permissions,
    })
    for (const role of of<'project_admin' | 'project_member' | 'service_account'>('project')) {
      const assigned_projects = [{ project_id: (await makeProject(`${name} ${role}`)).id, role }]
      // only users can have the service account role, not groups
      const given =
        role === 'service_account'
          ? makeUser({ assigned_projects })
          : makeGroup({ name: `${name} ${role}`, assigned_projects: assigned_projects as never })
      expect(await given).toMatchObject({ assigned_projects })
    }
    expect(told.map(({ id }) => id)).not.toContain('superuser')
    expect(told.find(({ id }) => id === 'compute')).toEqual({
      ...{ id: 'compute', name: 'Compute', description: expect.any(String) },
      ...{ scope: ['system'], tags: ['hci.system'] },
    })
    expect(told.find(({ id }) => id === 'domain_admin')).toMatchObject({ scope: ['domain'], tags: [] })
  })
})
