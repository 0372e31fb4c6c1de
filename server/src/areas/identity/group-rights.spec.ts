import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { domains } from '@mainstay/contract/identity/domains'
import type { DomainPermission, ProjectRole } from '@mainstay/contract/identity/user-roles'
import { volumes } from '@mainstay/contract/storage/volumes'
import fc from 'fast-check'
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
  signIn,
  whoami,
} from '../../testing/directory-fixture'
import { PASSWORD } from '../../testing/personas'

withDirectory()

const notThere = '00000000-0000-4000-8000-000000000000'

describe('the rights of a user', () => {
  const places = [0, 1, 2]
  /** The holder of the rights that a step changes: the user (null) or one of two groups. */
  const holder = fc.constantFrom(null, 0, 1)
  const permissions: readonly DomainPermission[] = ['domain_admin', 'image_upload', 'quota_manager']
  const step = fc.oneof(
    fc.record({
      holder,
      place: fc.constantFrom(...places),
      role: fc.constantFrom<ProjectRole | 'none'>('project_admin', 'project_member', 'none'),
    }),
    fc.record({ holder, permissions: fc.subarray([...permissions]) }),
    fc.record({ group: fc.constantFrom(0, 1), isIn: fc.boolean() }),
  )

  it('are exactly their own and those of their groups, in whoami, the project chooser and all calls', async () => {
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 12 }), async (steps) => {
        const label = `${name}_${++count}`
        const user = await makeUser({ name: label })
        const inProjects = await Promise.all(places.map((at) => makeProject(`${label} ${at}`)))
        const inGroups = await Promise.all([0, 1].map((at) => makeGroup({ name: `${label} ${at}` })))
        const own = () => ({ roles: new Map<number, string>(), permissions: [] as readonly string[] })
        const rights = { user: own(), groups: [own(), own()] }
        for (const { id } of inGroups) await join(id, user)
        const joined = new Set([0, 1])
        const token = await signIn(label)

        for (const it of steps) {
          if ('group' in it) {
            const { id } = inGroups[it.group]!
            await (it.isIn ? join(id, user) : leave(id, user))
            if (it.isIn) joined.add(it.group)
            else joined.delete(it.group)
            continue
          }
          const of = it.holder === null ? rights.user : rights.groups[it.holder]!
          const body =
            'place' in it
              ? { assigned_projects: [{ project_id: inProjects[it.place]!.id, role: it.role }] }
              : { domain_permissions: it.permissions }
          await (it.holder === null
            ? server.call(users.update, { as: admin, params: { id: user.id }, body })
            : server.call(groups.update, { as: admin, params: { id: inGroups[it.holder]!.id }, body }))
          if ('permissions' in it) of.permissions = it.permissions
          else if (it.role === 'none') of.roles.delete(it.place)
          else of.roles.set(it.place, it.role)
        }

        const holders = [rights.user, ...[...joined].map((at) => rights.groups[at]!)]
        const everywhere = holders.flatMap((it) => it.permissions)
        const isAdministrator = everywhere.includes('domain_admin')
        const rolesIn = (place: number) => holders.flatMap((it) => it.roles.get(place) ?? [])
        const sorted = (roles: readonly string[]) => [...new Set(roles)].toSorted()

        const shown = await whoami(token)
        const inAll = isAdministrator ? [] : places.flatMap(rolesIn)
        expect(sorted(shown.roles)).toEqual(sorted([...everywhere, ...inAll]))
        expect(
          await refusal(server.call(users.list, { as: { token }, params: { domain_id: user.domain_id } })),
        ).toEqual(isAdministrator ? 'no refusal' : expect.objectContaining({ code: 'forbidden' }))
        const chooser = (await server.call(session.projects, { as: { token } })).data.map(({ id }) => id)
        for (const place of places) {
          const project = inProjects[place]!
          const mayEnter = isAdministrator || rolesIn(place).length > 0
          expect(chooser.includes(project.id)).toBe(mayEnter)
          const enter = () => server.call(session.enterProject, { as: { token }, params: { id: project.id } })
          const members = await server.call(projects.members, { as: admin, params: { id: project.id } })
          expect(members.data.map(({ id }) => id)).toEqual(rolesIn(place).length > 0 ? [user.id] : [])
          if (!mayEnter) {
            expect(await refusal(enter())).toMatchObject({ code: 'not_found' })
            continue
          }
          const as = { token: (await enter()).token }
          expect(sorted((await whoami(as.token)).roles)).toEqual(sorted([...everywhere, ...rolesIn(place)]))
          expect((await server.call(volumes.list, { as })).data).toEqual([])
        }
      }),
      { numRuns: 3 },
    )
  }, 120_000)

  it('through a group are gained and lost with the next call', async () => {
    const project = await makeProject()
    const group = await makeGroup({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    const user = await makeUser()
    await join(group.id, user)
    const unscoped = await signIn(name)
    const { token } = await server.call(session.enterProject, { as: { token: unscoped }, params: { id: project.id } })
    const list = () => refusal(server.call(volumes.list, { as: { token } }))
    expect(await list()).toBe('no refusal')
    await leave(group.id, user)
    expect(await list()).toMatchObject({ code: 'unauthorized' })
    await join(group.id, user)
    expect(await list()).toBe('no refusal')
    await server.call(groups.delete, { as: admin, params: { id: group.id } })
    expect(await list()).toMatchObject({ code: 'unauthorized' })
  })
})

