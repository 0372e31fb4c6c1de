import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import type { MappingRule } from '@mainstay/contract/identity/provider-mapping'
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
  signIn,
  withDirectory,
} from '../../testing/directory-fixture'
import { CLIENT, startScriptedProvider, trustLoopback } from '../../testing/outside/openid-provider'
import { makeProvider } from '../../testing/outside/provider-fixture'

type Scripted = Awaited<ReturnType<typeof startScriptedProvider>>

withDirectory({ environment: trustLoopback })
let provider: Scripted
beforeAll(async () => {
  provider = await startScriptedProvider()
})
afterAll(() => provider.close())
beforeEach(() => provider.reset())

const issuer = 'https://login.example'
type Rule = Partial<MappingRule> & Pick<MappingRule, 'name' | 'values'>
const make = (more: object = {}) => makeProvider({ name, issuer, ...more })
const withRules = (...rules: Rule[]) => ({ mapping: { rules } })
const change = (id: string, body: object) => server.call(identityProviders.update, { as: admin, params: { id }, body })
const remove = (id: string, query = {}) => server.call(identityProviders.delete, { as: admin, params: { id }, query })
const preview = (body: object) => server.call(identityProviders.preview, { as: admin, body: body as never })
const test = (of: string, request_timeout = 20) =>
  server.call(identityProviders.test, { as: admin, body: { issuer: of, request_timeout } })

describe('identity providers of a domain', () => {
  it('can be managed by domain administrators and are hidden from other domains', async () => {
    const made = await make()
    expect(made).toMatchObject({ name, issuer, enabled: true, scope: 'openid email profile', has_secret: true })
    expect(await change(made.id, { enabled: false, scope: 'openid groups' })).toMatchObject({
      ...{ id: made.id, enabled: false, scope: 'openid groups', client_id: CLIENT.client_id, has_secret: true },
    })
    const params = { id: made.id }
    expect((await server.call(identityProviders.list, { as: admin })).data.map((it) => it.id)).toContain(made.id)
    const elsewhere = { domain_id: server.cast.domains['beta']!.id, ...params }
    for (const as of ['domain-admin', 'other-member'] as const)
      expect(await refusal(server.call(identityProviders.view, { as, params: elsewhere }))).toMatchObject({
        code: as === 'domain-admin' ? 'not_found' : 'forbidden',
      })
    expect(await refusal(server.call(identityProviders.view, { as: 'project-member', params }))).toMatchObject({
      code: 'forbidden',
    })
    // operators see providers in every domain
    expect(
      await server.call(identityProviders.view, { as: operator, params: { domain_id: made.domain_id, ...params } }),
    ).toMatchObject({ name })
    await remove(made.id)
    expect(await refusal(server.call(identityProviders.view, { as: admin, params }))).toMatchObject({
      code: 'not_found',
    })
  })

  it('never expose their secret in responses, rows or the audit log', async () => {
    const { id } = await make()
    const answers = JSON.stringify([
      await server.call(identityProviders.view, { as: admin, params: { id } }),
      await change(id, { client_secret: CLIENT.client_secret }),
    ])
    const rows = await server.sql.query<{ row: string }>(
      `select p::text as row from identity_provider p union all select r::text from resource r
        where kind = 'identity_provider' union all select a::text from audit a`,
    )
    const kept = `${answers}${rows.map(({ row }) => row).join()}`
    expect(kept).toContain(id)
    expect(kept).not.toContain(CLIENT.client_secret)
    expect(kept).not.toContain(Buffer.from(CLIENT.client_secret).toString('hex'))
    expect(await change(id, { client_secret: null })).toMatchObject({ has_secret: false })
  })

  it('require the secret again when their issuer or metadata URL changes', async () => {
    const { id } = await make()
    for (const elsewhere of [{ issuer: 'https://other.example' }, { metadata_url: 'https://other.example/metadata' }]) {
      expect(await refusal(change(id, elsewhere))).toMatchObject({ fields: ['client_secret'] })
      expect(await change(id, { ...elsewhere, client_secret: 'another' })).toMatchObject(elsewhere)
      await change(id, { issuer, metadata_url: null, client_secret: 'another' })
    }
  })

  it('must have unique names within their domain, ignoring case', async () => {
    await make()
    expect(await refusal(make({ name: name.toUpperCase() }))).toMatchObject({
      code: 'duplicate_name',
      fields: ['name'],
    })
  })

  it.each([
    ['issuer', { issuer: 'login.example' }],
    ['issuer', { issuer: 'javascript:alert(1)' }],
    ['issuer', { issuer: 'https://me@login.example' }],
    ['scope', { scope: 'email profile' }],
    ['request_timeout', { request_timeout: 31 }],
    ['response_type', { response_type: 'id_token' }],
    ['verify_ssl', { verify_ssl: false }],
    ['client_id', { client_id: '' }],
  ])('are refused with an error on the field %s', async (field, wrong) => {
    expect(await refusal(make(wrong))).toMatchObject({ code: 'validation', fields: [field] })
  })

  it('that have users are deleted only together with these users', async () => {
    const { id } = await make()
    const user = await makeUser()
    await server.sql.query('update identity_user set identity_provider = $2, subject = $3 where id = $1', [
      user.id,
      id,
      's',
    ])
    expect(await refusal(remove(id))).toMatchObject({ code: 'provider_has_users', data: { users: 1 } })
    expect(await refusal(change(id, { issuer: 'https://other.example', client_secret: 'a' }))).toMatchObject({
      ...{ code: 'conflict', fields: ['issuer'] },
    })
    await remove(id, { delete_users: 'true' })
    expect(await server.sql.query('select id from identity_user where id = $1', [user.id])).toEqual([])
  })
})

