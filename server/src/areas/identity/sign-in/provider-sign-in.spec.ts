import { account } from '@mainstay/contract/identity/account'
import { groups } from '@mainstay/contract/identity/groups'
import { handOver } from '@mainstay/contract/identity/hand-over'
import { identityProviders, type DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { passkeys } from '@mainstay/contract/identity/passkeys'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  admin,
  makeGroup,
  makeProject,
  makeUser,
  name,
  operator,
  refusal,
  server,
  viewUser,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { CLIENT, startOpenIdProvider, trustLoopback } from '../../../testing/outside/openid-provider'
import { browser, makeProvider, openIdCallback, withOwnProvider } from '../../../testing/outside/provider-fixture'
import { PASSWORD } from '../../../testing/personas'

withDirectory({ environment: trustLoopback })
let company: Awaited<ReturnType<typeof startOpenIdProvider>>
let provider: DomainProvider
const change = withOwnProvider(() => provider)
beforeAll(async () => {
  company = await startOpenIdProvider()
})
afterAll(async () => {
  await company.close()
})
const reasonAt = (place: string) => new URL(place).searchParams.get('reason')
beforeEach(async () => {
  await server.sql.query('delete from sign_in_failure')
})

describe('signing in with OpenID Connect', () => {
  let sub = ''
  beforeEach(async () => {
    company.open([openIdCallback()])
    sub = `subject-${name}`
    company.accounts[sub] = { preferred_username: `${name}@company.example`, email: 'ada@company.example' }
    provider = await makeProvider({ name, issuer: company.issuer })
  })

  /** Opens the provider, signs in there with the given subject and returns to the console. */
  async function signIn(one = browser(), as = sub, at = provider.id) {
    const { address } = await one.begin(at)
    const page = await one.follow(address)
    const place = new URL(page).pathname.startsWith('/choose/') ? await one.follow(`${page}?as=${as}`) : page
    return { place, as: { token: one.session() ?? '' } }
  }
  /** Adds a rule that gives the user a project role. */
  async function letWork() {
    const { id } = await makeProject()
    const rule = { name: 'Staff', claim: 'preferred_username', values: [`${name}@company.example`] }
    await change({ mapping: { rules: [{ ...rule, project_id: id, role: 'project_member' }] } })
  }
  const ofDomain = async (domain?: string) =>
    (await server.call(handOver.providers, { query: { ...(domain && { domain }) } })).data.map((it) => it.id)

  it('adds users to a privileged group only if a system administrator last changed the provider', async () => {
    const ofDefault = { domain_id: 'default' }
    await makeUser({ domain_permissions: ['domain_admin'] }, 'default')
    const { token } = await server.call(session.login, {
      body: { username: name, password: PASSWORD, domain: 'Default' },
    })
    const { id } = await makeGroup({}, 'default')
    const params = { ...ofDefault, id }
    const rule = { name: 'Crew', claim: 'preferred_username', values: [`${name}@company.example`], group_id: id }
    company.open([`${server.url}/auth/landing/openid/default`])
    const made = await server.call(identityProviders.create, {
      ...{ as: { token: token! }, params: ofDefault },
      body: { ...CLIENT, name, issuer: company.issuer, mapping: { rules: [rule] } },
    })
    const give = () =>
      refusal(server.call(groups.update, { as: operator, params, body: { system_permissions: ['admin'] } }))
    expect(await give()).toMatchObject({
      ...{ code: 'validation', fields: ['system_permissions'] },
      message: expect.stringContaining(`“${name}”`) as string,
    })
    // simulates a group that got its permissions before this check existed
    await server.sql.query(`update identity_group set roles = '{admin}' where id = $1`, [id])
    const rolesNow = async () => (await whoami((await signIn(browser(), sub, made.id)).as.token)).roles
    expect(await rolesNow()).not.toContain('admin')
    const ofProvider = { as: operator, params: { ...ofDefault, id: made.id } } as const
    await server.call(identityProviders.update, { ...ofProvider, body: { enabled: true } })
    expect(await rolesNow()).toContain('admin')
    await server.sql.query(`update identity_group set roles = '{}' where id = $1`, [id])
    expect(await give()).toBe('no refusal')
    await server.call(identityProviders.delete, { ...ofProvider, query: { delete_users: 'true' } })
  })

  it('creates a federated user at the first sign-in and starts a session [UI-050] [EN-001]', async () => {
    const one = browser()
    const { place, as } = await signIn(one)
    expect(new URL(place).pathname).toBe('/auth/success')
    const me = await whoami(as.token)
    expect(me).toMatchObject({
      ...{ name: `${name}@company.example`, email: 'ada@company.example', domain_name: 'alpha' },
      external_provider: provider.id,
    })
    expect(await viewUser(me.id)).toMatchObject({ identity_provider: provider.id, role: 'none', enabled: true })
    // signing in with another browser results in the same user
    expect((await whoami((await signIn()).as.token)).id).toBe(me.id)
    // signing out ends the session
    await server.call(session.logout, { as })
    expect(await refusal(whoami(as.token))).toMatchObject({ code: 'unauthorized' })
  })

  it('uses PKCE and stores no secrets in readable form', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    const asked = new URL(address).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', redirect_uri: openIdCallback() },
      scope: 'openid email profile',
    })
    expect([asked.get('state'), asked.get('nonce'), asked.get('code_challenge')].map((it) => it!.length >= 43)).toEqual(
      [true, true, true],
    )
    const kept = await server.sql.query<{ row: string }>('select h::text as row from hand_over h')
    expect(kept.length).toBeGreaterThan(0)
    expect(JSON.stringify(kept)).not.toContain(Buffer.from(asked.get('nonce')!).toString('hex'))
  })

  it('is offered on the domain’s sign-in page while the provider is enabled', async () => {
    const alpha = server.cast.domains['alpha']!
    expect(await ofDomain(alpha.name)).toEqual([provider.id])
    expect(await ofDomain(alpha.id)).toEqual([provider.id])
    expect([await ofDomain('beta'), await ofDomain()]).toEqual([[], []])
    await change({ enabled: false })
    expect(await ofDomain(alpha.name)).toEqual([])
    expect((await browser().begin(provider.id)).status).toBe(404)
  })

  it('grants rights by rules and revokes them at the next sign-in if no claim grants them any longer', async () => {
    const group = await makeGroup()
    const other = await makeGroup({ name: `${name} by hand` })
    const project = await makeProject()
    const rules = [
      { name: 'Developers', values: ['dev'], group_id: group.id },
      { name: 'Leads', values: ['lead'], project_id: project.id, role: 'project_admin' },
      { name: 'Uploads', values: ['lead'], domain_permission: 'image_upload' },
    ]
    await change({ mapping: { rules } })
    company.accounts[sub]!['groups'] = ['dev', 'lead']
    const { id } = await whoami((await signIn()).as.token)
    expect(await viewUser(id)).toMatchObject({
      groups: [{ id: group.id }],
      domain_permissions: ['image_upload'],
      assigned_projects: [{ project_id: project.id, role: 'project_admin' }],
      role: 'project_member',
    })
    // rights granted by an administrator are kept
    await server.call(groups.addMembers, { as: admin, params: { id: other.id }, body: { uuids: [id] } })
    company.accounts[sub] = { preferred_username: `${name}_renamed`, email: 'new@company.example', groups: ['dev'] }
    await signIn()
    expect(await viewUser(id)).toMatchObject({
      ...{ name: `${name}_renamed`, email: 'new@company.example' },
      groups: [{ id: group.id }, { id: other.id }],
      ...{ domain_permissions: [], assigned_projects: [] },
    })
    delete company.accounts[sub]!['groups']
    await signIn()
    expect(await viewUser(id)).toMatchObject({ groups: [{ id: other.id }] })
    expect(await server.call(groups.view, { as: admin, params: { id: group.id } })).toMatchObject({ members_count: 0 })
  })

  it('accepts new keys after the provider has rotated them', async () => {
    expect(new URL((await signIn()).place).pathname).toBe('/auth/success')
    company.open([openIdCallback()])
    expect(new URL((await signIn()).place).pathname).toBe('/auth/success')
  })

  it('ends sessions and refuses API tokens as soon as the provider or the user is disabled', async () => {
    await letWork()
    const { as } = await signIn()
    const me = await whoami(as.token)
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const program = await server.call(account.createToken, { as, body: { name: 'backup', expires_at } })
    await change({ enabled: false })
    for (const token of [as.token, program.token])
      expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled' })
    await change({ enabled: true })
    await server.call(users.update, { as: admin, params: { id: me.id }, body: { enabled: false } })
    expect(await refusal(whoami(as.token))).toMatchObject({ code: 'access_disabled' })
    expect(reasonAt((await signIn()).place)).toBe('disabled')
  })

  it('notifies all servers of ended sessions', async () => {
    const { as } = await signIn()
    const { id } = await whoami(as.token)
    const [{ session_id } = { session_id: '' }] = await server.sql.query<{ session_id: string }>(
      'select id::text as session_id from session where user_id = $1',
      [id],
    )
    const ended = new Promise<void>((resolve) => {
      const stop = server.tools.sessions.onEnded((it) => {
        if (it !== session_id) return
        stop()
        resolve()
      })
    })
    await change({ enabled: false })
    await ended
  })

  it('creates a user whose name and password can only be changed at the provider [PE-019]', async () => {
    await letWork()
    const { as } = await signIn()
    const { id } = await whoami(as.token)
    for (const body of [{ name: 'other' }, { password: 'Correct horse 12!' }])
      expect(await refusal(server.call(users.update, { as: admin, params: { id }, body }))).toMatchObject({
        fields: Object.keys(body),
      })
    const body = { current_password: 'a', new_password: 'another horse 12' }
    expect(await refusal(server.call(session.changePassword, { as, body }))).toMatchObject({ code: 'unsupported' })
    const login = { username: `${name}@company.example`, password: 'x', domain: 'alpha' }
    expect(await refusal(server.call(session.login, { body: login }))).toMatchObject({ code: 'wrong_credentials' })
  })

  it('does not offer passkeys, because the provider authenticates the user', async () => {
    await letWork()
    const { as } = await signIn()
    expect(await server.call(passkeys.own, { as })).toEqual({ data: [], is_available: false })
    const body = { current_password: 'a' }
    for (const call of [
      () => server.call(passkeys.rename, { as, params: { id: 'any' }, body: { name: 'laptop' } }),
      () => server.call(passkeys.remove, { as, params: { id: 'any' }, body }),
    ])
      expect(await refusal(call())).toMatchObject({ code: 'unsupported' })
  })

  it('adds the user to no groups if the provider sends none, and is refused if a group is required', async () => {
    const group = await makeGroup()
    const rules = [{ name: 'Developers', values: ['dev'], group_id: group.id }]
    await change({ mapping: { rules } })
    delete company.accounts[sub]!['groups']
    const { id } = await whoami((await signIn()).as.token)
    expect(await viewUser(id)).toMatchObject({ groups: [], role: 'none' })
    await change({ mapping: { rules, unmatched: 'refuse' } })
    expect(reasonAt((await signIn()).place)).toBe('no_groups')
    for (const nothing of [[], '', null]) {
      company.accounts[sub]!['groups'] = nothing
      expect(reasonAt((await signIn()).place), JSON.stringify(nothing)).toMatch(/^(no_groups|unmatched)$/)
    }
    company.accounts[sub]!['groups'] = ['dev']
    expect(new URL((await signIn()).place).pathname).toBe('/auth/success')
  })

  it('refuses a username that is taken', async () => {
    await makeUser()
    const wide = [...name].map((it) => String.fromCodePoint(it.codePointAt(0)! + 0xfee0)).join('')
    for (const alike of [name, name.toUpperCase(), wide]) {
      company.accounts[sub] = { preferred_username: alike }
      expect([alike, reasonAt((await signIn()).place)]).toEqual([alike, 'name_taken'])
    }
  })

  it('can be cancelled at the provider', async () => {
    expect(reasonAt((await signIn(browser(), '')).place)).toBe('declined')
  })
})
