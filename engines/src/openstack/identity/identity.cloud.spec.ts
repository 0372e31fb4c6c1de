import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import type { Problem } from '@mainstay/contract/core/problems'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cloudEnvironment } from '../../../../server/src/testing/cloud-server'
import type { Personas } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { cloudAccess } from '../testing/cloud-access'
import { signInPlainly, type PlainClient } from '../testing/plain-client'
import { fixturePrefix } from '../testing/cloud-fixture'

// satisfies rules for digits, letters and symbols, which random text alone may not
const password = `${randomBytes(12).toString('base64url')}-Aa1`
const prefix = `${fixturePrefix}${randomBytes(3).toString('hex')}-identity`
const nobody: Personas = { domains: {}, projects: {}, people: {} as Personas['people'] }

let admin: PlainClient
let server: TestServer
let domain: { id: string; name: string }
let project: { id: string; name: string }

beforeAll(async () => {
  admin = await signInPlainly(cloudAccess(process.env))
  domain = await made('domain', { name: prefix })
  project = await made('project', { name: `${prefix}-one`, domain_id: domain.id })
  server = await startServer({
    cast: nobody,
    environment: { ...cloudEnvironment(), MAINSTAY_WORLD: '', MAINSTAY_HYPERVISOR: '' },
  })
})
afterAll(async () => {
  await server?.close()
  if (!domain) return
  await admin.call('identity', 'PATCH', `/domains/${domain.id}`, { domain: { enabled: false } })
  await admin.call('identity', 'DELETE', `/domains/${domain.id}`)
})

async function made(
  kind: 'domain' | 'project' | 'user' | 'group',
  draft: object,
): Promise<{ id: string; name: string }> {
  const answer = await admin.call<Record<string, { id: string; name: string }>>('identity', 'POST', `/${kind}s`, {
    [kind]: draft,
  })
  return answer[kind]!
}
async function give(role: string, path: string): Promise<void> {
  const { roles } = await admin.call<{ roles: { id: string }[] }>('identity', 'GET', `/roles?name=${role}`)
  await admin.call('identity', 'PUT', path.replace('ROLE', roles[0]!.id))
}
/** Creates a user in the test's domain and assigns these roles, each on the given project or domain. */
async function somebody(name: string, ...places: [role: string, place: (userId: string) => string][]) {
  const user = await made('user', { name: `${prefix}-${name}`, domain_id: domain.id, password })
  for (const [role, place] of places) await give(role, place(user.id))
  return user
}
const inProject = (userId: string) => `/projects/${project.id}/users/${userId}/roles/ROLE`
const inDomain = (userId: string) => `/domains/${domain.id}/users/${userId}/roles/ROLE`
const inSystem = (userId: string) => `/system/users/${userId}/roles/ROLE`

const signIn = async ({ name }: { name: string }, word = password) =>
  (await server.call(session.login, { body: { username: name, password: word, domain: domain.name } })).token!
const enter = async (token: string) => server.call(session.enterProject, { as: { token }, params: { id: project.id } })
const makeKey = (as: { token: string }) =>
  server.call(sshKeys.generate, {
    as,
    body: { name: `${prefix}-key-${randomBytes(2).toString('hex')}`, type: 'ed25519' },
  })

describe('users in a real cloud', () => {
  it('signs in a user, who enters a project and acts with their own token', async () => {
    const user = await somebody('member', ['member', inProject])
    const token = await signIn(user)
    expect(await server.call(session.whoami, { as: { token } })).toMatchObject({
      id: user.id,
      name: user.name,
      domain_id: domain.id,
      domain_name: domain.name,
      roles: ['project_member'],
      is_superuser: false,
    })
    const { data } = await server.call(session.projects, { as: { token } })
    expect(data).toEqual([expect.objectContaining({ id: project.id, name: project.name, domain_name: domain.name })])
    const scoped = await enter(token)
    const { scope } = await server.call(session.meta, { as: scoped })
    expect(scope).toMatchObject({ kind: 'project', project_id: project.id })
    const key = await makeKey(scoped)
    expect(key).toMatchObject({ user_id: user.id })
    await server.call(sshKeys.delete, { as: scoped, params: { id: key.id } })
  })

  it('maps roles to permissions, including groups and inheritance', async () => {
    const group = await made('group', { name: `${prefix}-group`, domain_id: domain.id })
    await give('member', `/OS-INHERIT/domains/${domain.id}/groups/${group.id}/roles/ROLE/inherited_to_projects`)
    const byGroup = await somebody('by-group')
    await admin.call('identity', 'PUT', `/groups/${group.id}/users/${byGroup.id}`)
    const head = await somebody('head', ['admin', inDomain])
    const viewer = await somebody('viewer', ['reader', inSystem])
    const boss = await somebody('boss', ['admin', inSystem])
    const reader = await somebody('reader', ['reader', inProject])

    const kinds: string[] = []
    for (const user of [byGroup, head, viewer, boss, reader]) {
      const token = await signIn(user)
      const { scope } = await server.call(session.meta, { as: { token } })
      const { data } = await server.call(session.projects, { as: { token } })
      kinds.push(`${scope.kind} ${data.map(({ name }) => name).join()}`)
    }
    expect(kinds).toEqual([
      `none ${project.name}`,
      `domain ${project.name}`,
      'system ',
      `system ${project.name}`,
      'none ',
    ])
    expect(await makeKey(await enter(await signIn(byGroup)))).toMatchObject({ user_id: byGroup.id })
    // in the cloud, domain administrators have no role in the project
    await expect(makeKey(await enter(await signIn(head)))).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('keeps sessions open after a password change', async () => {
    const user = await somebody('changer', ['member', inProject])
    const [token, other] = [await signIn(user), await signIn(user)]
    const scoped = await enter(token)
    await makeKey(scoped)
    const next = `${password}-next`
    const wrong = { current_password: 'wrong', new_password: next, confirm_password: next }
    await expect(server.call(session.changePassword, { as: scoped, body: wrong })).rejects.toMatchObject({
      code: 'current_password_wrong',
    })
    await server.call(session.changePassword, { as: scoped, body: { ...wrong, current_password: password } })
    await makeKey(scoped)
    await makeKey(await enter(token))
    await expect(server.call(session.whoami, { as: { token: other } })).rejects.toMatchObject({ code: 'unauthorized' })
    await expect(signIn(user)).rejects.toMatchObject({ code: 'wrong_credentials' })
    expect(await signIn(user, next)).toBeTruthy()
  })

  it('revokes the access of a disabled user', async () => {
    const user = await somebody('disabled', ['member', inProject])
    const scoped = await enter(await signIn(user))
    await makeKey(scoped)
    await admin.call('identity', 'PATCH', `/users/${user.id}`, { user: { enabled: false } })
    await expect(signIn(user)).rejects.toMatchObject({ code: 'wrong_credentials' })
    // the cloud's services accept cached tokens for a while; the console notices sooner
    const refusal = () => server.call(session.whoami, { as: scoped }).then(String, ({ code }: Problem) => code)
    await expect.poll(refusal, { timeout: 60_000, interval: 2_000 }).toBe('access_disabled')
    await expect(makeKey(scoped)).rejects.toMatchObject({ code: 'access_disabled' })
    await server.tools.identity.setEnabled('user', user.id, true)
    expect(await signIn(user)).toBeTruthy()
  })
})