describe('mapping rules', () => {
  it('cannot share a target, and the error names both rules', async () => {
    const { id } = await makeGroup()
    const project = await makeProject()
    const twice = (target: object) =>
      refusal(make(withRules({ name: 'Staff', values: ['a'], ...target }, { name: 'Crew', values: ['b'], ...target })))
    for (const target of [
      { group_id: id },
      { domain_permission: 'image_upload' as const },
      { project_id: project.id, role: 'project_member' as const },
    ]) {
      const refused = await twice(target)
      expect(refused).toMatchObject({ code: 'validation', fields: [`mapping.rules.1.${Object.keys(target)[0]}`] })
      expect(JSON.stringify(refused)).toMatch(/“Staff” and “Crew”/)
    }
  })

  it('must have exactly one target, unique names and no duplicate values', async () => {
    const { id } = await makeGroup()
    const one = { name: 'Staff', values: ['a'], group_id: id }
    for (const [field, rules] of [
      ['0.group_id', [{ ...one, group_id: null }]],
      ['0.group_id', [{ ...one, domain_permission: 'image_upload' as const }]],
      ['0.role', [{ name: 'Staff', values: ['a'], project_id: 'p' }]],
      ['0.values', [{ ...one, values: [] }]],
      ['0.values', [{ ...one, values: ['a', 'a'] }]],
      ['1.name', [one, { name: 'Staff', values: ['a'], domain_permission: 'image_upload' as const }]],
    ] as const)
      expect(await refusal(make(withRules(...(rules as unknown as Rule[])))), field).toMatchObject({
        fields: [`mapping.rules.${field}`],
      })
  })

  it('accept only groups and projects in their own domain', async () => {
    const other = await makeGroup({}, server.cast.domains['beta']!.id)
    const project = server.cast.projects['beta-one']!
    expect(await refusal(make(withRules({ name: 'A', values: ['a'], group_id: other.id })))).toMatchObject({
      fields: ['mapping.rules.0.group_id'],
    })
    expect(
      await refusal(make(withRules({ name: 'A', values: ['a'], project_id: project.id, role: 'project_admin' }))),
    ).toMatchObject({ fields: ['mapping.rules.0.project_id'] })
  })

  it('that grant system permissions can be changed by system administrators only', async () => {
    const domain_id = 'default'
    const group = await makeGroup({ system_permissions: ['viewer'] }, domain_id)
    const body = { name, issuer, ...CLIENT, ...withRules({ name: 'Operators', values: ['ops'], group_id: group.id }) }
    const { id } = await server.call(identityProviders.create, { as: operator, params: { domain_id }, body })
    // domain administrator in the default domain, without system permissions
    await makeUser({ name: `${name}_admin`, domain_permissions: ['domain_admin'] }, domain_id)
    const as = { token: await signIn(`${name}_admin`, undefined, 'default') }
    const params = { domain_id, id }
    for (const refused of [
      () =>
        server.call(identityProviders.update, {
          as,
          params,
          body: { issuer: 'https://evil.example', client_secret: 'a' },
        }),
      () => server.call(identityProviders.delete, { as, params }),
      () =>
        server.call(identityProviders.create, { as, params: { domain_id }, body: { ...body, name: `${name} too` } }),
    ])
      expect(await refusal(refused())).toMatchObject({ code: 'forbidden' })
    await server.call(identityProviders.delete, { as: operator, params })
    await server.call(groups.delete, { as: operator, params: { domain_id, id: group.id } })
  })
})

