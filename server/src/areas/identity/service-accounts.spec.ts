import type { ApiTokenDraft } from '@mainstay/contract/identity/account'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { describe, expect, it } from 'vitest'
import { mayCall } from '../../session/signed-in'
import {
  admin,
  makeGroup,
  makeProject,
  makeUser,
  name,
  operator,
  refusal,
  server,
  signIn,
  viewUser,
  withDirectory,
} from '../../testing/directory-fixture'
import { PASSWORD, type PersonaName } from '../../testing/personas'

withDirectory()

const ahead = (days: number) => new Date(Date.now() + days * 24 * 3600_000).toISOString()
const inProject = (project_id: string) => [{ project_id, role: 'service_account' as const }]

/** Creates a project in domain alpha and a service account for it, without a password. */
async function makeService() {
  const project = await makeProject()
  const user = await makeUser({ password: undefined, assigned_projects: inProject(project.id) })
  const draft = (more: Partial<ApiTokenDraft> = {}) => ({
    ...{ name: 'nightly', project_id: project.id, expires_at: ahead(30), ...more },
  })
  const make = (more: Partial<ApiTokenDraft> = {}, as: PersonaName = admin) =>
    server.call(serviceTokens.create, {
      as,
      params: { id: user.id },
      body: draft(more) as ApiTokenDraft & { project_id: string },
    })
  const list = async (as: PersonaName = admin) =>
    (await server.call(serviceTokens.list, { as, params: { id: user.id, domain_id: user.domain_id } })).data
  return { project, user, draft, make, list }
}
const whoami = (token: string) => server.call(session.whoami, { as: { token } })
const over = { status: 401, code: 'unauthorized' }

describe('a service account', () => {
  it('is created by a domain administrator with its own role and without a password', async () => {
    const { user, project } = await makeService()
    expect(user).toMatchObject({
      role: 'service_account',
      password_state: 'none',
      assigned_projects: inProject(project.id),
    })
    const { data } = await server.call(users.list, { as: admin, query: { role: 'service_account', name } })
    expect(data.map(({ id }) => id)).toEqual([user.id])
    const members = await server.call(projects.members, { as: admin, params: { id: project.id } })
    expect(members.data).toMatchObject([{ id: user.id, role: 'service_account' }])
  })

  it('cannot have other roles, and errors name the field', async () => {
    const { user, project } = await makeService()
    const group = await makeGroup()
    const change = (body: object) => refusal(server.call(users.update, { as: admin, params: { id: user.id }, body }))
    const other = await makeProject(`${name}_other`)
    expect(await change({ assigned_projects: [{ project_id: other.id, role: 'project_member' }] })).toMatchObject({
      ...{ code: 'validation', fields: ['assigned_projects'] },
    })
    expect(await change({ domain_permissions: ['quota_manager'] })).toMatchObject({ fields: ['domain_permissions'] })
    const joining = server.call(groups.addMembers, { as: admin, params: { id: group.id }, body: { uuids: [user.id] } })
    expect(await refusal(joining)).toMatchObject({ code: 'validation', fields: ['uuids'] })
    expect(await viewUser(user.id)).toMatchObject({ role: 'service_account', assigned_projects: inProject(project.id) })
  })

  it('cannot get its role through a group', async () => {
    const project = await makeProject()
    const body = { name, assigned_projects: inProject(project.id) as never }
    expect(await refusal(server.call(groups.create, { as: admin, body }))).toMatchObject({ code: 'validation' })
  })
})

