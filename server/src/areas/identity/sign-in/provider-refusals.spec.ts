import { domains } from '@mainstay/contract/identity/domains'
import { handOver } from '@mainstay/contract/identity/hand-over'
import { identityProviders, type DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { admin, name, operator, refusal, server, whoami, withDirectory } from '../../../testing/directory-fixture'
import { startScriptedProvider, trustLoopback } from '../../../testing/outside/openid-provider'
import { createFederation } from '../../../federation/federation'
import { createHandOvers } from '../../../session/external-sign-ins'
import { openSealingKey } from '../../../settings/sealing-key'
import {
  browser,
  makeProvider,
  notedLog,
  openIdCallback,
  withOwnProvider,
} from '../../../testing/outside/provider-fixture'

/* An OpenID Connect provider that sends invalid responses or does not respond. */

const { lines, log } = notedLog()
withDirectory({ environment: trustLoopback, log })
let scripted: Awaited<ReturnType<typeof startScriptedProvider>>
let provider: DomainProvider
const change = withOwnProvider(() => provider)
beforeAll(async () => {
  scripted = await startScriptedProvider()
})
afterAll(() => scripted.close())
beforeEach(async () => {
  lines.length = 0
  scripted.reset()
  await server.sql.query('delete from sign_in_failure')
})

describe('refusing responses from an OpenID Connect provider', () => {
  beforeEach(async () => {
    provider = await makeProvider({ name, issuer: scripted.issuer, request_timeout: 20 })
  })
  const now = () => Math.floor(Date.now() / 1000)

  /** Starts a sign-in and returns with a code from the provider. `claims`: replaces valid claims in the ID token. */
  async function comeBack(claims: object = {}, { one = browser() } = {}) {
    const { address } = await one.begin(provider.id)
    const { state, nonce } = Object.fromEntries(new URL(address).searchParams)
    scripted.script.claims = {
      ...{ iss: scripted.issuer, aud: 'console', sub: name, nonce, iat: now(), exp: now() + 300 },
      ...{ preferred_username: name, ...claims },
    }
    const back = `${openIdCallback()}?${new URLSearchParams({ code: 'a-code', state: state! })}`
    return { back, one, place: await one.follow(back) }
  }
  /** Returns the reason shown to the user. The ID that is shown with it must be in the log. */
  async function reason(place: string) {
    const url = new URL(place)
    expect(url.pathname).toBe('/auth/failed')
    expect(lines.map(({ fields }) => fields['request_id'])).toContain(url.searchParams.get('id'))
    return url.searchParams.get('reason')
  }

  it('accepts a valid response and sends the PKCE code verifier', async () => {
    const { place, one } = await comeBack()
    expect(new URL(place).pathname).toBe('/auth/success')
    expect(await whoami(one.session()!)).toMatchObject({ name })
    expect(scripted.script.issuedTo.get('code_verifier')).toMatch(/^[\w.~-]{43,128}$/)
  })

  it.each([
    ['of a different issuer', { iss: 'https://other.example' }, 'provider_untrusted'],
    ['for another client', { aud: 'another' }, 'provider_untrusted'],
    ['for another of several clients', { aud: ['console', 'another'], azp: 'another' }, 'provider_untrusted'],
    ['with a different nonce', { nonce: 'another' }, 'provider_untrusted'],
    ['without a nonce', { nonce: undefined }, 'provider_untrusted'],
    ['without a subject', { sub: undefined }, 'provider_untrusted'],
    ['with an empty subject', { sub: '' }, 'provider_untrusted'],
    ['that expired two minutes ago', { exp: now() - 120 }, 'provider_clock'],
    ['issued two minutes in the future', { iat: now() + 120 }, 'provider_clock'],
    ['that becomes valid in two minutes', { nbf: now() + 120 }, 'provider_clock'],
    ['for several clients, without an authorized party', { aud: ['console', 'another'] }, 'provider_untrusted'],
    ['without a username', { preferred_username: undefined }, 'no_name'],
  ])('with an ID token %s', async (_, claims, expected) => {
    expect(await reason((await comeBack(claims)).place)).toBe(expected)
  })

  it('tolerates a clock skew of 30 seconds', async () => {
    for (const claims of [{ exp: now() - 30 }, { iat: now() + 30, nbf: now() + 30 }])
      expect(new URL((await comeBack(claims)).place).pathname).toBe('/auth/success')
  })

  it.each([
    ['signed with another key', () => ({ signWith: scripted.otherKey() })],
    ['signed with an unknown key', () => ({ header: { kid: 'unknown' } })],
    ['without a signature', () => ({ header: { alg: 'none' } })],
    ['signed with the client secret', () => ({ header: { alg: 'HS256' } })],
    ['that is missing', () => ({ token: () => ({ access_token: 'a', token_type: 'Bearer' }) })],
    ['that is malformed', () => ({ token: () => ({ access_token: 'a', token_type: 'Bearer', id_token: 'a.b.c' }) })],
    ['with the user info of another user', () => ({ userinfo: { sub: 'another', preferred_username: 'root' } })],
  ])('with an ID token %s', async (_, script) => {
    Object.assign(scripted.script, script())
    expect(await reason((await comeBack()).place)).toBe('provider_untrusted')
  })

  it.each([
    ['does not respond', { slow: '/token' }],
    ['returns errors', { status: 503 }],
  ])('with a reason if the provider %s', async (_, script) => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    const state = new URL(address).searchParams.get('state')!
    await change({ request_timeout: 1 })
    Object.assign(scripted.script, script)
    expect(await reason(await one.follow(`${openIdCallback()}?code=a&state=${state}`))).toBe('provider_unavailable')
  })

  it('does not start a sign-in if the provider is down', async () => {
    scripted.script.status = 503
    const { status } = await browser().begin(provider.id)
    expect(status).toBe(422)
  })

  it('refuses a response that was already used, or that this browser did not request', async () => {
    const { back, one } = await comeBack()
    expect(await reason(await one.follow(back))).toBe('stale')
    const other = browser()
    await other.begin(provider.id)
    const { address } = await browser().begin(provider.id)
    const state = new URL(address).searchParams.get('state')!
    expect(await reason(await other.follow(`${openIdCallback()}?code=a&state=${state}`))).toBe('stale')
    for (const query of ['', '?code=a', `?code=a&state=${'a'.repeat(43)}`, `?code=a&state=${state}&state=${state}`])
      expect(await reason(await other.follow(`${openIdCallback()}${query}`)), query).toBe('stale')
  })

  it('refuses a response that arrives ten minutes after the request', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    await server.sql.query("update hand_over set expires_at = now() - interval '1 second'")
    const state = new URL(address).searchParams.get('state')!
    expect(await reason(await one.follow(`${openIdCallback()}?code=a&state=${state}`))).toBe('stale')
  })

  it('accepts the response on another server in the same installation', async () => {
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

  it('refuses a response if the provider was disabled after the request', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    await change({ enabled: false })
    const state = new URL(address).searchParams.get('state')!
    expect(await reason(await one.follow(`${openIdCallback()}?code=a&state=${state}`))).toBe('disabled')
  })

  it('refuses a response if the domain was disabled after the request, and stops offering its providers', async () => {
    const offered = async () => {
      const { data } = await server.call(handOver.providers, { query: { domain: 'alpha' } })
      return data.map(({ id }) => id)
    }
    const one = browser()
    const { address } = await one.begin(provider.id)
    const state = new URL(address).searchParams.get('state')!
    const params = { id: server.cast.domains['alpha']!.id }
    expect(await offered()).toEqual([provider.id])
    await server.call(domains.update, { as: operator, params, body: { enabled: false } })
    try {
      expect(await offered()).toEqual([])
      expect((await browser().begin(provider.id)).status).toBe(404)
      expect(await reason(await one.follow(`${openIdCallback()}?code=a&state=${state}`))).toBe('disabled')
    } finally {
      await server.call(domains.update, { as: operator, params, body: { enabled: true } })
    }
  })

  it('refuses a response with two states even if the first one is valid', async () => {
    const one = browser()
    const { address } = await one.begin(provider.id)
    const state = new URL(address).searchParams.get('state')!
    scripted.script.token = () => ({ access_token: 'a', token_type: 'Bearer' })
    expect(await reason(await one.follow(`${openIdCallback()}?code=a&state=${state}&state=b`))).toBe('stale')
  })

  it('prefers the username in the ID token to the one in the user info', async () => {
    scripted.script.userinfo = { sub: name, preferred_username: 'root', email: 'more@company.example' }
    const { one } = await comeBack()
    expect(await whoami(one.session()!)).toMatchObject({ name, email: 'more@company.example' })
  })

  it('does not follow redirects from a provider', async () => {
    const body = { issuer: scripted.issuer, request_timeout: 20 }
    scripted.script.leadsTo = { '/.well-known/openid-configuration': '/elsewhere' }
    expect(await refusal(server.call(identityProviders.test, { as: admin, body }))).toMatchObject({
      code: 'provider_untrusted',
    })
    scripted.script.leadsTo = { '/token': '/elsewhere' }
    scripted.script.asked.length = 0
    expect(await reason((await comeBack()).place)).toBe('provider_untrusted')
    expect(scripted.script.asked).not.toContain('/elsewhere')
  })
})
