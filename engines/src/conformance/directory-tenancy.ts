import { randomUUID } from 'node:crypto'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { expect, test } from 'vitest'
import { refusal, refusals } from './cloud'
import { describeDirectorySuite, type DirectoryFixture, type StartDirectory } from './directory-fixture'

const named = { code: 'duplicate_name', fields: { name: [expect.any(String)] } }
const notFound = { code: 'not_found' }

/** Conformance tests for domains and projects. */
export function describeTenancy(start: StartDirectory): void {
  describeDirectorySuite('the directory of domains', start, domainTests)
  describeDirectorySuite('the directory of projects', start, projectTests)
}

function domainTests(given: DirectoryFixture): void {
  test('creates, lists, changes, disables, enables and deletes a domain', async () => {
    const { port, cloud, rowOf, name } = given
    const { operator, identity } = cloud
    const draft = { name: name('domain'), description: 'A customer', enabled: true }
    const made = await port.domains.create(operator, draft)
    expect(made).toMatchObject({ ...draft, projects_count: 0, users_count: 0 })
    await expect.poll(() => rowOf.domain(made.id)).toEqual(made)
    const change = { name: name('renamed'), description: 'Another one' }
    expect(await port.domains.update(operator, made.id, change)).toEqual({ ...made, ...change })
    expect(await port.domains.update(operator, made.id, { enabled: false })).toMatchObject({
      ...change,
      enabled: false,
    })
    expect(await identity.domain(made.id)).toMatchObject({ enabled: false })
    expect(await port.domains.update(operator, made.id, { enabled: true })).toEqual({ ...made, ...change })
    expect(await identity.domain(made.id)).toMatchObject({ name: change.name, enabled: true })
    await expect.poll(() => rowOf.domain(made.id)).toEqual({ ...made, ...change })
    await port.domains.delete(operator, made.id, { withUsers: false })
    await expect.poll(() => rowOf.domain(made.id)).toBeNull()
    expect(await identity.domain(made.id)).toBeNull()
    expect(await refusal(port.domains.delete(operator, made.id, { withUsers: true }))).toMatchObject(notFound)
    expect(await refusal(port.domains.update(operator, made.id, { description: '' }))).toMatchObject(notFound)
  })

  test('refuses a duplicate domain name', async () => {
    const { port, cloud, domain, rowOf } = given
    const [one, other] = [await domain(), await domain()]
    const again = { name: one.name, description: '', enabled: true }
    expect(await refusal(port.domains.create(cloud.operator, again))).toMatchObject(named)
    expect(await refusal(port.domains.update(cloud.operator, other.id, { name: one.name }))).toMatchObject(named)
    await expect.poll(() => rowOf.domain(other.id)).toEqual(other)
  })

  test('refuses to disable or delete the default domain', async () => {
    const { port, cloud } = given
    const refused = { code: 'default_domain_protected' }
    expect(await refusal(port.domains.update(cloud.operator, DEFAULT_DOMAIN_ID, { enabled: false }))).toMatchObject(
      refused,
    )
    expect(await refusal(port.domains.delete(cloud.operator, DEFAULT_DOMAIN_ID, { withUsers: true }))).toMatchObject(
      refused,
    )
    expect(await cloud.identity.domain(DEFAULT_DOMAIN_ID)).toMatchObject({ enabled: true })
  })

  test('refuses to delete a domain with projects, or with users unless they are to be deleted with it', async () => {
    const { port, cloud, domain, project, user, group, rowOf } = given
    const { operator, identity } = cloud
    const made = await domain()
    const [inside, member] = [await project(made), await user(made)]
    const crew = await group(made)
    await port.groups.addMembers(operator, made.id, crew.id, [member.id])
    await expect.poll(() => rowOf.domain(made.id)).toMatchObject({ projects_count: 1, users_count: 1 })
    const remove = (withUsers: boolean) => port.domains.delete(operator, made.id, { withUsers })
    expect(await refusal(remove(true))).toMatchObject({ code: 'domain_has_projects', data: { projects: 1 } })
    await port.projects.delete(operator, made.id, inside.id)
    expect(await refusal(remove(false))).toMatchObject({ code: 'domain_has_users', data: { users: 1 } })
    // the refused calls did not change the domain
    expect(await identity.domain(made.id)).toMatchObject({ enabled: true })
    await expect.poll(() => rowOf.domain(made.id)).toMatchObject({ enabled: true, projects_count: 0, users_count: 1 })
    await remove(true)
    expect(await identity.domain(made.id)).toBeNull()
    expect(await identity.user(member.id)).toBeNull()
    await expect
      .poll(async () => [await rowOf.domain(made.id), await rowOf.user(member.id), await rowOf.group(crew.id)])
      .toEqual([null, null, null])
  })
}

