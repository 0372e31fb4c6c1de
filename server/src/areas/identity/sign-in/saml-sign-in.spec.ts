import { inflateRawSync } from 'node:zlib'
import { handOver } from '@mainstay/contract/identity/hand-over'
import type { DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
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
import { trustLoopback } from '../../../testing/outside/openid-provider'
import { browser, makeSamlProvider, samlNames, withOwnProvider } from '../../../testing/outside/provider-fixture'
import { startSamlProvider } from '../../../testing/outside/saml-provider'
import { makeSamlKey } from '../../../testing/outside/saml-response'

withDirectory({ environment: trustLoopback })
const otherKey = makeSamlKey()
let company: Awaited<ReturnType<typeof startSamlProvider>>
let provider: DomainProvider
const change = withOwnProvider(() => provider)
beforeAll(async () => {
  company = await startSamlProvider()
})
afterAll(() => company.close())

/** Parses the form on the provider's page. */
function formIn(html: string) {
  const unescaped = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const fields = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, field, value]) => [
    field,
    unescaped(value!),
  ])
  return {
    action: unescaped(/action="([^"]*)"/.exec(html)![1]!),
    fields: Object.fromEntries(fields) as Record<string, string>,
  }
}
const reasonAt = (place: string) => new URL(place).searchParams.get('reason')

describe('signing in with SAML', () => {
  beforeEach(async () => {
    const metadata = await fetch(samlNames().audience)
    expect(metadata.headers.get('content-type')).toContain('application/samlmetadata+xml')
    company.know(await metadata.text())
    company.accounts[name] = { mail: 'ada@company.example', groups: ['dev', 'lead & more'] }
    provider = await makeSamlProvider({ name, metadata_url: company.issuer, request_timeout: 20 })
  })

  /** Opens the provider, signs in there as the given user and submits the resulting form to the console. */
  async function signIn(one = browser(), as = name) {
    const { address } = await one.begin(provider.id)
    const { response } = await one.go(`${address}&as=${as}`)
    const { action, fields } = formIn(await response.text())
    const place = await one.follow(await one.post(action, fields))
    return { place, action, fields, token: one.session() ?? '' }
  }

  it('creates a federated user and applies the same rules as for OpenID Connect [UI-050]', async () => {
    const group = await makeGroup()
    const project = await makeProject()
    const rules = [
      { name: 'Developers', values: ['dev'], group_id: group.id },
      { name: 'Leads', values: ['lead & more'], project_id: project.id, role: 'project_admin' },
    ]
    await change({ mapping: { claims: provider.mapping.claims, rules } })
    const { place, token } = await signIn()
    expect(new URL(place).pathname).toBe('/auth/success')
    const me = await whoami(token)
    expect(me).toMatchObject({
      ...{ name, email: 'ada@company.example', domain_name: 'alpha', external_provider: provider.id },
    })
    expect(await viewUser(me.id)).toMatchObject({
      identity_provider: provider.id,
      groups: [{ id: group.id }],
      assigned_projects: [{ project_id: project.id, role: 'project_admin' }],
    })
    // the same user, who has left one of the groups
    company.accounts[name] = { mail: 'new@company.example', groups: 'dev' }
    expect((await whoami((await signIn()).token)).id).toBe(me.id)
    expect(await viewUser(me.id)).toMatchObject({ email: 'new@company.example', assigned_projects: [] })
    await server.call(session.logout, { as: { token } })
    expect(await refusal(whoami(token))).toMatchObject({ code: 'unauthorized' })
  })

  it('redirects to the provider with the issuer, the response URL and a relay state', async () => {
    const { address } = await browser().begin(provider.id)
    const asked = new URL(address)
    expect(asked.searchParams.get('tenant')).toBe('7')
    const xml = inflateRawSync(Buffer.from(asked.searchParams.get('SAMLRequest')!, 'base64')).toString()
    const { acs, audience } = samlNames()
    expect(xml).toContain(`AssertionConsumerServiceURL="${acs}"`)
    expect(xml).toContain(`<saml:Issuer>${audience}</saml:Issuer>`)
    // SAML limits the RelayState to 80 bytes
    expect(asked.searchParams.get('RelayState')).toMatch(/^[\w-]{43}$/)
    expect(/ ID="(_[0-9a-f]{40})"/.exec(xml)).not.toBeNull()
  })

  it('is offered on the domain’s sign-in page until the provider is disabled', async () => {
    const offered = async () =>
      (await server.call(handOver.providers, { query: { domain: 'alpha' } })).data.map((it) => it.id)
    expect(await offered()).toEqual([provider.id])
    const { token } = await signIn()
    await change({ enabled: false })
    expect(await offered()).toEqual([])
    expect(await refusal(whoami(token))).toMatchObject({ code: 'access_disabled' })
    expect((await browser().begin(provider.id)).status).toBe(404)
  })

  it('accepts a response only once and only for the request that it belongs to', async () => {
    const one = browser()
    const { action, fields } = await signIn(one)
    expect(reasonAt(await one.follow(await one.post(action, fields)))).toBe('stale')
    // a response to an earlier request must not complete another sign-in
    const other = browser()
    const { address } = await other.begin(provider.id)
    const RelayState = new URL(address).searchParams.get('RelayState')!
    expect(reasonAt(await other.follow(await other.post(action, { ...fields, RelayState })))).toBe('provider_untrusted')
  })

  it('refuses a response in a browser that did not start the sign-in', async () => {
    const mine = browser()
    const { address } = await mine.begin(provider.id)
    const { response } = await mine.go(`${address}&as=${name}`)
    const { action, fields } = formIn(await response.text())
    const victim = browser()
    await victim.begin(provider.id)
    expect(reasonAt(await victim.follow(await victim.post(action, fields)))).toBe('stale')
    expect(victim.session()).toBeUndefined()
    // the response cannot be used again
    expect(reasonAt(await mine.follow(await mine.post(action, fields)))).toBe('stale')
  })

  it('uses the provider’s current certificates', async () => {
    await change({ metadata: null, metadata_url: null, certificates: [otherKey.cert, company.certificate] })
    expect(new URL((await signIn()).place).pathname).toBe('/auth/success')
    await change({ certificates: [otherKey.cert] })
    expect(reasonAt((await signIn()).place)).toBe('provider_untrusted')
  })

  it('refuses a username that is taken', async () => {
    await makeUser()
    expect(reasonAt((await signIn()).place)).toBe('name_taken')
  })
})
