import { randomUUID } from 'node:crypto'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import type { UserChange } from '@mainstay/contract/identity/users'
import { expect, test } from 'vitest'
import { refusal, refusals } from './cloud'
import { describeDirectorySuite, PASSWORD, type DirectoryFixture, type StartDirectory } from './directory-fixture'

const named = { code: 'duplicate_name', fields: { name: [expect.any(String)] } }
const notFound = { code: 'not_found' }
const noProject = { fields: { 'assigned_projects.0.project_id': [expect.any(String)] } }

/** Conformance tests for users and their permissions. */
export function describePeople(start: StartDirectory): void {
  describeDirectorySuite('the directory of users', start, userTests)
  describeDirectorySuite('the directory of assignments', start, assignmentTests)
}

function userTests(given: DirectoryFixture): void {
  test('creates, lists, counts, changes, disables, enables and deletes a user, who can sign in', async () => {
    const { port, cloud, domain, user, rowOf, name } = given
    const { operator, identity } = cloud
    const home = await domain()
    const made = await user(home, { email: 'ada@example.org', description: 'The first programmer' })
    expect(made).toMatchObject({
      ...{ domain_id: home.id, email: 'ada@example.org', description: 'The first programmer', enabled: true },
      ...{ role: 'none', system_permissions: [], domain_permissions: [], assigned_projects: [], groups: [] },
      identity_provider: null,
    })
    await expect.poll(() => rowOf.user(made.id)).toEqual(made)
    await expect.poll(() => rowOf.domain(home.id)).toMatchObject({ users_count: 1 })
    expect((await identity.authenticate(made.name, PASSWORD, home.name))?.user).toMatchObject({ id: made.id })
    const change = { name: name('renamed'), description: '', email: null }
    const changed = await port.users.update(operator, home.id, made.id, change)
    expect(changed).toEqual({ ...made, ...change })
    expect(await port.users.update(operator, home.id, made.id, { enabled: false })).toEqual({
      ...changed,
      enabled: false,
    })
    expect(await identity.user(made.id)).toMatchObject({ enabled: false })
    await port.users.update(operator, home.id, made.id, { enabled: true })
    expect(await identity.user(made.id)).toMatchObject({ enabled: true, name: change.name })
    await port.users.delete(operator, home.id, made.id)
    await expect.poll(async () => [await rowOf.user(made.id), await identity.user(made.id)]).toEqual([null, null])
    await expect.poll(() => rowOf.domain(home.id)).toMatchObject({ users_count: 0 })
    expect(await refusal(port.users.delete(operator, home.id, made.id))).toMatchObject(notFound)
  })

  test('a new password replaces the previous one', async () => {
    const { port, cloud, domain, user } = given
    const home = await domain()
    const { id, name } = await user(home)
    await port.users.update(cloud.operator, home.id, id, { password: 'another horse 12' })
    const { identity } = cloud
    expect(await identity.authenticate(name, PASSWORD, home.name)).toBeNull()
    expect((await identity.authenticate(name, 'another horse 12', home.name))?.user).toMatchObject({ id })
  })

  test('refuses a duplicate username within a domain, but allows it in another domain', async () => {
    const { port, cloud, domain, user, rowOf } = given
    const [here, there] = [await domain(), await domain()]
    const [one, other] = [await user(here), await user(here)]
    expect(await refusal(user(here, { name: one.name }))).toMatchObject(named)
    expect(await refusal(port.users.update(cloud.operator, here.id, other.id, { name: one.name }))).toMatchObject(named)
    await expect.poll(() => rowOf.user(other.id)).toEqual(other)
    expect(await user(there, { name: one.name })).toMatchObject({ domain_id: there.id })
  })

  test('does not find users in other domains, or users that do not exist', async () => {
    const { port, cloud, domain, user, rowOf } = given
    const { operator } = cloud
    const [here, there] = [await domain(), await domain()]
    const made = await user(here)
    for (const [domainId, id] of [
      [there.id, made.id],
      [here.id, randomUUID().replaceAll('-', '')],
    ] as const) {
      const change = port.users.update(operator, domainId, id, { description: 'Taken over' })
      expect(await refusal(change)).toMatchObject(notFound)
      expect(await refusal(port.users.delete(operator, domainId, id))).toMatchObject(notFound)
    }
    expect(await refusal(user({ id: randomUUID() }))).toMatchObject(notFound)
    await expect.poll(() => rowOf.user(made.id)).toEqual(made)
  })

  test('users cannot disable or delete themselves', async () => {
    const { port, cloud, domain, headOf } = given
    const home = await domain()
    const head = await headOf(home)
    const refused = { code: 'user_is_self' }
    const disable = port.users.update(head, home.id, head.user_id, { enabled: false })
    expect(await refusal(disable)).toMatchObject(refused)
    expect(await refusal(port.users.delete(head, home.id, head.user_id))).toMatchObject(refused)
    // users cannot change their own password without the current one either
    const password = port.users.update(head, home.id, head.user_id, { password: 'another horse 12' })
    expect(await refusal(password)).toMatchObject({ fields: { password: [expect.any(String)] } })
    expect(await cloud.identity.user(head.user_id)).toMatchObject({ enabled: true })
  })

  test('only system administrators can grant and revoke system permissions, only in the default domain', async () => {
    const { port, cloud, domain, user, headOf, rowOf, afterwards } = given
    const { operator, identity } = cloud
    const home = await domain()
    const head = await headOf(home)
    const { id } = await user(home)
    const asHead = port.users.update(head, home.id, id, { system_permissions: ['admin'] })
    expect(await refusal(asHead)).toMatchObject({
      code: 'forbidden',
      fields: { system_permissions: expect.anything() },
    })
    const elsewhere = port.users.update(operator, home.id, id, { system_permissions: ['viewer'] })
    expect(await refusal(elsewhere)).toMatchObject({ fields: { system_permissions: expect.anything() } })
    expect((await identity.user(id))?.roles).toEqual([])

    const viewer = await user({ id: DEFAULT_DOMAIN_ID }, { system_permissions: ['viewer'] })
    afterwards(() => port.users.delete(operator, DEFAULT_DOMAIN_ID, viewer.id))
    expect(viewer).toMatchObject({ role: 'viewer', system_permissions: ['viewer'] })
    expect((await identity.user(viewer.id))?.roles).toEqual(['viewer'])
    // a domain administrator who is not a system administrator cannot change such a user
    const inDefault = { ...head, domain_id: DEFAULT_DOMAIN_ID }
    for (const refused of await refusals([
      port.users.update(inDefault, DEFAULT_DOMAIN_ID, viewer.id, { enabled: false }),
      port.users.delete(inDefault, DEFAULT_DOMAIN_ID, viewer.id),
    ]))
      expect(refused).toMatchObject({ code: 'forbidden' })
    const taken = await port.users.update(operator, DEFAULT_DOMAIN_ID, viewer.id, { system_permissions: [] })
    expect(taken).toMatchObject({ role: 'none', system_permissions: [], enabled: true })
    await expect.poll(() => rowOf.user(viewer.id)).toEqual(taken)
    expect((await identity.user(viewer.id))?.roles).toEqual([])
  })
}