function projectTests(given: DirectoryFixture): void {
  test('creates, lists, counts, changes, disables and deletes a project', async () => {
    const { port, cloud, domain, rowOf, name } = given
    const { operator, identity } = cloud
    const home = await domain()
    const draft = { name: name('project'), description: 'The web shop', enabled: true, tags: ['blue', 'green'] }
    const made = await port.projects.create(operator, home.id, draft)
    expect(made).toMatchObject({ ...draft, domain_id: home.id, members_count: 0 })
    await expect.poll(() => rowOf.project(made.id)).toEqual(made)
    await expect.poll(() => rowOf.domain(home.id)).toMatchObject({ projects_count: 1 })
    const change = { name: name('renamed'), description: '', tags: ['red'] }
    expect(await port.projects.update(operator, home.id, made.id, change)).toEqual({ ...made, ...change })
    await port.projects.update(operator, home.id, made.id, { enabled: false })
    expect(await identity.project(made.id)).toMatchObject({ enabled: false, name: change.name })
    await expect.poll(() => rowOf.project(made.id)).toEqual({ ...made, ...change, enabled: false })
    const off = await port.projects.create(operator, home.id, { ...draft, name: name('off'), enabled: false })
    expect(off).toMatchObject({ enabled: false })
    for (const { id } of [made, off]) await port.projects.delete(operator, home.id, id)
    await expect.poll(() => rowOf.project(made.id)).toBeNull()
    expect(await identity.project(made.id)).toBeNull()
    await expect.poll(() => rowOf.domain(home.id)).toMatchObject({ projects_count: 0 })
    expect(await refusal(port.projects.delete(operator, home.id, made.id))).toMatchObject(notFound)
  })

  test('refuses a duplicate project name within a domain, but allows it in another domain', async () => {
    const { port, cloud, domain, project, rowOf } = given
    const [here, there] = [await domain(), await domain()]
    const [one, other] = [await project(here), await project(here)]
    expect(await refusal(project(here, { name: one.name }))).toMatchObject(named)
    const rename = port.projects.update(cloud.operator, here.id, other.id, { name: one.name })
    expect(await refusal(rename)).toMatchObject(named)
    await expect.poll(() => rowOf.project(other.id)).toEqual(other)
    expect(await project(there, { name: one.name })).toMatchObject({ name: one.name, domain_id: there.id })
  })

  test('does not find projects in other domains, or projects that do not exist', async () => {
    const { port, cloud, domain, project, user, rowOf } = given
    const { operator } = cloud
    const [here, there] = [await domain(), await domain()]
    const made = await project(here)
    const { id: userId } = await user(here, { assigned_projects: [{ project_id: made.id, role: 'project_member' }] })
    const before = await rowOf.project(made.id)
    for (const [domainId, id] of [
      [there.id, made.id],
      [here.id, randomUUID().replaceAll('-', '')],
      [randomUUID(), made.id],
    ] as const) {
      const refused = [
        port.projects.update(operator, domainId, id, { description: 'Taken over' }),
        port.projects.delete(operator, domainId, id),
        port.projects.removeMembers(operator, domainId, id, [userId]),
      ]
      for (const one of await refusals(refused)) expect(one).toMatchObject(notFound)
    }
    const draft = { name: given.name('nowhere'), description: '', enabled: true, tags: [] }
    expect(await refusal(port.projects.create(operator, randomUUID(), draft))).toMatchObject(notFound)
    await expect.poll(() => rowOf.project(made.id)).toEqual(before)
  })

  test('creates several projects concurrently and counts all of them', async () => {
    const { domain, project, rowOf } = given
    const home = await domain()
    const made = await Promise.all(Array.from({ length: 8 }, () => project(home)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(8)
    for (const one of made) await expect.poll(() => rowOf.project(one.id)).toEqual(one)
    await expect.poll(() => rowOf.domain(home.id)).toMatchObject({ projects_count: 8 })
  })

  test('a domain administrator creates projects in the domain and assigns users to them', async () => {
    const { port, domain, headOf, name, rowOf } = given
    const home = await domain()
    const head = await headOf(home)
    const draft = { name: name('hers'), description: '', enabled: true, tags: [] }
    const made = await port.projects.create(head, home.id, draft)
    const member = await given.user(home)
    const assigned_projects = [{ project_id: made.id, role: 'project_member' as const }]
    await port.users.update(head, home.id, member.id, { assigned_projects })
    await expect.poll(() => rowOf.project(made.id)).toMatchObject({ members_count: 1 })
    await port.projects.delete(head, home.id, made.id)
    await expect.poll(() => rowOf.user(member.id)).toMatchObject({ assigned_projects: [] })
  })
}