describe('a preview of claims', () => {
  it('shows the username, email, groups, permissions, projects and matching rules', async () => {
    const group = await makeGroup()
    const project = await makeProject()
    const mapping = {
      claims: { name: 'login', email: 'mail', groups: 'realm.roles' },
      rules: [
        { name: 'Developers', values: ['dev', 'lead'], group_id: group.id },
        { name: 'Leads', values: ['lead'], project_id: project.id, role: 'project_admin' },
        { name: 'Uploads', claim: 'may_upload', values: ['true'], domain_permission: 'image_upload' },
        { name: 'Nobody', values: ['none'], domain_permission: 'quota_manager' },
      ],
    }
    const claims = {
      sub: '1',
      login: 'grace',
      mail: 'grace@x.example',
      realm: { roles: ['lead', 7] },
      may_upload: true,
    }
    expect(await preview({ mapping, claims })).toEqual({
      refusal: null,
      name: 'grace',
      email: 'grace@x.example',
      is_new: true,
      groups: [{ id: group.id, name }],
      domain_permissions: ['image_upload'],
      projects: [{ id: project.id, name, role: 'project_admin' }],
      rules: ['Developers', 'Leads', 'Uploads'],
    })
  })

  it.each([
    ['no_name', { sub: '1' }, {}],
    ['no_name', { sub: '1', preferred_username: ' ' }, {}],
    ['bad_name', { sub: '1', preferred_username: 'a\u202eb' }, {}],
    ['bad_name', { sub: '1', preferred_username: 'a'.repeat(256) }, {}],
    ['unmatched', { sub: '1', preferred_username: 'x', groups: ['other'] }, { unmatched: 'refuse' }],
    ['no_groups', { sub: '1', preferred_username: 'x' }, { unmatched: 'refuse' }],
    ['groups_withheld', { sub: '1', preferred_username: 'x', _claim_names: { groups: 'src1' } }, {}],
  ])('explains why the user would be refused: %s', async (reason, claims, more) => {
    const rules = [{ name: 'Uploads', values: ['dev'], domain_permission: 'image_upload' }]
    expect(await preview({ claims, mapping: { rules, ...more } })).toMatchObject({
      refusal: { reason, message: expect.stringMatching(/\w+ \w+/) },
      ...{ name: null, groups: [], rules: [] },
    })
  })

  it('reports that a username is taken and ignores an unverified email address', async () => {
    await makeUser()
    const claims = { sub: '1', preferred_username: name, email: 'a@x.example', email_verified: false }
    expect(await preview({ claims })).toMatchObject({ refusal: { reason: 'name_taken' }, email: null })
  })

  it('finds only users of providers in the same domain', async () => {
    const { id } = await make()
    const user = await makeUser()
    await server.sql.query('update identity_user set identity_provider = $2, subject = $3 where id = $1', [
      user.id,
      id,
      's',
    ])
    const body = { provider_id: id, claims: { sub: 's', preferred_username: name } }
    expect(await preview(body)).toMatchObject({ refusal: null, is_new: false })
    const domain_id = server.cast.domains['beta']!.id
    expect(await server.call(identityProviders.preview, { as: operator, params: { domain_id }, body })).toMatchObject({
      is_new: true,
    })
  })
})

describe('testing a provider', () => {
  it('reports the issuer and the number of keys', async () => {
    expect(await test(provider.issuer)).toEqual({ issuer: provider.issuer, keys: 1, has_userinfo: false })
  })

  it.each([
    ['metadata of a different issuer', { metadata: { issuer: 'https://other.example' } }, 'provider_untrusted'],
    ['no metadata', { body: 'nothing' }, 'provider_untrusted'],
    ['no keys', { keys: [] }, 'provider_untrusted'],
    ['an endless response', { metadata: { more: 'a'.repeat(300 * 1024) } }, 'provider_untrusted'],
    ['an endpoint on this server', { metadata: { token_endpoint: 'https://[::1]/token' } }, 'provider_untrusted'],
    ['a javascript: URL', { metadata: { authorization_endpoint: 'javascript:alert(1)' } }, 'provider_untrusted'],
    ['errors', { status: 500 }, 'provider_unreachable'],
    ['silence', { slow: '/.well-known/openid-configuration' }, 'provider_unreachable'],
  ])('refuses %s', async (what, script, code) => {
    Object.assign(provider.script, script)
    expect(await refusal(test(provider.issuer, what === 'silence' ? 1 : 20))).toMatchObject({
      code,
      fields: ['issuer'],
    })
  })

  it.each(['https://localhost', 'https://169.254.169.254', 'http://login.example'])(
    'sends no request to %s',
    async (address) => {
      expect(await refusal(test(address))).toMatchObject({ code: 'provider_unreachable', fields: ['issuer'] })
    },
  )

  it('shows error details about hosts in private networks to operators only', async () => {
    const params = { domain_id: server.cast.domains['alpha']!.id }
    const body = { issuer: 'https://10.255.255.254', request_timeout: 1 }
    const messageTo = async (as: typeof admin | typeof operator) => {
      const asked = [
        server.call(identityProviders.test, { as, params, body }),
        server.call(identityProviders.readMetadata, {
          ...{ as, params, body: { metadata_url: body.issuer, request_timeout: 1 } },
        }),
      ]
      return Promise.all(asked.map(async (it) => ((await refusal(it)) as { message: string }).message))
    }
    for (const message of await messageTo(admin)) expect(message).toMatch(/private network/)
    for (const message of await messageTo(operator)) expect(message).not.toMatch(/private network/)
  })
})
