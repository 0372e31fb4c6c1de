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

/** What stands at the address of the metadata. */
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
  it('is made by the address of its metadata, by these as XML, or by their fields: the same comes of it', async () => {
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

  it('gets another certificate beside the one that it has, and metadata in the place of fields', async () => {
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
  ])('is refused by the name of the field: %s', async (field, draft) => {
    expect(await refusal(make(draft))).toMatchObject({ code: 'validation', fields: [field] })
  })

  it('is changed by what belongs to it alone', async () => {
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
  it('say its entity id, its address, and certificates that can be compared', async () => {
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

  it('of several providers are those of the one that is named', async () => {
    metadata = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${descriptor([key.cert])}${descriptor([next.cert], 'urn:two')}</md:EntitiesDescriptor>`
    expect(await read({ metadata, issuer: 'urn:two' })).toMatchObject({ issuer: 'urn:two' })
    expect(await refusal(read({ metadata }))).toMatchObject({ message: expect.stringMatching(/several/) })
    expect(await refusal(read({ metadata, issuer: 'urn:three' }))).toMatchObject({
      message: expect.stringMatching(/another/),
    })
  })

  it.each<[string, () => string | Promise<string>, RegExp]>([
    ['that are none', () => '<html/>', /no metadata/],
    ['that are no XML', () => 'nothing', /empty|cannot be read/],
    ['with entities', () => `<!DOCTYPE a [<!ENTITY b "c">]>${metadata}`, /document type/],
    ['without a certificate', () => descriptor([]), /no certificate/],
    ['with a certificate that is none', () => descriptor(['bm90aGluZw==']), /no certificate/],
    [
      'with a key that is not checked',
      async () => descriptor([(await makeTestCertificate({ names: ['a'] })).cert]),
      /RSA/,
    ],
    ['that take requests by POST alone', () => descriptor([key.cert], SAML_ISSUER, 'POST'), /redirect/],
    ['that script', () => metadata.replace(sso_url, 'javascript:alert(1)'), /address/],
    ['without TLS', () => metadata.replace(sso_url, 'http://saml.company.example'), /https/],
  ])('are refused in words: %s', async (_, text, words) => {
    expect(await refusal(read({ metadata: await text() }))).toMatchObject({
      ...{ code: 'provider_untrusted', fields: ['metadata'], message: expect.stringMatching(words) },
    })
  })

  it('are asked for at no address of this machine, and are read to no end', async () => {
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

describe('a response of a SAML provider, checked by an administrator', () => {
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

  it('says its claims, or why a sign-in refuses it, and signs nobody in', async () => {
    const { id } = await make(fields)
    expect(await check(id, {})).toEqual({ refusal: null, claims: { sub: 'ada', groups: ['a', 'b'] } })
    expect(await check(id, { audience: 'urn:other' })).toMatchObject({
      refusal: { reason: 'provider_untrusted', message: expect.stringMatching(/is for “urn:other”/) },
      claims: null,
    })
    expect(await check(id, {}, next)).toMatchObject({ refusal: { message: expect.stringMatching(/not by the key/) } })
    expect(await server.sql.query('select id from identity_user where identity_provider is not null')).toEqual([])
  })
})
