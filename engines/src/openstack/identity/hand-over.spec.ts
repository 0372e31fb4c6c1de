import { Secret } from '../../ports/secret'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startIdentityFixture, type IdentityFixture } from '../testing/identity-fixture'

const LANDING = 'https://console.example/auth/landing'
const company = { provider: 'company', protocol: 'openid', groups: [] as string[] }

let fixture: IdentityFixture
beforeEach(async () => {
  fixture = await startIdentityFixture()
  const { directory } = fixture
  directory.domains.push({ id: '0f', name: '0f', enabled: true })
  directory.users.push({
    id: 'u-fay',
    name: 'fay',
    password: '',
    domain: { id: 'd-alpha', name: 'alpha' },
    federated: [{ idp_id: 'company' }],
  })
  directory.providers.push(
    { id: 'company', description: 'The company', enabled: true, domain_id: 'd-alpha', protocols: ['openid'] },
    { id: 'partners', description: '', enabled: true, domain_id: '0f', protocols: ['saml2', 'openid'] },
    { id: 'closed', description: 'Closed', enabled: false, domain_id: 'd-alpha', protocols: ['openid'] },
  )
})
afterEach(() => fixture.close())

const tokenOf = (user: string, federation = company) => new Secret(fixture.fake.handOver(user, federation))

describe('identity providers', () => {
  it('lists enabled providers by protocol, with the name of their domain', async () => {
    expect(await fixture.open().handOver.providers()).toEqual([
      { id: 'partners:openid', name: 'partners (openid)', domain_name: null },
      { id: 'partners:saml2', name: 'partners (saml2)', domain_name: null },
      { id: 'company', name: 'The company', domain_name: 'alpha' },
    ])
  })

  it('lists none if the domain is disabled or the cloud has no federation', async () => {
    fixture.directory.domains.find(({ id }) => id === 'd-alpha')!.enabled = false
    const ids = async () => (await fixture.open().handOver.providers()).map(({ id }) => id)
    expect(await ids()).toEqual(['partners:openid', 'partners:saml2'])
    fixture.records.kept.clear()
    fixture.fake.on('identity', 'GET', '/OS-FEDERATION/identity_providers', () => ({ status: 404 }))
    fixture.fake.on('identity', 'GET', '/OS-FEDERATION/identity_providers', () => ({
      status: 403,
      body: { error: { code: 403, message: 'You are not authorized.' } },
    }))
    expect(await ids()).toEqual([])
  })

  it('lists the last known providers while the cloud is down', async () => {
    await fixture.open().handOver.providers()
    expect(await fixture.open('http://127.0.0.1:9/v3').handOver.providers()).toHaveLength(3)
  })
})