describe('system permissions of groups', () => {
  /** A domain administrator in the default domain without system permissions. */
  async function domainAdministrator() {
    const { id } = await makeUser({ domain_permissions: ['domain_admin'] }, 'default')
    return { id, as: { token: await signIn(name, PASSWORD, 'Default') } }
  }

  it('can be changed by system administrators only, as can groups that have them', async () => {
    const { id, as } = await domainAdministrator()
    const powerful = await makeGroup({ system_permissions: ['admin'] }, 'default')
    const plain = await makeGroup({ name: `${name} plain` }, 'default')
    const of = (group: { id: string }) => ({ as, params: { domain_id: 'default', id: group.id } })
    const uuids = [id]
    const forbidden = { code: 'forbidden' }
    const draft = { name: `${name} new`, system_permissions: ['compute' as const] }
    for (const attempt of [
      () => server.call(groups.create, { as, params: { domain_id: 'default' }, body: draft }),
      () => server.call(groups.update, { ...of(plain), body: { system_permissions: ['admin'] } }),
      () => server.call(groups.update, { ...of(powerful), body: { description: 'mine' } }),
      () => server.call(groups.addMembers, { ...of(powerful), body: { uuids } }),
      () => server.call(groups.removeMembers, { ...of(powerful), body: { uuids } }),
      () => server.call(groups.delete, of(powerful)),
    ])
      expect(await refusal(attempt())).toMatchObject(forbidden)
    expect((await whoami(as.token)).roles).toEqual(['domain_admin'])
    await server.call(groups.addMembers, { ...of(plain), body: { uuids } })
    const call = { as: operator, params: { domain_id: 'default', id: powerful.id } } as const
    await server.call(groups.addMembers, { ...call, body: { uuids } })
    // sessions created before the user's first system permission have ended
    expect(await refusal(whoami(as.token))).toMatchObject({ code: 'unauthorized' })
    const token = await signIn(name, PASSWORD, 'Default')
    expect((await whoami(token)).roles).toEqual(expect.arrayContaining(['admin', 'domain_admin']))
  })

  it('protect the members of a group from administrators without these permissions', async () => {
    const { as } = await domainAdministrator()
    const powerful = await makeGroup({ system_permissions: ['admin'] }, 'default')
    const member = await makeUser({ name: `${name}_member` }, 'default')
    const params = { domain_id: 'default', id: member.id }
    const change = (body: object) => refusal(server.call(users.update, { as, params, body }))
    expect(await change({ description: 'before' })).toBe('no refusal')
    await server.call(groups.addMembers, {
      as: operator,
      params: { domain_id: 'default', id: powerful.id },
      body: { uuids: [member.id] },
    })
    expect(await change({ password: 'another horse 13' })).toMatchObject({ code: 'forbidden' })
    expect(await change({ enabled: false })).toMatchObject({ code: 'forbidden' })
    expect(await refusal(server.call(users.delete, { as, params }))).toMatchObject({ code: 'forbidden' })
    expect((await server.call(users.view, { as: operator, params })).role).toBe('system_admin')
  })

  it('can only be granted to groups in the default domain', async () => {
    const { id: domain_id } = server.cast.domains['alpha']!
    expect(await refusal(makeGroup({ system_permissions: ['viewer'] }, domain_id))).toMatchObject({
      fields: ['system_permissions'],
    })
  })
})