function assignmentTests(given: DirectoryFixture): void {
  const member = (project_id: string) => [{ project_id, role: 'project_member' as const }]

  test('assigns a project, changes the role, and unassigns the project if the role is set to none', async () => {
    const { port, cloud, domain, project, user, rowOf } = given
    const { operator, identity } = cloud
    const home = await domain()
    const [one, other] = [await project(home), await project(home)]
    const made = await user(home, { assigned_projects: [...member(one.id), ...member(other.id)] })
    const entered = async () => (await identity.projectsOf((await identity.user(made.id))!)).map(({ id }) => id)
    expect(new Set(made.assigned_projects)).toEqual(new Set([...member(one.id), ...member(other.id)]))
    expect(made.role).toBe('project_member')
    await expect.poll(() => rowOf.project(one.id)).toMatchObject({ members_count: 1 })
    expect(new Set(await entered())).toEqual(new Set([one.id, other.id]))
    const assign = (project_id: string, role: 'project_admin' | 'none') =>
      port.users.update(operator, home.id, made.id, { assigned_projects: [{ project_id, role }] })
    const raised = await assign(one.id, 'project_admin')
    expect(new Set(raised.assigned_projects)).toEqual(
      new Set([{ project_id: one.id, role: 'project_admin' }, ...member(other.id)]),
    )
    expect((await identity.user(made.id))?.assigned_projects).toContainEqual({
      project_id: one.id,
      role: 'project_admin',
    })
    // projects missing from the request stay assigned
    expect((await assign(one.id, 'none')).assigned_projects).toEqual(member(other.id))
    await expect.poll(() => rowOf.user(made.id)).toMatchObject({ assigned_projects: member(other.id) })
    await expect.poll(() => rowOf.project(one.id)).toMatchObject({ members_count: 0 })
    expect(await entered()).toEqual([other.id])
    // unassigning a project that is not assigned is not an error
    await assign(one.id, 'none')
  })

  test('refuses unknown projects and projects in other domains with a field error, and changes nothing', async () => {
    const { port, domain, project, user, headOf, rowOf, name } = given
    const [home, there] = [await domain(), await domain()]
    const [head, foreign] = [await headOf(home), await project(there)]
    const made = await user(home)
    for (const id of [foreign.id, randomUUID().replaceAll('-', '')]) {
      const change = { description: 'Changed', assigned_projects: member(id) }
      expect(await refusal(port.users.update(head, home.id, made.id, change))).toMatchObject(noProject)
    }
    await expect.poll(() => rowOf.user(made.id)).toEqual(made)
    await expect.poll(() => rowOf.project(foreign.id)).toEqual(foreign)
    const draft = { name: name('never') }
    expect(await refusal(user(home, { ...draft, assigned_projects: member(randomUUID()) }))).toMatchObject(noProject)
    // the name is still free: no user was created
    expect(await user(home, draft)).toMatchObject(draft)
  })

  test('a service account has only the service account role, and no permissions or groups', async () => {
    const { port, cloud, domain, project, user, group, rowOf, name } = given
    const { operator, identity } = cloud
    const home = await domain()
    const [one, other] = [await project(home), await project(home)]
    const crew = await group(home)
    const service = (project_id: string) => ({ project_id, role: 'service_account' as const })
    const made = await user(home, { assigned_projects: [service(one.id)] })
    expect(made).toMatchObject({ role: 'service_account', assigned_projects: [service(one.id)] })
    // a service account has no roles outside its projects
    expect(await identity.user(made.id)).toMatchObject({ roles: [], assigned_projects: [service(one.id)] })
    await expect.poll(() => rowOf.project(one.id)).toMatchObject({ members_count: 1 })

    const change = (it: UserChange) => refusal(port.users.update(operator, home.id, made.id, it))
    const atField = (field: string) => ({ code: 'validation', fields: { [field]: [expect.any(String)] } })
    expect(await change({ assigned_projects: member(other.id) })).toMatchObject(atField('assigned_projects'))
    expect(await change({ domain_permissions: ['image_upload'] })).toMatchObject(atField('domain_permissions'))
    const joining = port.groups.addMembers(operator, home.id, crew.id, [made.id])
    expect(await refusal(joining)).toMatchObject(atField('uuids'))
    await expect.poll(() => rowOf.user(made.id)).toEqual(made)
    const mixed = { name: name('mixed'), assigned_projects: [service(one.id), ...member(other.id)] }
    expect(await refusal(user(home, mixed))).toMatchObject(atField('assigned_projects'))

    // a group member cannot become a service account
    const person = await user(home)
    await port.groups.addMembers(operator, home.id, crew.id, [person.id])
    const turned = port.users.update(operator, home.id, person.id, { assigned_projects: [service(one.id)] })
    expect(await refusal(turned)).toMatchObject(atField('assigned_projects'))

    const wider = await port.users.update(operator, home.id, made.id, { assigned_projects: [service(other.id)] })
    expect(new Set(wider.assigned_projects)).toEqual(new Set([service(one.id), service(other.id)]))
    await port.projects.removeMembers(operator, home.id, one.id, [made.id])
    await expect.poll(() => rowOf.user(made.id)).toMatchObject({ assigned_projects: [service(other.id)] })
    // replacing all service account roles turns it into a normal user
    const people = { assigned_projects: member(other.id) }
    expect(await port.users.update(operator, home.id, made.id, people)).toMatchObject({ role: 'project_member' })
    expect((await identity.user(made.id))?.assigned_projects).toEqual(member(other.id))
  })

  test('removes members from a project, ignores other users, and keeps the remaining members', async () => {
    const { port, cloud, domain, project, user, rowOf } = given
    const home = await domain()
    const { id } = await project(home)
    const [one, two] = [
      await user(home, { assigned_projects: member(id) }),
      await user(home, { assigned_projects: [{ project_id: id, role: 'project_admin' }] }),
    ]
    const stranger = await user(home)
    await port.projects.removeMembers(cloud.operator, home.id, id, [two.id, stranger.id])
    await expect.poll(() => rowOf.user(two.id)).toMatchObject({ assigned_projects: [] })
    await expect.poll(() => rowOf.user(one.id)).toMatchObject({ assigned_projects: member(id) })
    await expect.poll(() => rowOf.project(id)).toMatchObject({ members_count: 1 })
    expect((await cloud.identity.user(two.id))?.assigned_projects).toEqual([])
  })

  test('grants and revokes permissions for the whole domain', async () => {
    const { port, cloud, domain, user, rowOf } = given
    const { operator, identity } = cloud
    const home = await domain()
    const { id } = await user(home)
    const set = (...domain_permissions: ('domain_admin' | 'image_upload' | 'quota_manager')[]) =>
      port.users.update(operator, home.id, id, { domain_permissions })
    for (const [wanted, role] of [
      [['image_upload', 'quota_manager'], 'none'],
      [['domain_admin', 'quota_manager'], 'domain_admin'],
      [[], 'none'],
    ] as const) {
      const changed = await set(...wanted)
      expect(new Set(changed.domain_permissions)).toEqual(new Set(wanted))
      expect(changed.role).toBe(role)
      await expect.poll(() => rowOf.user(id)).toEqual(changed)
      expect(new Set((await identity.user(id))?.roles)).toEqual(new Set(wanted))
    }
  })
}
