import { randomUUID } from 'node:crypto'
import type { DomainPermission } from '@mainstay/contract/identity/user-roles'
import { expect, test } from 'vitest'
import { refusal, refusals } from './cloud'
import { describeDirectorySuite, type DirectoryFixture, type StartDirectory } from './directory-fixture'

const named = { code: 'duplicate_name', fields: { name: [expect.any(String)] } }
const notFound = { code: 'not_found' }

/** Conformance tests for groups, their members and the permissions they grant. */
export function describeGroups(start: StartDirectory): void {
  describeDirectorySuite('the directory of groups', start, groupTests)
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

function groupTests(given: DirectoryFixture): void {
  test('creates, lists, changes and deletes a group, and refuses a duplicate name in its domain', async () => {
    const { port, cloud, domain, group, rowOf, name } = given
    const { operator } = cloud
    const [home, there] = [await domain(), await domain()]
    const made = await group(home, { description: 'Those who write the shop' })
    expect(made).toMatchObject({ domain_id: home.id, members_count: 0, role: 'none', assigned_projects: [] })
    await expect.poll(() => rowOf.group(made.id)).toEqual(made)
    const change = { name: name('renamed'), description: '' }
    expect(await port.groups.update(operator, home.id, made.id, change)).toEqual({ ...made, ...change })
    const other = await group(home)
    expect(await refusal(group(home, { name: change.name }))).toMatchObject(named)
    const rename = port.groups.update(operator, home.id, other.id, { name: change.name })
    expect(await refusal(rename)).toMatchObject(named)
    await group(there, { name: change.name })
    await port.groups.delete(operator, home.id, made.id)
    await expect.poll(() => rowOf.group(made.id)).toBeNull()
    expect(await refusal(port.groups.delete(operator, home.id, made.id))).toMatchObject(notFound)
  })

  test('adds, counts and removes members idempotently', async () => {
    const { port, cloud, domain, group, user, rowOf } = given
    const { operator } = cloud
    const home = await domain()
    const { id, name } = await group(home)
    const [one, two] = [await user(home), await user(home)]
    expect(await port.groups.addMembers(operator, home.id, id, [one.id])).toMatchObject({ members_count: 1 })
    expect(await port.groups.addMembers(operator, home.id, id, idsOf([one, two]))).toMatchObject({ members_count: 2 })
    await expect.poll(async () => (await rowOf.user(two.id))?.groups).toMatchObject([{ id, name }])
    await port.groups.removeMembers(operator, home.id, id, [one.id])
    // removing a user who is not a member is not an error
    await port.groups.removeMembers(operator, home.id, id, [one.id])
    await expect.poll(() => rowOf.user(one.id)).toEqual(one)
    await expect.poll(() => rowOf.group(id)).toMatchObject({ members_count: 1 })
    await port.users.delete(operator, home.id, two.id)
    await expect.poll(() => rowOf.group(id)).toMatchObject({ members_count: 0 })
  })

  test('members have the project roles of their group until a role is revoked or they leave the group', async () => {
    const { port, cloud, domain, project, group, user, rowOf } = given
    const { operator, identity } = cloud
    const home = await domain()
    const { id: project_id } = await project(home)
    const given_ = [{ project_id, role: 'project_member' as const }]
    const crew = await group(home, { assigned_projects: given_ })
    expect(crew).toMatchObject({ role: 'project_member', assigned_projects: given_ })
    const [one, two] = [await user(home, { assigned_projects: given_ }), await user(home)]
    await port.groups.addMembers(operator, home.id, crew.id, idsOf([one, two]))
    // a user assigned both directly and through the group is counted once
    await expect.poll(() => rowOf.project(project_id)).toMatchObject({ members_count: 2 })
    await expect
      .poll(() => rowOf.user(two.id))
      .toMatchObject({
        ...{ role: 'project_member', assigned_projects: [] },
        groups: [{ id: crew.id, assigned_projects: given_ }],
      })
    const rolesOf = async (id: string) => (await identity.user(id))?.assigned_projects
    expect(await rolesOf(two.id)).toEqual(given_)
    const assign = (role: 'project_admin' | 'none') =>
      port.groups.update(operator, home.id, crew.id, { assigned_projects: [{ project_id, role }] })
    expect(await assign('project_admin')).toMatchObject({ assigned_projects: [{ project_id, role: 'project_admin' }] })
    expect(await rolesOf(two.id)).toContainEqual({ project_id, role: 'project_admin' })
    await expect
      .poll(async () => (await rowOf.user(two.id))?.groups)
      .toMatchObject([{ assigned_projects: [{ project_id, role: 'project_admin' }] }])
    await port.groups.removeMembers(operator, home.id, crew.id, [two.id])
    expect(await rolesOf(two.id)).toEqual([])
    await expect.poll(() => rowOf.project(project_id)).toMatchObject({ members_count: 1 })
    expect(await assign('none')).toMatchObject({ role: 'none', assigned_projects: [] })
    expect(await rolesOf(one.id)).toEqual(given_)
  })

  test('members have the domain permissions of their group until the group is deleted', async () => {
    const { port, cloud, domain, group, user, rowOf } = given
    const { operator, identity } = cloud
    const home = await domain()
    const wanted: DomainPermission[] = ['domain_admin', 'image_upload']
    const crew = await group(home, { domain_permissions: wanted })
    expect(crew.role).toBe('domain_admin')
    const member = await user(home)
    await port.groups.addMembers(operator, home.id, crew.id, [member.id])
    expect(new Set((await identity.user(member.id))?.roles)).toEqual(new Set(wanted))
    await expect.poll(() => rowOf.user(member.id)).toMatchObject({ role: 'domain_admin', domain_permissions: [] })
    const fewer = await port.groups.update(operator, home.id, crew.id, { domain_permissions: ['image_upload'] })
    expect(fewer.domain_permissions).toEqual(['image_upload'])
    expect((await identity.user(member.id))?.roles).toEqual(['image_upload'])
    await port.groups.delete(operator, home.id, crew.id)
    expect((await identity.user(member.id))?.roles).toEqual([])
    await expect.poll(() => rowOf.user(member.id)).toEqual(member)
  })

  test('refuses a request with users that are unknown or from other domains, and adds none of its users', async () => {
    const { port, cloud, domain, group, user, rowOf } = given
    const { operator } = cloud
    const [home, there] = [await domain(), await domain()]
    const [made, own, foreign] = [await group(home), await user(home), await user(there)]
    for (const id of [foreign.id, randomUUID().replaceAll('-', '')]) {
      const add = port.groups.addMembers(operator, home.id, made.id, [own.id, id])
      expect(await refusal(add)).toMatchObject(notFound)
    }
    for (const refused of await refusals([
      port.groups.update(operator, there.id, made.id, { description: 'Taken over' }),
      port.groups.addMembers(operator, there.id, made.id, [foreign.id]),
      port.groups.delete(operator, there.id, made.id),
    ]))
      expect(refused).toMatchObject(notFound)
    await expect.poll(() => rowOf.group(made.id)).toEqual(made)
    await expect.poll(() => rowOf.user(own.id)).toEqual(own)
  })

  test('creates 12 users concurrently, and adds and removes several members in a single call', async () => {
    const { port, cloud, domain, group, user, rowOf } = given
    const { operator } = cloud
    const home = await domain()
    const made = await Promise.all(Array.from({ length: 12 }, () => user(home)))
    await expect.poll(() => rowOf.domain(home.id)).toMatchObject({ users_count: 12 })
    const { id } = await group(home)
    expect(await port.groups.addMembers(operator, home.id, id, idsOf(made))).toMatchObject({ members_count: 12 })
    for (const one of made) await expect.poll(async () => (await rowOf.user(one.id))?.groups).toMatchObject([{ id }])
    await port.groups.removeMembers(operator, home.id, id, idsOf(made).slice(2))
    await expect.poll(() => rowOf.group(id)).toMatchObject({ members_count: 2 })
  })
}