describe('concurrent changes', () => {
  it('keeps and counts all members and projects that are added to a group at once', async () => {
    const group = await makeGroup()
    const many = [1, 2, 3, 4]
    const people = await Promise.all(many.map((at) => makeUser({ name: `${name}_${at}` })))
    const places = await Promise.all(many.map((at) => makeProject(`${name}_${at}`)))
    const assign = (project_id: string) =>
      server.call(groups.update, {
        as: admin,
        params: { id: group.id },
        body: { assigned_projects: [{ project_id, role: 'project_member' }] },
      })
    await Promise.all([...people.map((it) => join(group.id, it)), ...places.map(({ id }) => assign(id))])
    const after = await viewGroup(group.id)
    expect([after.members_count, after.assigned_projects.length]).toEqual([4, 4])
    for (const { id } of places) expect((await viewProject(id)).members_count).toBe(4)
    for (const { id } of people) expect((await viewUser(id)).groups[0]!.assigned_projects).toHaveLength(4)
  })

  it('counts all users who are assigned to a project at once', async () => {
    const project = await makeProject()
    const people = await Promise.all([1, 2, 3, 4].map((at) => makeUser({ name: `${name}_${at}` })))
    const body = { assigned_projects: [{ project_id: project.id, role: 'project_member' as const }] }
    await Promise.all(people.map(({ id }) => server.call(users.update, { as: admin, params: { id }, body })))
    expect((await viewProject(project.id)).members_count).toBe(4)
  })

  it('never grants system permissions to a user who was added by a domain administrator', async () => {
    const group = await makeGroup({}, 'default')
    const person = await makeUser({ domain_permissions: ['domain_admin'] }, 'default')
    const as = { token: await signIn(name, PASSWORD, 'Default') }
    const params = { domain_id: 'default', id: group.id }
    const [, joining] = await Promise.all([
      server.call(groups.update, { as: operator, params, body: { system_permissions: ['admin'] } }),
      refusal(server.call(groups.addMembers, { as, params, body: { uuids: [person.id] } })),
    ])
    // either the user was added before the operator granted the permission, or adding the user was refused
    const { members_count } = await server.call(groups.view, { as: operator, params })
    expect(joining === 'no refusal' ? 1 : 0).toBe(members_count)
  })
})

describe('limits', () => {
  it('allows at most 20 groups per user and 100 users per call', async () => {
    const user = await makeUser()
    for (let at = 0; at < 20; at++) await join((await makeGroup({ name: `${name} ${at}` })).id, user)
    const last = await makeGroup({ name: `${name} last` })
    expect(await refusal(join(last.id, user))).toMatchObject({
      code: 'validation',
      fields: ['uuids'],
      message: expect.stringContaining('20 groups') as string,
    })
    expect((await viewGroup(last.id)).members_count).toBe(0)
    const many = Array.from({ length: 101 }, () => ({ id: notThere }))
    expect(await refusal(join(last.id, ...many))).toMatchObject({ code: 'validation', fields: ['uuids'] })
    expect(await refusal(join(last.id))).toMatchObject({ code: 'validation', fields: ['uuids'] })
  })

  it('allows at most 2000 members and 100 projects per group and 1000 groups per domain', async () => {
    const { id: domain_id } = await server.call(domains.create, { as: operator, body: { name } })
    const group = await makeGroup({}, domain_id)
    const of = { as: operator, params: { domain_id, id: group.id } } as const
    await server.sql.query(
      `insert into identity_user (id, domain_id, name, password)
        select $1 || n, $2, $1 || n, '' from generate_series(1, 2000) n`,
      [`${name}_`, domain_id],
    )
    await server.sql.query(
      'insert into identity_group_member (group_id, user_id) select $1, $2 || n from generate_series(1, 2000) n',
      [group.id, `${name}_`],
    )
    const one = await makeUser({}, domain_id)
    const message = expect.stringContaining('2000 members') as string
    expect(await refusal(server.call(groups.addMembers, { ...of, body: { uuids: [one.id] } }))).toMatchObject({
      fields: ['uuids'],
      message,
    })

    const other = await makeGroup({ name: `${name} 2` }, domain_id)
    await server.sql.query(
      'insert into identity_project (id, domain_id, name) select $1 || n, $2, $1 || n from generate_series(1, 101) n',
      [`${name}_`, domain_id],
    )
    const project = (at: number) => ({ project_id: `${name}_${at}`, role: 'project_member' as const })
    const give = (numbers: number[]) =>
      refusal(
        server.call(groups.update, {
          as: operator,
          params: { domain_id, id: other.id },
          body: { assigned_projects: numbers.map(project) },
        }),
      )
    expect(await give(Array.from({ length: 100 }, (_, at) => at + 1))).toBe('no refusal')
    expect(await give([101])).toMatchObject({ fields: ['assigned_projects'] })

    await server.sql.query(
      `insert into identity_group (id, domain_id, name, folded_name)
        select $1 || n, $2, $1 || n, $1 || n from generate_series(1, 998) n`,
      [`${name}_`, domain_id],
    )
    expect(await refusal(makeGroup({ name: `${name} more` }, domain_id))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('1000 groups') as string,
    })
  })
})

it('records changes to groups in the audit log with user and subject', async () => {
  const group = await makeGroup()
  const user = await makeUser()
  await join(group.id, user)
  await leave(group.id, user)
  await server.call(groups.delete, { as: admin, params: { id: group.id } })
  const lines = await server.sql.query<{ action: string }>(
    `select action, user_name, subject_name, result from audit
      where subject_kind = 'group' and subject_id = $1 order by id`,
    [group.id],
  )
  const of = { user_name: 'domain_admin', subject_name: group.name, result: 'success' }
  const done = ['create', 'addMembers', 'removeMembers', 'delete']
  expect(lines).toEqual(done.map((call) => ({ action: `group.${call}`, ...of })))
})
