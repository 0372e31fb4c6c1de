import { domains } from '@mainstay/contract/identity/domains'
import { projects } from '@mainstay/contract/identity/projects'
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
  signIn,
  whoami,
} from '../../testing/directory-fixture'
import { PASSWORD } from '../../testing/personas'

withDirectory()

describe('domains', () => {
  const make = (draft: object = {}) => server.call(domains.create, { as: operator, body: { name, ...draft } })

  it('are listed, created, read, updated with PUT and deleted [CA-134] [CA-135] [CA-136] [CA-137]', async () => {
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

  it('have an ID, a name, a state and the number of their projects and users [EN-033]', async () => {
    const { id } = await make()
    const params = { domain_id: id }
    const project = await server.call(projects.create, { as: operator, params, body: { name } })
    const user = await makeUser({}, id)
    const other = await makeUser({ name: `${name}_2` }, id)
    const view = () => server.call(domains.view, { as: operator, params: { id } })
    expect(await view()).toMatchObject({ id, name, enabled: true, projects_count: 1, users_count: 2 })
    await server.call(domains.update, { as: operator, params: { id }, body: { enabled: false } })
    expect(await view()).toMatchObject({ id, name, enabled: false, projects_count: 1, users_count: 2 })
    await server.call(projects.delete, { as: operator, params: { ...params, id: project.id } })
    for (const one of [user, other])
      await server.call(users.delete, { as: operator, params: { ...params, id: one.id } })
    expect(await view()).toMatchObject({ projects_count: 0, users_count: 0 })
  })

  it('include a default domain that cannot be deleted or disabled [VA-067] [CO-042]', async () => {
    const params = { id: 'default' }
    expect(await server.call(domains.view, { as: operator, params })).toMatchObject({ id: 'default', name: 'Default' })
    const code = 'default_domain_protected'
    expect(await refusal(server.call(domains.delete, { as: operator, params }))).toMatchObject({ code })
    const disable = server.call(domains.update, { as: operator, params, body: { enabled: false } })
    expect(await refusal(disable)).toMatchObject({ code })
  })

  it('are deleted only if they have no projects, and with their users only on request [VA-068]', async () => {
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

  it('must have unique, valid names', async () => {
    await make()
    expect(await refusal(make())).toMatchObject({ code: 'duplicate_name', fields: ['name'] })
    for (const wrong of ['a', ' padded', 'new\nline', 'a/b', 'x'.repeat(65)])
      expect(await refusal(make({ name: wrong })), wrong).toMatchObject({ code: 'validation', fields: ['name'] })
  })

  it('end the sessions of their users when they are disabled', async () => {
    const { id } = await make()
    await makeUser({}, id)
    const token = await signIn(name, PASSWORD, name)
    await server.call(domains.update, { as: operator, params: { id }, body: { enabled: false } })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled', data: { subject: 'domain' } })
  })

  it('are visible to their own administrators only', async () => {
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

describe('objects of another domain', () => {
  it('appear in none of a domain’s lists, not even for operators', async () => {
    for (const domain of ['alpha', 'beta']) {
      const params = { domain_id: server.cast.domains[domain]!.id }
      for (const call of [projects.list, users.list]) {
        const { data } = await server.call(call, { as: operator, params, query: { limit: 200 } })
        expect(new Set(data.map(({ domain_id }) => domain_id))).toEqual(new Set([params.domain_id]))
      }
    }
  })

  it('are not found by any call from a domain administrator', async () => {
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
    // an operator cannot find the object through another domain either
    const elsewhere = server.call(users.view, { as: operator, params: { ...alpha, id: user } })
    expect(await refusal(elsewhere)).toMatchObject({ code: 'not_found' })
    expect(await server.call(users.view, { as: operator, params: { ...beta, id: user } })).toEqual(before)
  })
})
