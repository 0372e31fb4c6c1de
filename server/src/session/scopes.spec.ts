import { quotas } from '@mainstay/contract/compute/quotas'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instances } from '@mainstay/contract/compute/instances'
import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import { session } from '@mainstay/contract/identity/session'
import { resourceNames, type Role } from '@mainstay/contract/permissions'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../testing/personas'
import { startServer, type TestServer } from '../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

describe('projects', () => {
  it('lists all projects except the admin project', async () => {
    const as = { token: await server.login('superuser') }
    const names = (await server.call(session.projects, { as })).data.map(({ name }) => name)
    expect(names).toContain('demo')
    expect(names).not.toContain('admin')
    const listed = (await server.call(session.computeProjects, { as })).data.map(({ name }) => name)
    expect(listed).not.toContain('admin')
  })

  it('lists the projects that the user may enter, each with its enabled flag [CA-019]', async () => {
    const token = await server.login('service-account')
    const { id } = server.cast.projects['alpha-two']!
    const listed = async () => {
      const answer = await server.fetch(session.projects, { as: { token } })
      const { data } = (await answer.json()) as { data: { name: string; enabled: boolean }[] }
      return data.map(({ name, enabled }) => [name, enabled])
    }
    const all = (isTwoEnabled: boolean) => [
      ['alpha-one', true],
      ['alpha-two', isTwoEnabled],
      ['beta-one', true],
      ['beta-two', true],
    ]
    expect(await listed()).toEqual(all(true))
    await server.tools.identity.setEnabled('project', id, false)
    expect(await listed()).toEqual(all(false))
    await server.tools.identity.setEnabled('project', id, true)
    const anonymous = await server.fetch(session.projects)
    expect(anonymous.status).toBe(401)
  })

  it('lists all projects in the domain for a domain administrator, each with its enabled flag [PE-007]', async () => {
    const as = { token: await server.login('domain-admin') }
    const { id } = server.cast.projects['alpha-two']!
    const { id: domain_id } = server.cast.domains['alpha']!
    const listed = async () =>
      (await server.call(session.projects, { as })).data.map(({ name, enabled }) => [name, enabled])
    const made = await server.tools.identity.createProject({ name: 'alpha-three', domain_id })
    await server.tools.identity.setEnabled('project', id, false)
    const all = [
      ['alpha-one', true],
      ['alpha-three', true],
      ['alpha-two', false],
    ]
    expect(await listed()).toEqual(all)
    await server.tools.identity.setEnabled('project', id, true)
    await server.tools.identity.setEnabled('project', made.id, false)
    expect(await listed()).toEqual([all[0], ['alpha-three', false], ['alpha-two', true]])
    await server.sql.query('delete from identity_project where id = $1', [made.id])
  })

  it('returns a token that is limited to the entered project [CA-020] [PE-002] [EN-001]', async () => {
    const token = await server.login('domain-admin')
    expect((await server.call(session.meta, { as: { token } })).scope).toMatchObject({
      kind: 'domain',
      project_id: null,
    })
    const project = server.cast.projects['alpha-two']!
    const entered = await server.call(session.enterProject, { as: { token }, params: { id: project.id } })
    const meta = await server.call(session.meta, { as: entered })
    expect(meta.scope).toMatchObject({ kind: 'project', project_id: project.id, project_name: 'alpha-two' })
    const user = await server.call(session.whoami, { as: entered })
    expect(user).toMatchObject({ project_id: project.id, scoped_token: entered.token, token: null })
  })

  it('hides projects that the user may not enter', async () => {
    const token = await server.login('project-member')
    for (const id of [server.cast.projects['beta-one']!.id, server.cast.projects['alpha-two']!.id, 'gone'])
      await expect(server.call(session.enterProject, { as: { token }, params: { id } })).rejects.toMatchObject({
        code: 'not_found',
        message: 'Object you are referring to is not found',
      })
  })

  it('lets an operator enter every project as an administrator', async () => {
    const token = await server.signIn('compute-operator@beta-two')
    const { permissions, scope } = await server.call(session.meta, { as: { token } })
    expect(scope.kind).toBe('project')
    expect(permissions['compute_images']?.methods).toEqual(['POST', 'GET'])
  })

  it('lets a viewer enter only projects in which they have a role', async () => {
    await expect(server.signIn('viewer@beta-two')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('disabled access', () => {
  it.each([
    ['user', () => server.cast.people['other-member'].user.id],
    ['project', () => server.cast.projects['beta-one']!.id],
    ['domain', () => server.cast.domains['beta']!.id],
  ] as const)('is reported immediately on every call if the %s is disabled [ST-002]', async (kind, id) => {
    const token = await server.signIn('other-member')
    const calls = [session.whoami, session.meta, instances.list, computeCluster.view]
    await server.tools.identity.setEnabled(kind, id(), false)
    for (const endpoint of calls)
      await expect(server.call(endpoint, { as: { token } })).rejects.toMatchObject({
        code: 'access_disabled',
        status: 403,
        data: { subject: kind },
      })
    await server.tools.identity.setEnabled(kind, id(), true)
    await expect(server.call(session.whoami, { as: { token } })).resolves.toMatchObject({ name: 'other_member' })
  })
})

describe('the permissions of a token', () => {
  it.each([
    ['superuser', 'system', true],
    ['domain-admin', 'domain', true],
    ['project-member', 'project', true],
    ['service-account', 'project', false],
  ] as const)('depend on the kind of user: a %s has the scope %s [PE-001]', async (who, kind, inBrowser) => {
    const { scope } = await server.call(session.meta, { as: who })
    expect(scope.kind).toBe(kind)
    const { user, domain } = server.cast.people[who]
    const body = { username: user.name, password: PASSWORD, domain: domain.name }
    const answer = await server.fetch(session.login, { body, headers: { origin: server.url } })
    expect(answer.ok).toBe(inBrowser)
  })

  it('match the snapshot for all kinds of users', async () => {
    const people = [
      ...(['superuser', 'viewer', 'compute-operator', 'domain-admin'] as const),
      ...(['project-admin', 'project-member', 'service-account'] as const),
    ]
    const letters: Record<string, string> = { POST: 'C', GET: 'R', PATCH: 'U', DELETE: 'D' }
    const metas = await Promise.all(people.map((who) => server.call(session.meta, { as: who })))
    const cells = (ofOne: (meta: (typeof metas)[number]) => string) =>
      metas.map((meta) => (ofOne(meta) || '-').padEnd(8)).join('')
    // one line per resource with the name last, so that a longer name does not change other lines
    const lines = resourceNames.map((name) => {
      const rights = cells(({ permissions }) =>
        (permissions[name]?.methods ?? []).map((method) => letters[method] ?? '').join(''),
      )
      return `${rights}${name}`
    })
    expect(`\n${[people.join(' '), cells(({ scope }) => scope.kind), ...lines].join('\n')}\n`).toMatchSnapshot()
  })

  it("include each resource's name and methods [CA-015] [PE-017]", async () => {
    const { permissions } = await server.call(session.meta, { as: 'project-member' })
    expect(permissions['compute_servers']).toEqual({
      name: 'compute_servers',
      methods: ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'],
    })
    expect(permissions['compute_nodes']).toBeUndefined()
  })

  it('are complete for a system administrator by role admin, role superuser or is_superuser [PE-011]', async () => {
    const { id: domain_id } = server.cast.domains['alpha']!
    const grantsOf = async (name: string, draft: { roles?: Role[]; is_superuser?: boolean }) => {
      await server.tools.identity.createUser({ name, domain_id, password: PASSWORD, roles: [], ...draft })
      // the portal has no operator calls and therefore reports no rights for them
      const login = await fetch(`${server.adminUrl}${session.login.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: name, password: PASSWORD, domain: 'alpha' }),
      })
      const { token } = (await login.json()) as ReplyOf<typeof session.login>
      const meta = await fetch(`${server.adminUrl}${session.meta.path}`, { headers: { 'x-auth-token': token! } })
      const { permissions, scope } = (await meta.json()) as ReplyOf<typeof session.meta>
      return { kind: scope.kind, permissions }
    }
    const byRole = await grantsOf('by_admin', { roles: ['admin'] })
    expect(byRole).toMatchObject({
      kind: 'system',
      permissions: { settings_ldap: { methods: expect.arrayContaining(['POST']) } },
    })
    expect(await grantsOf('by_superuser', { roles: ['superuser'] })).toEqual(byRole)
    expect(await grantsOf('by_flag', { is_superuser: true })).toEqual(byRole)
    expect(await grantsOf('by_viewer', { roles: ['viewer'] })).not.toEqual(byRole)
  })

  it('include reading the API version and the release [CA-027] [EN-020]', async () => {
    const about = await server.call(session.about, { as: 'project-member' })
    expect(about['storage-release']).toEqual({ version: '7.1.0', release: 'test release' })
    expect((await server.fetch(session.about)).status).toBe(401)
  })

  it('are checked before any work is done', async () => {
    const params = { id: server.cast.projects['alpha-one']!.id }
    const token = await server.login('project-member')
    await expect(server.call(quotas.view, { as: { token }, params })).rejects.toMatchObject({ code: 'forbidden' })
    await expect(server.call(instances.start, { as: 'viewer', params: { id: 'x' }, body: {} })).rejects.toMatchObject({
      code: 'forbidden',
      status: 403,
    })
  })
})
