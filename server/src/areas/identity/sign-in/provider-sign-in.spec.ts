import { account } from '@mainstay/contract/identity/account'
import { groups } from '@mainstay/contract/identity/groups'
import { handOver } from '@mainstay/contract/identity/hand-over'
import { identityProviders, type DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  admin,
  makeGroup,
  makeProject,
  makeUser,
  name,
  refusal,
  server,
  viewUser,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { startOpenIdProvider, startScriptedProvider, trustLoopback } from '../../../testing/outside/openid-provider'
import { createFederation } from '../../../federation/federation'
import { createHandOvers } from '../../../session/hand-overs'
import { openSealingKey } from '../../../settings/sealing-key'
import { browser, makeProvider } from '../../../testing/outside/provider-fixture'

const lines: { fields: Record<string, unknown>; message: string }[] = []
const note = (fields: object, message: string) => void lines.push({ fields: { ...fields }, message })
withDirectory({
  environment: trustLoopback,
  log: { debug: () => undefined, info: note, warn: note, error: note },
})
let company: Awaited<ReturnType<typeof startOpenIdProvider>>
let scripted: Awaited<ReturnType<typeof startScriptedProvider>>
let provider: DomainProvider
beforeAll(async () => {
  company = await startOpenIdProvider()
  scripted = await startScriptedProvider()
})
afterAll(async () => {
  await company.close()
  await scripted.close()
})
const callback = () => `${server.url}/auth/landing/openid/${server.cast.domains['alpha']!.id}`
const change = (body: object) => server.call(identityProviders.update, { as: admin, params: { id: provider.id }, body })
const reasonAt = (place: string) => new URL(place).searchParams.get('reason')
beforeEach(async () => {
  lines.length = 0
  scripted.reset()
  await server.sql.query('delete from sign_in_failure')
})
afterEach(() =>
  server.call(identityProviders.delete, {
    as: admin,
    params: { id: provider.id },
    query: { delete_users: 'true' },
  }),
)

describe('signing in by OpenID Connect', () => {
  let sub = ''
  beforeEach(async () => {
    company.open([callback()])
    sub = `subject-${name}`
    company.accounts[sub] = { preferred_username: `${name}@company.example`, email: 'ada@company.example' }
    provider = await makeProvider({ name, issuer: company.issuer })
  })

  /** Goes to the provider, chooses who to be there, and comes back. */
  async function signIn(one = browser(), as = sub) {
    const { address } = await one.begin(provider.id)
    const page = await one.follow(address)
    const place = new URL(page).pathname.startsWith('/choose/') ? await one.follow(`${page}?as=${as}`) : page
    return { place, as: { token: one.session() ?? '' } }
  }
  /** A rule by which everybody at the provider works in a project. */
  async function letWork() {
    const { id } = await makeProject()
    const rule = { name: 'Staff', claim: 'preferred_username', values: [`${name}@company.example`] }
    await change({ mapping: { rules: [{ ...rule, project_id: id, role: 'project_member' }] } })
  }
  const ofDomain = async (domain?: string) =>
    (await server.call(handOver.providers, { query: { ...(domain && { domain }) } })).data.map((it) => it.id)

  it('makes a federated user of the domain at the first sign-in, and a session as a password does [UI-050]', async () => {
    const one = browser()
    const { place, as } = await signIn(one)
    expect(new URL(place).pathname).toBe('/auth/success')
    const me = await whoami(as.token)
    expect(me).toMatchObject({
      ...{ name: `${name}@company.example`, email: 'ada@company.example', domain_name: 'alpha' },
      external_provider: provider.id,
    })
    expect(await viewUser(me.id)).toMatchObject({ identity_provider: provider.id, role: 'none', enabled: true })
    // another browser brings the same user in
    expect((await whoami((await signIn()).as.token)).id).toBe(me.id)
    // and whoever signs out is out
    await server.call(session.logout, { as })
    expect(await refusal(whoami(as.token))).toMatchObject({ code: 'unauthorized' })
  })

  it('shows the provider proof of possession, and keeps nothing of it readable', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    const asked = new URL(address).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', redirect_uri: callback() },
      scope: 'openid email profile',
    })
    expect([asked.get('state'), asked.get('nonce'), asked.get('code_challenge')].map((it) => it!.length >= 43)).toEqual(
      [true, true, true],
    )
    const kept = await server.sql.query<{ row: string }>('select h::text as row from hand_over h')
    expect(kept.length).toBeGreaterThan(0)
    expect(JSON.stringify(kept)).not.toContain(Buffer.from(asked.get('nonce')!).toString('hex'))
  })

  it('is offered at the sign-in page of its domain alone, by name or id, while the provider is enabled', async () => {
    const alpha = server.cast.domains['alpha']!
    expect(await ofDomain(alpha.name)).toEqual([provider.id])
    expect(await ofDomain(alpha.id)).toEqual([provider.id])
    expect([await ofDomain('beta'), await ofDomain()]).toEqual([[], []])
    await change({ enabled: false })
    expect(await ofDomain(alpha.name)).toEqual([])
    expect((await browser().begin(provider.id)).status).toBe(404)
  })

  it('gives rights by rules, and a later sign-in takes back what no claim gives any more', async () => {
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
    // what an administrator gives stays
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

  it('goes on with keys that the provider has changed since', async () => {
    expect(new URL((await signIn()).place).pathname).toBe('/auth/success')
    company.open([callback()])
    expect(new URL((await signIn()).place).pathname).toBe('/auth/success')
  })

  it('ends at once when the provider is disabled, with tokens for programs, and the same for its user', async () => {
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

  it('tells every server of the sessions that end with the provider', async () => {
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

  it('makes a user whose name and password are not changed here [PE-019]', async () => {
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

  it('takes nobody’s name', async () => {
    await makeUser()
    company.accounts[sub] = { preferred_username: name }
    expect(reasonAt((await signIn()).place)).toBe('name_taken')
  })

  it('is left at the provider by whoever does not want to', async () => {
    expect(reasonAt((await signIn(browser(), '')).place)).toBe('declined')
  })
})

describe('an answer of a provider is refused', () => {
  beforeEach(async () => {
    provider = await makeProvider({ name, issuer: scripted.issuer, request_timeout: 20 })
  })
  const now = () => Math.floor(Date.now() / 1000)

  /** Begins a sign-in, and brings the browser back with a code. `claims`: of the ID token, beside those of the truth. */
  async function comeBack(claims: object = {}, { one = browser() } = {}) {
    const { address } = await one.begin(provider.id)
    const { state, nonce } = Object.fromEntries(new URL(address).searchParams)
    scripted.script.claims = {
      ...{ iss: scripted.issuer, aud: 'console', sub: name, nonce, iat: now(), exp: now() + 300 },
      ...{ preferred_username: name, ...claims },
    }
    const back = `${callback()}?${new URLSearchParams({ code: 'a-code', state: state! })}`
    return { back, one, place: await one.follow(back) }
  }
  /** The reason that people are told; the log has its id. */
  async function reason(place: string) {
    const url = new URL(place)
    expect(url.pathname).toBe('/auth/failed')
    expect(lines.map(({ fields }) => fields['request_id'])).toContain(url.searchParams.get('id'))
    return url.searchParams.get('reason')
  }

  it('only where it is wrong: the same one that says the truth is taken, with its proof of possession', async () => {
    const { place, one } = await comeBack()
    expect(new URL(place).pathname).toBe('/auth/success')
    expect(await whoami(one.session()!)).toMatchObject({ name })
    expect(scripted.script.issuedTo.get('code_verifier')).toMatch(/^[\w.~-]{43,128}$/)
  })

  it.each([
    ['of another issuer', { iss: 'https://other.example' }, 'provider_untrusted'],
    ['for another client', { aud: 'another' }, 'provider_untrusted'],
    ['for several, and not by us', { aud: ['console', 'another'], azp: 'another' }, 'provider_untrusted'],
    ['with another nonce', { nonce: 'another' }, 'provider_untrusted'],
    ['without a nonce', { nonce: undefined }, 'provider_untrusted'],
    ['without a subject', { sub: undefined }, 'provider_untrusted'],
    ['that is over for two minutes', { exp: now() - 120 }, 'provider_clock'],
    ['of two minutes ahead', { iat: now() + 120 }, 'provider_clock'],
    ['without a user name', { preferred_username: undefined }, 'no_name'],
  ])('with an ID token %s', async (_, claims, expected) => {
    expect(await reason((await comeBack(claims)).place)).toBe(expected)
  })

  it('not for a clock that differs by half a minute', async () => {
    for (const claims of [{ exp: now() - 30 }, { iat: now() + 30, nbf: now() + 30 }])
      expect(new URL((await comeBack(claims)).place).pathname).toBe('/auth/success')
  })

  it.each([
    ['that another key has signed', () => ({ signWith: scripted.otherKey() })],
    ['by a key that nobody knows', () => ({ header: { kid: 'unknown' } })],
    ['that nobody has signed', () => ({ header: { alg: 'none' } })],
    ['signed with the secret', () => ({ header: { alg: 'HS256' } })],
    ['that is missing', () => ({ token: () => ({ access_token: 'a', token_type: 'Bearer' }) })],
    ['that is none', () => ({ token: () => ({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c' }) })],
    ['beside the user info of somebody else', () => ({ userinfo: { sub: 'another', preferred_username: 'root' } })],
  ])('with an ID token %s', async (_, script) => {
    Object.assign(scripted.script, script())
    expect(await reason((await comeBack()).place)).toBe('provider_untrusted')
  })

  it.each([
    ['does not answer', { slow: '/token' }],
    ['answers with errors', { status: 503 }],
  ])('in words, where the provider %s', async (_, script) => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    const state = new URL(address).searchParams.get('state')!
    await change({ request_timeout: 1 })
    Object.assign(scripted.script, script)
    expect(await reason(await one.follow(`${callback()}?code=a&state=${state}`))).toBe('provider_unavailable')
  })

  it('before anybody leaves, where the provider is down', async () => {
    scripted.script.status = 503
    const { status } = await browser().begin(provider.id)
    expect(status).toBe(422)
  })

  it('that came before, that another browser has asked for, and that nobody has', async () => {
    const { back, one } = await comeBack()
    expect(await reason(await one.follow(back))).toBe('stale')
    const other = browser()
    await other.begin(provider.id)
    const { address } = await browser().begin(provider.id)
    const state = new URL(address).searchParams.get('state')!
    expect(await reason(await other.follow(`${callback()}?code=a&state=${state}`))).toBe('stale')
    for (const query of ['', '?code=a', `?code=a&state=${'a'.repeat(43)}`, `?code=a&state=${state}&state=${state}`])
      expect(await reason(await other.follow(`${callback()}${query}`)), query).toBe('stale')
  })

  it('ten minutes after it was asked for', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    await server.sql.query("update hand_over set expires_at = now() - interval '1 second'")
    const state = new URL(address).searchParams.get('state')!
    expect(await reason(await one.follow(`${callback()}?code=a&state=${state}`))).toBe('stale')
  })

  it('by no other server of the installation, to which the browser comes back', async () => {
    const { identity } = server.tools
    const another = createFederation({
      ...{ identity, handOvers: createHandOvers(server.sql), trusted: ['127.0.0.1'] },
      sealingKey: await openSealingKey({ sealingKey: null, dataFolder: server.folder }),
    })
    const { address, browserSecret } = await server.tools.federation.begin(provider.id, server.url)
    const { state, nonce } = Object.fromEntries(new URL(address).searchParams)
    scripted.script.claims = {
      ...{ iss: scripted.issuer, aud: 'console', sub: name, nonce, iat: now(), exp: now() + 300 },
      preferred_username: name,
    }
    const { look } = await another.accept(new URLSearchParams({ code: 'a-code', state: state! }), browserSecret)
    expect(await look()).toMatchObject({ user: { name, identity_provider: provider.id } })
    await another.close()
  })

  it('after the provider was disabled', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    await change({ enabled: false })
    const state = new URL(address).searchParams.get('state')!
    expect(await reason(await one.follow(`${callback()}?code=a&state=${state}`))).toBe('disabled')
  })
})
