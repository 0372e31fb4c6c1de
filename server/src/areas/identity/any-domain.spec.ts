import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { passwordLinks } from '@mainstay/contract/identity/password-links'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { describe, expect, it } from 'vitest'
import {
  admin,
  makeProject,
  makeUser,
  name,
  operator,
  refusal,
  server,
  viewProject,
  viewUser,
  withDirectory,
} from '../../testing/directory-fixture'
import { PASSWORD } from '../../testing/personas'

/* `-` in place of a domain ID means any domain that the caller can see. */

withDirectory()
const domain_id = ANY_PARENT
const alpha = () => server.cast.domains['alpha']!.id
const beta = () => server.cast.domains['beta']!.id

describe('in any domain', () => {
  it('lets operators list users and projects in all domains and filter them by domain', async () => {
    const [one, other] = [await makeUser(), await makeUser({ name }, beta())]
    const list = async (query: object) =>
      (await server.call(users.list, { as: operator, params: { domain_id }, query: { name, ...query } })).data
    const domainsOf = (rows: { domain_id: string }[]) => rows.map((row) => row.domain_id).toSorted()
    expect(domainsOf(await list({}))).toEqual([alpha(), beta()].toSorted())
    expect((await list({ domain_id: beta() })).map(({ id }) => id)).toEqual([other.id])
    expect((await list({ domain_id: alpha() })).map(({ id }) => id)).toEqual([one.id])
    const ofOne = await server.call(users.list, { as: operator, params: { domain_id: beta() }, query: { name } })
    expect(ofOne.data.map(({ id }) => id)).toEqual([other.id])
    const all = await server.call(projects.list, { as: operator, params: { domain_id }, query: { limit: 100 } })
    const names = all.data.map((project) => project.name)
    expect(names).toEqual(expect.arrayContaining(['alpha-one', 'beta-one', 'demo']))
  })

  it('lets operators view, update and delete objects by ID alone', async () => {
    const user = await makeUser({ name }, beta())
    const params = { domain_id, id: user.id }
    expect(await server.call(users.view, { as: operator, params })).toEqual(user)
    const link = await server.call(passwordLinks.create, { as: operator, params })
    const { user_name, domain_name } = await server.call(passwordLinks.open, { body: { token: link.token } })
    expect([user_name, domain_name]).toEqual([user.name, 'beta'])
    const changed = await server.call(users.update, {
      as: operator,
      params,
      body: { enabled: false, password: `${PASSWORD}!` },
    })
    expect(changed).toMatchObject({ id: user.id, domain_id: beta(), enabled: false })
    await server.call(users.delete, { as: operator, params })
    expect(await refusal(server.call(users.view, { as: operator, params }))).toMatchObject({ code: 'not_found' })
    const project = await makeProject()
    const at = { domain_id, id: project.id }
    await server.call(projects.update, { as: operator, params: at, body: { description: 'seen' } })
    expect(await viewProject(project.id)).toMatchObject({ description: 'seen' })
    const body = { uuids: [project.id] }
    await server.call(projects.deleteSeveral, { as: operator, params: { domain_id }, body })
    expect(await refusal(viewProject(project.id))).toMatchObject({ code: 'not_found' })
  })

  it('lets operators add and remove members in any domain', async () => {
    const user = await makeUser({ name }, beta())
    const { id } = server.cast.projects['beta-two']!
    const assigned_projects = [{ project_id: id, role: 'project_member' as const }]
    await server.call(users.update, { as: operator, params: { domain_id, id: user.id }, body: { assigned_projects } })
    const members = async () =>
      (await server.call(projects.members, { as: operator, params: { domain_id, id } })).data.map((it) => it.id)
    expect(await members()).toContain(user.id)
    await server.call(projects.removeMembers, { as: operator, params: { domain_id, id }, body: { uuids: [user.id] } })
    expect(await members()).not.toContain(user.id)
  })

  it('limits domain administrators to their own domain', async () => {
    const [own, foreign] = [await makeUser(), await makeUser({ name: `${name}_far` }, beta())]
    const list = await server.call(users.list, { as: admin, params: { domain_id }, query: { limit: 100 } })
    expect(new Set(list.data.map((row) => row.domain_id))).toEqual(new Set([alpha()]))
    await server.call(users.update, { as: admin, params: { domain_id, id: own.id }, body: { description: 'mine' } })
    expect(await viewUser(own.id)).toMatchObject({ description: 'mine' })
    const params = { domain_id, id: foreign.id }
    const body = { uuids: [foreign.id] }
    for (const call of [
      () => server.call(users.view, { as: admin, params }),
      () => server.call(users.update, { as: admin, params, body: { enabled: false } }),
      () => server.call(users.delete, { as: admin, params }),
      () => server.call(users.deleteSeveral, { as: admin, params: { domain_id }, body }),
    ])
      expect(await refusal(call())).toMatchObject({ code: 'not_found' })
    const visible = await server.call(users.view, { as: operator, params })
    expect(visible).toMatchObject({ id: foreign.id, enabled: true })
  })

  it('shows project members only their own project', async () => {
    const { data } = await server.call(projects.list, { as: 'project-member', params: { domain_id } })
    expect(data.map(({ id }) => id)).toEqual([server.cast.projects['alpha-one']!.id])
    const users_ = server.call(users.list, { as: 'project-member', params: { domain_id } })
    expect(await refusal(users_)).toMatchObject({ code: 'forbidden' })
  })

  it('refuses to create an object without a domain', async () => {
    const made = server.call(projects.create, { as: operator, params: { domain_id }, body: { name } })
    expect(await refusal(made)).toMatchObject({ code: 'not_found' })
  })
})
