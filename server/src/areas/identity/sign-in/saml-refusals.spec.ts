import { inspect } from 'node:util'
import { inflateRawSync } from 'node:zlib'
import { domains } from '@mainstay/contract/identity/domains'
import type { DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { users } from '@mainstay/contract/identity/users'
import { beforeEach, describe, expect, it } from 'vitest'
import { admin, name, operator, server, whoami, withDirectory } from '../../../testing/directory-fixture'
import { trustLoopback } from '../../../testing/outside/openid-provider'
import {
  browser,
  makeSamlProvider,
  notedLog,
  samlNames,
  withOwnProvider,
} from '../../../testing/outside/provider-fixture'
import {
  assertionXml,
  makeSamlKey,
  responseXml,
  SAML_ISSUER,
  signedResponse,
  signXml,
  wrapped,
  type Said,
} from '../../../testing/outside/saml-response'
import { rawRequest } from '../../../testing/raw-request'

/* A SAML provider that sends invalid responses. */

const { lines, log } = notedLog()
withDirectory({ environment: trustLoopback, log })
const key = makeSamlKey()
const otherKey = makeSamlKey()
let provider: DomainProvider
const change = withOwnProvider(() => provider)
beforeEach(async () => {
  lines.length = 0
  await server.sql.query('delete from sign_in_failure')
  await server.sql.query('truncate audit, audit_unsealed, audit_seal')
})

describe('refusing responses from a SAML provider', () => {
  beforeEach(async () => {
    provider = await makeSamlProvider({
      ...{ name, issuer: SAML_ISSUER, sso_url: 'https://saml.company.example/sso', certificates: [key.cert] },
    })
  })

  async function begin(one = browser()) {
    const { address } = await one.begin(provider.id)
    const asked = new URL(address).searchParams
    const xml = inflateRawSync(Buffer.from(asked.get('SAMLRequest')!, 'base64')).toString()
    const said: Said = { ...samlNames(), requestId: / ID="([^"]+)"/.exec(xml)![1]!, sub: name }
    return { one, said, state: asked.get('RelayState')! }
  }
  const post = (one: ReturnType<typeof browser>, xml: string, RelayState: string, as: BufferEncoding = 'utf8') =>
    one.post(samlNames().acs, { SAMLResponse: Buffer.from(xml, as).toString('base64'), RelayState })

  /** Starts a sign-in and returns to the console with a response to its request. */
  async function comeBack(make: (said: Said) => string) {
    const { one, said, state } = await begin()
    return { one, place: await one.follow(await post(one, make(said), state)) }
  }
  const signed = (more: Partial<Said> = {}) => comeBack((said) => signedResponse({ ...said, ...more }, { key }))

  /** Returns the reason shown to the user and the detailed message for administrators. */
  function outcome(place: string) {
    const url = new URL(place)
    expect(url.pathname, place).toBe('/auth/failed')
    const line = lines.find(({ fields }) => fields['request_id'] === url.searchParams.get('id'))!
    return { reason: url.searchParams.get('reason'), words: (line.fields['err'] as Error).message }
  }

  it('accepts a valid response', async () => {
    const { place, one } = await signed({ attributes: { mail: ['ada@company.example'] } })
    expect(new URL(place).pathname).toBe('/auth/success')
    expect(await whoami(one.session()!)).toMatchObject({ name, email: 'ada@company.example' })
  })

  it.each<[string, Partial<Said>, string, RegExp]>([
    [
      'of a different issuer',
      { issuer: 'https://other.example' },
      'provider_untrusted',
      /different issuer: “https:\/\/other/,
    ],
    [
      'for another audience',
      { audience: 'https://other.example' },
      'provider_untrusted',
      /audience .* “https:\/\/other/,
    ],
    [
      'for another recipient',
      { recipient: 'https://other.example' },
      'provider_untrusted',
      /recipient of the assertion/,
    ],
    ['for another destination', { destination: 'https://other.example' }, 'provider_untrusted', /was sent to “/],
    ['that expired two minutes ago', { from: -600, to: -120 }, 'provider_clock', /expired at/],
    ['that becomes valid in two minutes', { from: 120 }, 'provider_clock', /is valid from/],
    ['issued two minutes in the future', { issued: 120 }, 'provider_clock', /in the future/],
    ['from an expired session', { sessionEnds: -1 }, 'provider_clock', /session at the provider has expired/],
    ['for a different request', { requestId: '_another' }, 'provider_untrusted', /different request/],
    [
      'with a transient name ID',
      { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
      'provider_untrusted',
      /persistent/,
    ],
    ['with an empty name ID', { sub: '' }, 'provider_untrusted', /NameID is empty/],
    ['from a failed authentication', { status: 'AuthnFailed' }, 'declined', /AuthnFailed/],
  ])('with an assertion %s', async (_, more, reason, words) => {
    const { place } = await signed(more)
    expect(outcome(place)).toEqual({ reason, words: expect.stringMatching(words) })
  })

  it('tolerates a clock skew of 30 seconds', async () => {
    for (const more of [{ to: -30 }, { from: 30, issued: 30 }])
      expect(new URL((await signed(more)).place).pathname).toBe('/auth/success')
  })

  const unsigned = (said: Said) => responseXml(said, assertionXml(said))
  const inside = (xml: string, from: string | RegExp, to: string) => {
    const changed = xml.replace(from, to)
    expect(changed).not.toBe(xml)
    return changed
  }
  it.each<[string, (said: Said) => string, RegExp]>([
    ['without a signature', unsigned, /not signed/],
    ['in a signed response', (said) => signXml(unsigned(said), { key, what: 'Response' }), /not signed/],
    ['signed with another key', (said) => signedResponse(said, { key: otherKey }), /not match any certificate/],
    [
      'that was changed after it was signed',
      (said) => inside(signedResponse(said, { key }), `>${said.sub}<`, '>root<'),
      /changed after/,
    ],
    [
      'signed with SHA-1',
      (said) => signedResponse(said, { key, algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
      /not accepted/,
    ],
    [
      'with a SHA-1 digest',
      (said) => signedResponse(said, { key, digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
      /not accepted/,
    ],
    [
      'signed with the certificate as a shared key',
      (said) =>
        inside(
          signedResponse(said, { key }),
          /Algorithm="[^"]*rsa-sha256"/,
          'Algorithm="http://www.w3.org/2000/09/xmldsig#hmac-sha1"',
        ),
      /not accepted/,
    ],
    [
      'with an empty digest',
      (said) => inside(signedResponse(said, { key }), /<ds:DigestValue>[^<]*</, '<ds:DigestValue><'),
      /cannot be checked/,
    ],
    [
      'whose signature refers to another element',
      (said) => inside(signedResponse(said, { key }), / URI="#[^"]*"/, ' URI=""'),
      /refers to another element/,
    ],
    [
      'with an XSLT transformation',
      (said) => inside(signedResponse(said, { key }), /xmldsig#enveloped-signature/, 'REC-xslt-19991116'),
      /transformation/,
    ],
    [
      'with two signatures',
      (said) => {
        const xml = signedResponse(said, { key })
        const [it] = /<ds:Signature .*<\/ds:Signature>/s.exec(xml)!
        return inside(xml, it, it + it)
      },
      /several signatures/,
    ],
    [
      'that is encrypted',
      (said) => responseXml(said, '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>'),
      /encrypted/,
    ],
    ['that is missing', (said) => responseXml(said, ''), /no assertion/],
    [
      'with a comment in the name ID',
      (said) => inside(signedResponse({ ...said, sub: 'rootEND' }, { key }), 'rootEND', 'root<!-- -->END'),
      /comments/,
    ],
    [
      'with a document type',
      (said) => `<!DOCTYPE Response [<!ENTITY a "b">]>${signedResponse(said, { key })}`,
      /document type/,
    ],
    [
      'with an entity bomb',
      (said) =>
        `<!DOCTYPE a [<!ENTITY a "${'b'.repeat(100)}"><!ENTITY c "${'&a;'.repeat(100)}"><!ENTITY d "${'&c;'.repeat(100)}">]>${inside(unsigned(said), `>${said.sub}<`, '>&d;<')}`,
      /document type/,
    ],
    [
      'with a reference to an external DTD',
      (said) => `<!DOCTYPE a SYSTEM "file:///etc/passwd">${unsigned(said)}`,
      /document type/,
    ],
    [
      'with a processing instruction',
      (said) => inside(signedResponse(said, { key }), '<saml:Subject>', '<?cut here?><saml:Subject>'),
      /processing/,
    ],
    ['with elements nested too deeply', (said) => responseXml(said, '<a>'.repeat(900) + '</a>'.repeat(900)), /deep/],
    ['with too many elements', (said) => responseXml(said, '<a/>'.repeat(25_000)), /tags/],
    [
      'with too many attributes in an element',
      (said) => responseXml(said, `<a ${Array.from({ length: 5000 }, (__, at) => `a${at}=""`).join(' ')}/>`),
      /tag has more/,
    ],
    ['in over 256 kB', (said) => inside(unsigned(said), said.sub, 'a'.repeat(257 * 1024)), /more than 256 kB/],
    ['in truncated XML', (said) => unsigned(said).slice(0, -20), /not well-formed/],
    ['that is not XML', () => 'nothing', /not well-formed|empty/],
    ['in an unrelated XML document', () => '<html/>', /not a response/],
  ])('with an assertion %s', async (_, make, words) => {
    const { place, one } = await comeBack(make)
    expect(outcome(place)).toEqual({ reason: 'provider_untrusted', words: expect.stringMatching(words) })
    expect(one.session()).toBeUndefined()
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('with an assertion that wraps a signed one (variant %i)', async (way) => {
    const { place, one } = await comeBack((said) => wrapped(way, said, { ...said, sub: 'root' }, key))
    expect(outcome(place)).toMatchObject({ reason: 'provider_untrusted' })
    expect(one.session()).toBeUndefined()
    expect(await server.sql.query("select id from identity_user where name = 'root'")).toEqual([])
  })

  it('does not start a sign-in if the console address is forged', async () => {
    const begun = await rawRequest(
      server.url,
      [
        `POST /api/v2/login/providers/${provider.id} HTTP/1.1`,
        ...[
          'Host: evil.localhost:7',
          'Origin: http://evil.localhost:7',
          'Content-Length: 0',
          'Connection: close',
          '',
          '',
        ],
      ].join('\r\n'),
    )
    expect(begun).toMatch(/^HTTP\/1.1 422 /)
    expect(begun).toContain('MAINSTAY_ADDRESS')
    const metadata = await rawRequest(
      server.url,
      `GET ${new URL(samlNames().audience).pathname} HTTP/1.1\r\nHost: evil.localhost:7\r\nConnection: close\r\n\r\n`,
    )
    expect(metadata).toMatch(/^HTTP\/1.1 422 /)
    expect(metadata).not.toContain('EntityDescriptor')
  })

  it('refuses a response that was not requested or arrives too late, and a callback without a response', async () => {
    const { one, said, state } = await begin()
    const xml = signedResponse(said, { key })
    const { acs } = samlNames()
    const SAMLResponse = Buffer.from(xml).toString('base64')
    for (const fields of [
      { SAMLResponse },
      { SAMLResponse, RelayState: 'a'.repeat(43) },
      { SAMLResponse, RelayState: 'x' },
    ])
      expect(outcome(await one.follow(await one.post(acs, fields))).reason).toBe('stale')
    await server.sql.query("update hand_over set expires_at = now() - interval '1 second'")
    expect(outcome(await one.follow(await post(one, xml, state))).reason).toBe('stale')
    const again = await begin()
    expect(outcome(await one.follow(await one.post(acs, { RelayState: again.state }))).reason).toBe('refused')
  })

  it('refuses a response that is not UTF-8', async () => {
    const { one, said, state } = await begin()
    const xml = inside(unsigned(said), name, 'é')
    expect(outcome(await one.follow(await post(one, xml, state, 'latin1'))).words).toMatch(/not UTF-8/)
  })

  it('refuses a callback without a form and one with the OpenID Connect path', async () => {
    const { acs } = samlNames()
    for (const path of [acs, acs.replace('/saml/', '/openid/')]) {
      const { one, state } = await begin()
      expect(outcome(await one.follow(`${path}?state=${state}&code=a`)).reason).toBe('stale')
    }
  })

  it('records the reason for domain administrators in the audit log', async () => {
    const { place } = await signed({ audience: 'urn:other' })
    const rows = await server.sql.query<{ action: string; result: string; message: string }>(
      'select action, result, message from audit where request_id = $1',
      [new URL(place).searchParams.get('id')],
    )
    expect(rows).toEqual([
      {
        action: 'session.handOver',
        result: 'error',
        message: expect.stringMatching(/audience .* is “urn:other”, not/),
      },
    ])
  })

  it('refuses a response if the provider was disabled after the request', async () => {
    const { one, said, state } = await begin()
    await change({ enabled: false })
    expect(outcome(await one.follow(await post(one, signedResponse(said, { key }), state))).reason).toBe('disabled')
  })

  it('refuses disabled users and users of disabled domains', async () => {
    const { one } = await signed()
    const { id, domain_id } = await whoami(one.session()!)
    await server.call(users.update, { as: admin, params: { id }, body: { enabled: false } })
    expect(outcome((await signed()).place)).toEqual({
      reason: 'disabled',
      words: expect.stringMatching(/for this user/),
    })
    await server.call(users.update, { as: admin, params: { id }, body: { enabled: true } })
    const late = await begin()
    const domain = { as: operator, params: { id: domain_id } } as const
    await server.call(domains.update, { ...domain, body: { enabled: false } })
    const place = await late.one.follow(await post(late.one, signedResponse(late.said, { key }), late.state))
    await server.call(domains.update, { ...domain, body: { enabled: true } })
    expect(outcome(place)).toEqual({ reason: 'disabled', words: expect.stringMatching(/provider was disabled/) })
  })

  it('leaves no readable secrets in the log or the database', async () => {
    const { one, said, state } = await begin()
    const xml = signedResponse({ ...said, attributes: { secret_thing: ['confidential'] } }, { key })
    const next = await post(one, xml, state)
    const kept = JSON.stringify(await server.sql.query('select h::text from hand_over h'))
    expect(kept).not.toBe('[]')
    const [code] = new URL(next).searchParams.getAll('state')
    for (const it of ['confidential', state, code!])
      for (const form of [it, Buffer.from(it).toString('hex')]) expect(kept).not.toContain(form)
    expect(new URL(await one.follow(next)).pathname).toBe('/auth/success')
    const failed = await begin()
    const wrong = signedResponse({ ...failed.said, attributes: { secret_thing: ['confidential'] } }, { key: otherKey })
    await one.follow(await post(one, wrong, failed.state))
    const told =
      inspect(lines, { depth: null, maxStringLength: null, maxArrayLength: null }) +
      JSON.stringify(await server.sql.query('select a::text from audit a'))
    expect(told).toContain('not match any certificate')
    for (const it of ['confidential', state, code!, failed.state, Buffer.from(wrong).toString('base64').slice(0, 60)])
      expect(told).not.toContain(it)
  })

  it('refuses users without a matching group if one is required', async () => {
    const rules = [{ name: 'Uploads', values: ['dev'], domain_permission: 'image_upload' }]
    await change({ mapping: { claims: provider.mapping.claims, rules, unmatched: 'refuse' } })
    expect(outcome((await signed()).place).reason).toBe('no_groups')
    expect(outcome((await signed({ attributes: { groups: ['ops'] } })).place).reason).toBe('unmatched')
    expect(new URL((await signed({ attributes: { groups: ['ops', 'dev'] } })).place).pathname).toBe('/auth/success')
  })

  it('ends the session no later than the session at the provider', async () => {
    const { one } = await signed({ sessionEnds: 3600 })
    const { id } = await whoami(one.session()!)
    const [row] = await server.sql.query<{ seconds: number }>(
      'select extract(epoch from credential_expires_at - now())::int as seconds from session where user_id = $1',
      [id],
    )
    expect(row!.seconds).toBeGreaterThan(3000)
    expect(row!.seconds).toBeLessThanOrEqual(3600)
  })

  it('limits the size of the form and the number of responses per IP address', async () => {
    const { one, said, state } = await begin()
    const SAMLResponse = Buffer.from(signedResponse(said, { key })).toString('base64')
    const fields = { SAMLResponse, RelayState: state }
    const large = { ...fields, more: 'a'.repeat(500 * 1024) }
    expect(outcome(await one.follow(await one.post(samlNames().acs, large))).reason).not.toBe('stale')
    // the limit allows a few more requests as time passes
    let place = ''
    for (let count = 0; count < 400 && !place.includes('too_many'); count += 1)
      place = await one.post(samlNames().acs, {})
    expect(outcome(await one.follow(place)).reason).toBe('too_many_attempts')
  })
})
