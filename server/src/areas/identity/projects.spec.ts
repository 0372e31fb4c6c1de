import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { GiB } from '@mainstay/contract/core/bytes'
import { recycleBin } from '@mainstay/contract/storage/recycle-bin'
import { volumes } from '@mainstay/contract/storage/volumes'
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

describe('projects', () => {
  it('are listed page by page, created, read, updated and deleted [CA-138] [CA-139]', async () => {
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

  it('have ID, name, description, domain, tags, creation time and the number of members [EN-034]', async () => {
    const project = await server.call(projects.create, {
      as: admin,
      body: { name, description: 'of the shop', enabled: false, tags: ['a'] },
    })
    expect(project).toEqual({
      ...{ id: expect.any(String), name, description: 'of the shop', enabled: false, tags: ['a'], members_count: 0 },
      ...{ domain_id: server.cast.domains['alpha']!.id, created_at: expect.any(String) },
    })
    expect(Math.abs(Date.now() - Date.parse(project.created_at!))).toBeLessThan(60_000)
    for (const role of ['project_member', 'project_admin'] as const)
      await makeUser({ name: `${name}_${role}`, assigned_projects: [{ project_id: project.id, role }] })
    expect((await viewProject(project.id)).members_count).toBe(2)
  })

  it('are deleted only if they are empty; errors include counts, and bulk deletion skips them [CA-140]', async () => {
    const [empty, full] = [await makeProject(), await makeProject(`${name}_full`)]
    const member = await makeUser({ assigned_projects: [{ project_id: full.id, role: 'project_member' }] })
    const unscoped = await signIn(member.name)
    const { token } = await server.call(session.enterProject, { as: { token: unscoped }, params: { id: full.id } })
    const volume = await server.call(volumes.create, { as: { token }, body: { name: 'disk', size: GiB } })
    const deleteBoth = () =>
      refusal(server.call(projects.deleteSeveral, { as: admin, body: { uuids: [full.id, empty.id, full.id] } }))
    expect(await deleteBoth()).toMatchObject({
      code: 'not_all_deleted',
      message: expect.stringMatching(/^1 of 2 objects could not be deleted: This project is not empty/) as string,
      data: { deleted: [empty.id], failed: [{ id: full.id, err_code: 'project_not_empty' }] },
    })
    expect(await refusal(viewProject(empty.id))).toMatchObject({ code: 'not_found' })
    const alone = server.call(projects.delete, { as: admin, params: { id: full.id } })
    expect(await refusal(alone)).toMatchObject({ code: 'project_not_empty', data: { volumes: 1 } })
    await expect
      .poll(() => server.call(volumes.delete, { as: { token }, params: { id: volume.id } }).then(() => 'gone', String))
      .toBe('gone')
    // objects in the recycle bin also count as contents
    expect(await refusal(server.call(projects.delete, { as: admin, params: { id: full.id } }))).toMatchObject({
      code: 'project_not_empty',
      message: 'This project is not empty. It contains 1 object, including 1 in the recycle bin.',
      data: { recycleBin: 1 },
    })
    await server.call(recycleBin.empty, { as: { token } })
    await expect
      .poll(() => refusal(server.call(projects.delete, { as: admin, params: { id: full.id } })), { timeout: 20_000 })
      .toBe('no refusal')
    expect((await viewUser(member.id)).assigned_projects).toEqual([])
  })

  it('list their members with their project roles and remove members [CA-141]', async () => {
    const project = await makeProject()
    const [one, two] = await Promise.all(
      (['project_admin', 'project_member'] as const).map((role, at) =>
        makeUser({ name: `${name}_${at}`, assigned_projects: [{ project_id: project.id, role }] }),
      ),
    )
    await makeUser({ name: `${name}_3` })
    const members = async () =>
      (await server.call(projects.members, { as: admin, params: { id: project.id } })).data.map((it) => [
        it.id,
        it.role,
      ])
    expect(await members()).toEqual([
      [one!.id, 'project_admin'],
      [two!.id, 'project_member'],
    ])
    const body = { uuids: [one!.id] }
    await server.call(projects.removeMembers, { as: admin, params: { id: project.id }, body })
    expect(await members()).toEqual([[two!.id, 'project_member']])
    expect((await viewUser(one!.id)).assigned_projects).toEqual([])
    expect((await viewProject(project.id)).members_count).toBe(1)
  })

  it('show members only the projects that they belong to', async () => {
    const own = server.cast.projects['alpha-one']!.id
    const { data } = await server.call(projects.list, { as: 'project-member' })
    expect(data.map(({ id }) => id)).toEqual([own])
    const other = server.cast.projects['alpha-two']!.id
    const view = server.call(projects.view, { as: 'project-member', params: { id: other } })
    expect(await refusal(view)).toMatchObject({ code: 'not_found' })
    const members = server.call(projects.members, { as: 'project-member', params: { id: own } })
    expect(await refusal(members)).toMatchObject({ code: 'forbidden' })
  })

  it('refuse calls immediately after they are disabled', async () => {
    const project = await makeProject()
    await makeUser({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    const unscoped = await signIn(name)
    const { token } = await server.call(session.enterProject, { as: { token: unscoped }, params: { id: project.id } })
    await server.call(projects.update, { as: admin, params: { id: project.id }, body: { enabled: false } })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled', data: { subject: 'project' } })
  })
})

describe('the project of system scopes', () => {
  it('is hidden from lists and cannot be entered by administrators of its domain', async () => {
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

describe('/api/v2/compute/projects', () => {
  const found = async (as: Parameters<typeof server.signIn>[0], query: object = {}) =>
    (await server.call(session.computeProjects, { as, query })).data

  it('lists the projects of the caller, and projects in all domains for operators [CA-065]', async () => {
    const one = server.cast.projects['alpha-one']!
    const answer = await fetch(`${server.url}/api/v2/compute/projects/`, {
      headers: { 'x-auth-token': await server.signIn('project-member') },
    })
    const shown = { ...one, domain_name: 'alpha', enabled: true, description: '' }
    expect(await answer.json()).toEqual({ data: [shown] })
    const all = (await found(operator)).map((project) => project.name)
    expect(all).toEqual(expect.arrayContaining(['alpha-one', 'alpha-two', 'beta-one', 'beta-two', 'demo']))
    expect((await found('domain-admin')).map(({ domain_name }) => domain_name)).not.toContain('beta')
  })

  it('filters projects by name, ID and domain and pages through them', async () => {
    const one = server.cast.projects['alpha-one']!
    for (const as of [operator, 'project-member'] as const) {
      expect((await found(as, { name: 'alpha-one' })).map(({ id }) => id)).toEqual([one.id])
      expect((await found(as, { id: one.id })).map(({ id }) => id)).toEqual([one.id])
      expect(await found(as, { name: 'alpha' })).toEqual([])
      expect(await found(as, { domain_id: server.cast.domains['beta']!.id, name: 'alpha-one' })).toEqual([])
    }
    const whole = (await found(operator)).map(({ id }) => id)
    const seen: string[] = []
    for (let page = await found(operator, { limit: 2 }); page.length > 0;) {
      seen.push(...page.map(({ id }) => id))
      page = await found(operator, { limit: 2, marker: seen.at(-1) })
    }
    expect(seen).toEqual(whole)
  })
})