describe('tokens of a service account', () => {
  it('are created by domain administrators, shown once, bound to a project and listed without the secret', async () => {
    const { project, user, make, list } = await makeService()
    const made = await make({ name: 'nightly backup' })
    expect(made).toMatchObject({ name: 'nightly backup', project_id: project.id, read_only: false, last_used_at: null })
    const who = await whoami(made.token)
    expect(who).toMatchObject({ id: user.id, project_id: project.id, roles: ['service_account'] })
    await server.call(sshKeys.list, { as: { token: made.token } })
    const other = server.cast.projects['alpha-one']!.id
    const entering = server.call(session.enterProject, { as: { token: made.token }, params: { id: other } })
    await expect(entering).rejects.toMatchObject({ code: 'forbidden' })
    const listed = await list()
    expect(listed).toMatchObject([{ id: made.id, name: 'nightly backup', project_name: name }])
    expect(listed[0]!.last_used_at).not.toBeNull()
    expect(JSON.stringify(listed)).not.toContain(made.token)
    expect(await list(operator)).toEqual(listed)
  })

  it('require a unique name, a project and an expiry date', async () => {
    const { make, draft, user } = await makeService()
    await make()
    expect(await refusal(make({ name: 'NIGHTLY' }))).toMatchObject({ code: 'duplicate_name', fields: ['name'] })
    for (const expires_at of [ahead(-1), ahead(400)])
      expect(await refusal(make({ name: 'x', expires_at }))).toMatchObject({ fields: ['expires_at'] })
    const { project_id: _, ...everywhere } = draft({ name: 'x' })
    const unbound = server.call(serviceTokens.create, { as: admin, params: { id: user.id }, body: everywhere as never })
    expect(await refusal(unbound)).toMatchObject({ code: 'validation', fields: ['project_id'] })
    const elsewhere = server.cast.projects['alpha-one']!.id
    expect(await refusal(make({ name: 'x', project_id: elsewhere }))).toMatchObject({ code: 'not_found' })
  })

  it('are refused for users who are not service accounts', async () => {
    const project = await makeProject()
    const person = await makeUser({ assigned_projects: [{ project_id: project.id, role: 'project_member' }] })
    const params = { id: person.id, domain_id: person.domain_id }
    const body = { name: 'x', project_id: project.id, expires_at: ahead(1) }
    for (const as of [admin, operator] as const) {
      expect(await refusal(server.call(serviceTokens.create, { as, params, body }))).toMatchObject({ code: 'conflict' })
      expect(await refusal(server.call(serviceTokens.list, { as, params }))).toMatchObject({ code: 'conflict' })
    }
  })

  it('are hidden from other domains and can be managed by administrators only', async () => {
    const { make, user } = await makeService()
    const { id: token_id } = await make()
    const params = { id: user.id }
    const body = { name: 'x', project_id: user.assigned_projects[0]!.project_id, expires_at: ahead(1) }
    const beta = server.cast.domains['beta']!.id
    const { name: stranger } = await makeUser({ domain_permissions: ['domain_admin'] }, beta)
    const elsewhere = { token: await signIn(stranger, PASSWORD, 'beta') }
    for (const [as, code] of [
      [elsewhere, 'not_found'],
      ['project-member', 'forbidden'],
      ['viewer', 'forbidden'],
    ] as const) {
      expect(await refusal(server.call(serviceTokens.create, { as, params, body }))).toMatchObject({ code })
      const revoking = server.call(serviceTokens.revoke, { as, params: { ...params, token_id } })
      expect(await refusal(revoking)).toMatchObject({ code })
    }
  })

  it('are revoked individually and stop working when the account is disabled or leaves the project', async () => {
    const { make, list, user, project } = await makeService()
    const [one, two] = [await make(), await make({ name: 'second' })]
    const params = { id: user.id }
    await server.call(serviceTokens.revoke, { as: admin, params: { ...params, token_id: one.id } })
    await expect(whoami(one.token)).rejects.toMatchObject(over)
    expect((await list()).map(({ id }) => id)).toEqual([two.id])
    await server.call(users.update, { as: admin, params, body: { enabled: false } })
    await expect(whoami(two.token)).rejects.toMatchObject({ code: 'access_disabled' })
    await server.call(users.update, { as: admin, params, body: { enabled: true } })
    // a service account's token must never act for a person
    const person = [{ project_id: project.id, role: 'project_member' as const }]
    await server.call(users.update, { as: admin, params, body: { assigned_projects: person } })
    await expect(whoami(two.token)).rejects.toMatchObject(over)
  })

  it('are replaced by a token with the same name and rights, which revokes the old one [PE-015]', async () => {
    const { make, list, user, project } = await makeService()
    const former = await make({ read_only: true })
    const params = { id: user.id, token_id: former.id }
    const body = { expires_at: ahead(60) }
    const next = await server.call(serviceTokens.replace, { as: admin, params, body })
    expect(next).toMatchObject({ name: 'nightly', project_id: project.id, read_only: true, ...body })
    await expect(whoami(former.token)).rejects.toMatchObject(over)
    expect(await whoami(next.token)).toMatchObject({ id: user.id })
    expect((await list()).map(({ id }) => id)).toEqual([next.id])
    const again = server.call(serviceTokens.replace, { as: admin, params, body })
    expect(await refusal(again)).toMatchObject({ code: 'not_found' })

    // replacing a token deletes one and creates another, so it requires both permissions
    const { needs } = serviceTokens.replace
    expect(needs).toEqual({ ability: 'change', resource: 'domain_user' })
    expect(mayCall({ domain_user: 'UD' }, needs)).toBe(true)
    for (const letters of ['U', 'D', 'CRU', 'CRD'])
      expect(mayCall({ domain_user: letters }, needs), letters).toBe(false)
    const viewing = server.call(serviceTokens.replace, { as: 'viewer', params, body })
    expect(await refusal(viewing)).toMatchObject({ code: 'forbidden' })
  })
})