describe('starting a sign-in', () => {
  it("uses the cloud's public endpoint and returns to the console", async () => {
    const { handOver } = fixture.open()
    const address = new URL(await handOver.begin('partners:saml2', LANDING))
    expect(address.href).toContain(fixture.fake.endpoints.identity)
    expect(address.pathname).toMatch(
      /\/v3\/auth\/OS-FEDERATION\/identity_providers\/partners\/protocols\/saml2\/websso$/,
    )
    expect(Object.fromEntries(address.searchParams)).toEqual({ origin: LANDING })
    expect(await handOver.origin()).toBe(address.origin)
  })

  it('uses the configured URL if browsers require a different one', async () => {
    const { handOver } = fixture.open(fixture.fake.authUrl, 'https://login.example/identity')
    expect(await handOver.begin('company', LANDING)).toMatch(/^https:\/\/login\.example\/identity\/v3\/auth\//)
    expect(await handOver.origin()).toBe('https://login.example')
  })

  it.each(['closed', 'nobody', 'partners', '../company'])('refuses to start a sign-in at %s', async (id) => {
    await expect(fixture.open().handOver.begin(id, LANDING)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('handed-over tokens', () => {
  it('identifies the user of a token and keeps the token for their requests', async () => {
    const { directory, open } = fixture
    directory.assignments.push({ user: 'u-fay', project: 'p-one', role: 'member' })
    const { handOver, as } = open()
    const token = tokenOf('u-fay')
    const found = (await handOver.accept('company', token))!
    expect(found).toMatchObject({
      user: { id: 'u-fay', identity_provider: 'company', assigned_projects: [{ project_id: 'p-one' }] },
      bound: null,
    })
    expect(found.credential?.reveal()).toBe(token.reveal())
    expect(found.expires_at!.getTime()).toBeGreaterThan(Date.now())
    const scope = { kind: 'project', user_id: 'u-fay', user_name: 'fay', domain_id: 'd-alpha', roles: [] } as const
    const caller = await as({ ...scope, project_id: 'p-one', request_id: 'req', credential: found.credential })
    expect(await caller.has('compute')).toBe(true)
  })

  it('grants the roles of the groups listed in the latest token', async () => {
    const { directory, open } = fixture
    directory.assignments.push({ user: 'g-team', project: 'p-two', role: 'member' })
    directory.groups.push({ id: 'g-team', users: [], systemRoles: ['reader'] })
    const { handOver, identity } = open()
    const { user } = (await handOver.accept('company', tokenOf('u-fay', { ...company, groups: ['g-team'] })))!
    expect(user).toMatchObject({
      roles: ['viewer'],
      assigned_projects: [{ project_id: 'p-two', role: 'project_member' }],
    })
    expect((await identity.projectsOf(user)).map(({ name }) => name)).toEqual(['two'])
    // other processes know the role too
    expect(await open().identity.user('u-fay')).toMatchObject({ roles: ['viewer'] })
    const again = (await handOver.accept('company', tokenOf('u-fay')))!
    expect(again.user).toMatchObject({ roles: [], assigned_projects: [] })
  })

  it('applies inherited group roles to the projects in the domain, but not to the domain itself', async () => {
    fixture.fake.on('identity', 'GET', '/role_assignments', ({ query }) => ({
      body: {
        role_assignments:
          query.get('group.id') === 'g-heirs'
            ? [
                {
                  group: { id: 'g-heirs' },
                  role: { id: 'r-admin', name: 'project_admin' },
                  scope: { domain: { id: 'd-alpha' }, 'OS-INHERIT:inherited_to': 'projects' },
                },
              ]
            : [],
      },
    }))
    const token = tokenOf('u-fay', { ...company, groups: ['g-heirs'] })
    const { user } = (await fixture.open().handOver.accept('company', token))!
    expect(user.roles).toEqual([])
    expect(user.assigned_projects).toEqual([
      { project_id: 'p-one', role: 'project_admin' },
      { project_id: 'p-two', role: 'project_admin' },
    ])
  })

  it('refuses tokens that do not come from a sign-in through this provider', async () => {
    const { cloud, handOver } = fixture.open()
    fixture.directory.assignments.push({ user: 'u-fay', project: 'p-one', role: 'member' })
    const service = { method: 'password', user: { id: 'u-service' }, password: new Secret('service-secret') } as const
    const good = tokenOf('u-fay')
    const tokens: [string, Secret][] = [
      ['of a password', (await cloud.authenticate(service, 'unscoped')).id],
      ['of the service account', (await cloud.authenticate(service, { project: { id: 'p-admin' } })).id],
      ['of a project', (await cloud.authenticate({ method: 'token', token: good }, { project: { id: 'p-one' } })).id],
      ['of another provider', tokenOf('u-fay', { ...company, provider: 'partners' })],
      ['of another protocol', tokenOf('u-fay', { ...company, protocol: 'saml2' })],
      ['made up', new Secret('gAAAA0123456789')],
    ]
    for (const [what, token] of tokens) expect([what, await handOver.accept('company', token)]).toEqual([what, null])
    expect(await handOver.accept('closed', good)).toBeNull()
    expect(await handOver.accept('company', good)).not.toBeNull()
    fixture.fake.expireTokens()
    expect(await handOver.accept('company', good)).toBeNull()
  })

  it('reports an unreachable cloud instead of refusing the token', async () => {
    await fixture.open().handOver.providers()
    const { handOver } = fixture.open('http://127.0.0.1:9/v3')
    await expect(handOver.accept('company', tokenOf('u-fay'))).rejects.toMatchObject({ code: 'engine_unavailable' })
  })
})
