import { identityProviders, type ProviderDraft } from '@mainstay/contract/identity/identity-providers'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { admin, name, refusal, server, withDirectory } from '../../testing/directory-fixture'
import { trustLoopback } from '../../testing/outside/openid-provider'
import { makeSamlProvider, samlNames } from '../../testing/outside/provider-fixture'
import { makeSamlKey, metadataXml, SAML_ISSUER, signedResponse, type Said } from '../../testing/outside/saml-response'
import { makeTestCertificate } from '../../testing/certificates/certificates'

withDirectory({ environment: trustLoopback })
const key = makeSamlKey()
const next = makeSamlKey()
const sso_url = 'https://saml.company.example/sso'
const fields = { issuer: SAML_ISSUER, sso_url, certificates: [key.cert] }
const base64 = (pem: string) => pem.replaceAll(/-----.*-----|\s/g, '')

const descriptor = (certificates: readonly string[], issuer = SAML_ISSUER, binding = 'Redirect') =>
  metadataXml({ certificates, issuer, binding, sso_url })

/** The document served at the metadata URL. */
let metadata = ''
let status = 200
let site: Server
let at = ''
beforeAll(async () => {
  site = createServer((_, response) => response.writeHead(status).end(metadata))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  at = `http://127.0.0.1:${(site.address() as AddressInfo).port}/metadata?of=us`
})
afterAll(() => new Promise((resolve) => site.close(resolve)))
beforeEach(async () => {
  metadata = descriptor([key.cert])
  status = 200
  const { data } = await server.call(identityProviders.list, { as: admin })
  for (const { id } of data) await server.call(identityProviders.delete, { as: admin, params: { id } })
})

const make = (draft: Partial<ProviderDraft>) => makeSamlProvider({ name, request_timeout: 20, ...draft })
const change = (id: string, body: object) => server.call(identityProviders.update, { as: admin, params: { id }, body })
const read = (body: object) => server.call(identityProviders.readMetadata, { as: admin, body })

describe('a SAML provider of a domain', () => {
  it('is created from a metadata URL, metadata XML or individual fields with the same result', async () => {
    const same = { protocol: 'saml', issuer: SAML_ISSUER, sso_url, client_id: null, scope: null, has_secret: false }
    const certificates = [expect.stringContaining(base64(key.cert).slice(0, 60))]
    const ways: [Partial<ProviderDraft>, string | null][] = [
      [{ metadata_url: at }, at],
      [{ metadata }, null],
      [fields, null],
      [{ ...fields, certificates: [base64(key.cert)] }, null],
    ]
    for (const [draft, metadata_url] of ways) {
      const made = await make(draft)
      expect(made).toMatchObject({ ...same, certificates, metadata_url })
      expect(await server.call(identityProviders.view, { as: admin, params: { id: made.id } })).toEqual(made)
      await server.call(identityProviders.delete, { as: admin, params: { id: made.id } })
    }
  })

  it('accepts a second certificate, and metadata in place of fields', async () => {
    const { id } = await make(fields)
    expect(await change(id, { certificates: [key.cert, next.cert] })).toMatchObject({
      certificates: [expect.any(String), expect.any(String)],
      ...{ issuer: SAML_ISSUER, sso_url },
    })
    metadata = descriptor([next.cert], 'urn:another')
    expect(await change(id, { metadata_url: at })).toMatchObject({ issuer: 'urn:another', metadata_url: at })
    expect(await refusal(change(id, { certificates: [key.cert] }))).toMatchObject({ fields: ['certificates'] })
    expect(await change(id, { metadata_url: null, certificates: [key.cert] })).toMatchObject({ metadata_url: null })
  })

  it.each<[string, object]>([
    ['issuer', { ...fields, issuer: null }],
    ['sso_url', { ...fields, sso_url: null }],
    ['sso_url', { ...fields, sso_url: 'javascript:alert(1)' }],
    ['certificates', { ...fields, certificates: [] }],
    ['certificates.1', { ...fields, certificates: [key.cert, 'nothing'] }],
    ['client_id', { ...fields, client_id: 'console' }],
    ['client_secret', { ...fields, client_secret: 'a' }],
    ['metadata', { metadata: '<a/>', metadata_url: 'https://login.example' }],
    ['sso_url', { protocol: 'openid', issuer: 'https://login.example', client_id: 'a', sso_url }],
    ['certificates', { protocol: 'openid', issuer: 'https://login.example', client_id: 'a', certificates: [key.cert] }],
    ['protocol', { ...fields, protocol: 'ldap' }],
  ])('is refused with an error on the field %s', async (field, draft) => {
    expect(await refusal(make(draft))).toMatchObject({ code: 'validation', fields: [field] })
  })

  it('refuses invalid changes and changes to fields for the other protocol', async () => {
    const { id } = await make(fields)
    for (const [field, value] of [
      ['client_id', 'a'],
      ['client_secret', 'a'],
      ['sso_url', null],
      ['certificates', []],
    ] as const)
      expect(await refusal(change(id, { [field]: value })), field).toMatchObject({ fields: [field] })
    const { id: other } = await server.call(identityProviders.create, {
      as: admin,
      body: { name: `${name} too`, issuer: 'https://login.example', client_id: 'a' },
    })
    expect(await refusal(change(other, { certificates: [key.cert] }))).toMatchObject({ fields: ['certificates'] })
    expect(await refusal(change(other, { issuer: 'urn:a' }))).toMatchObject({ fields: ['issuer'] })
  })
})

describe('metadata of a SAML provider', () => {
  it('provides the entity ID, sign-on URL and certificates with fingerprints', async () => {
    metadata = descriptor([key.cert, next.cert])
    const found = await read({ metadata_url: at, request_timeout: 20 })
    expect(found).toMatchObject({ issuer: SAML_ISSUER, sso_url })
    expect(found.certificates).toHaveLength(2)
    expect(found.certificates[0]).toEqual({
      pem: expect.stringContaining('BEGIN CERTIFICATE'),
      subject: 'CN=saml.company.example',
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      not_after: expect.stringMatching(/^\d{4}-/),
    })
  })

  it('that describes several providers is read for the given entity ID', async () => {
    metadata = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${descriptor([key.cert])}${descriptor([next.cert], 'urn:two')}</md:EntitiesDescriptor>`
    expect(await read({ metadata, issuer: 'urn:two' })).toMatchObject({ issuer: 'urn:two' })
    expect(await refusal(read({ metadata }))).toMatchObject({ message: expect.stringMatching(/several/) })
    expect(await refusal(read({ metadata, issuer: 'urn:three' }))).toMatchObject({
      message: expect.stringMatching(/belong to another/),
    })
  })

  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['that is not metadata', () => '<html/>', /not metadata/],
    ['that is not XML', () => 'nothing', /empty|not well-formed/],
    ['with entities', () => `<!DOCTYPE a [<!ENTITY b "c">]>${metadata}`, /document type/],
    ['without a certificate', () => descriptor([]), /no signing certificate/],
    ['with an invalid certificate', () => descriptor(['bm90aGluZw==']), /not a certificate/],
    [
      'with a key of an unsupported type',
      async () => descriptor([(await makeTestCertificate({ names: ['a'] })).cert]),
      /RSA/,
    ],
    ['that accepts requests only by POST', () => descriptor([key.cert], SAML_ISSUER, 'POST'), /redirect/],
    ['with a javascript: URL', () => metadata.replace(sso_url, 'javascript:alert(1)'), /sign-in URL/],
    ['without TLS', () => metadata.replace(sso_url, 'http://saml.company.example'), /HTTPS/],
  ])('is refused with a reason: %s', async (_, text, words) => {
    expect(await refusal(read({ metadata: await text() }))).toMatchObject({
      ...{ code: 'provider_untrusted', fields: ['metadata'], message: expect.stringMatching(words) },
    })
  })

  it('is never fetched from internal addresses and is limited in size', async () => {
    for (const metadata_url of ['https://localhost/a', 'https://169.254.169.254/', 'http://login.example'])
      expect(await refusal(read({ metadata_url })), metadata_url).toMatchObject({ code: 'provider_unreachable' })
    metadata = 'a'.repeat(300 * 1024)
    expect(await refusal(read({ metadata_url: at, request_timeout: 20 }))).toMatchObject({ code: 'provider_untrusted' })
    metadata = ''
    status = 503
    expect(await refusal(read({ metadata_url: at, request_timeout: 20 }))).toMatchObject({
      code: 'provider_unreachable',
    })
  })
})

describe('a SAML response checked by an administrator', () => {
  const check = async (id: string, more: Partial<Said>, as: typeof key = key) => {
    const said: Said = { ...samlNames(), requestId: '_any', sub: 'ada', attributes: { groups: ['a', 'b'] }, ...more }
    const response = Buffer.from(signedResponse(said, { key: as })).toString('base64')
    const path = `/api/v2/domains/${server.cast.domains['alpha']!.id}/idp/${id}/response`
    const token = await server.signIn(admin)
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url, 'x-auth-token': token },
      body: JSON.stringify({ response }),
    })
    return (await answer.json()) as { refusal: unknown; claims: unknown }
  }

  it('shows its claims or the reason why it is refused, and does not sign anyone in', async () => {
    const { id } = await make(fields)
    expect(await check(id, {})).toEqual({ refusal: null, claims: { sub: 'ada', groups: ['a', 'b'] } })
    expect(await check(id, { audience: 'urn:other' })).toMatchObject({
      refusal: { reason: 'provider_untrusted', message: expect.stringMatching(/audience .* is “urn:other”/) },
      claims: null,
    })
    expect(await check(id, {}, next)).toMatchObject({
      refusal: { message: expect.stringMatching(/not match any certificate/) },
    })
    expect(await server.sql.query('select id from identity_user where identity_provider is not null')).toEqual([])
  })
})
