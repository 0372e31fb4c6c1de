import { describe, expect, it } from 'vitest'
import {
  assertionXml,
  makeSamlKey,
  responseXml,
  SAML_ISSUER,
  signXml,
  type Said,
} from '../../testing/outside/saml-response'
import type { HandOverRefusal } from '../refusal'
import { assertionIn, claimsOf } from './assertion'
import { readSigned } from './signed'
import { namespaces, parseXml } from './xml'

/* A signed assertion may still be for another audience or time, and the elements around it are not signed. */

const key = makeSamlKey()
const said: Said = { acs: 'https://here.example', audience: 'urn:here', requestId: '_this', sub: 'ada' }
const meant = { acs: said.acs, entityId: said.audience, requestId: said.requestId, issuer: SAML_ISSUER }

const signed = (xml: string) => signXml(xml, { key })
const read = (xml: string) =>
  claimsOf(readSigned(assertionIn(parseXml(xml, { comments: 'refused' }), meant), xml, [key.cert]), meant).claims
function refusalOf(xml: string) {
  try {
    return read(xml)
  } catch (error) {
    const { reason, message } = error as HandOverRefusal
    return { reason, message }
  }
}
const refused = (message: RegExp, reason?: string) => ({
  ...(reason !== undefined && { reason }),
  message: expect.stringMatching(message) as string,
})
function inside(xml: string, from: string | RegExp, to: string): string {
  const changed = xml.replace(from, to)
  expect(changed).not.toBe(xml)
  return changed
}

it('accepts a current assertion for this service that answers the request', () => {
  expect(read(responseXml(said, signed(assertionXml(said))))).toEqual({ sub: 'ada' })
})

describe('attributes', () => {
  const uid = 'urn:oid:0.9.2342.19200300.100.1.1'
  const readWith = (attributes: string) => {
    const statement = `<saml:AttributeStatement>${attributes}</saml:AttributeStatement></saml:Assertion>`
    return refusalOf(responseXml(said, signed(inside(assertionXml(said), '</saml:Assertion>', statement))))
  }
  const attribute = (names: string, ...values: string[]) =>
    `<saml:Attribute ${names}>${values.map((it) => `<saml:AttributeValue>${it}</saml:AttributeValue>`).join('')}</saml:Attribute>`

  it('are claims under their Name, never under a FriendlyName', () => {
    expect(readWith(attribute('Name="urn:evil" FriendlyName="uid"', 'boss'))).toEqual({
      sub: 'ada',
      'urn:evil': 'boss',
    })
    const both = attribute(`Name="${uid}" FriendlyName="uid"`, 'ada') + attribute('Name="uid"', 'ada')
    expect(readWith(both)).toEqual({ sub: 'ada', [uid]: 'ada', uid: 'ada' })
    expect(readWith(attribute('Name="groups"', 'ops', 'it'))).toMatchObject({ groups: ['ops', 'it'] })
  })

  it('are not ignored if encrypted: the assertion is refused', () => {
    const encrypted = `${attribute('Name="uid"', 'ada')}<saml:EncryptedAttribute/>`
    expect(readWith(encrypted)).toMatchObject(refused(/encrypted attributes/, 'provider_untrusted'))
  })
})

describe('refuses a signed assertion', () => {
  it.each<[string, string | RegExp, string, RegExp]>([
    ['without an audience', /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '', /has no audience/],
    [
      'with a second restriction to another audience',
      '</saml:Conditions>',
      '<saml:AudienceRestriction><saml:Audience>urn:other</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      /audience of the assertion is “urn:other”/,
    ],
    ['without conditions', /<saml:Conditions.*<\/saml:Conditions>/, '', /no conditions/],
    ['with an unknown condition', '</saml:Conditions>', '<saml:Condition/></saml:Conditions>', /unknown condition/],
    ['without a request', / InResponseTo="[^"]*"/, '', /does not belong to a request/],
    ['for a different request', '_this', '_another', /assertion belongs to a different request/],
    ['whose confirmation does not expire', /(ConfirmationData) NotOnOrAfter="[^"]*"/, '$1', /no expiry time/],
    ['for a holder of a key', 'cm:bearer', 'cm:holder-of-key', /no bearer confirmation/],
    ['in SAML 1.1', 'Version="2.0"', 'Version="1.1"', /SAML 2.0/],
    ['without a sign-in', /<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '', /no authentication statement/],
    ['with elements in the name', '</saml:NameID>', '<a>b</a></saml:NameID>', /contains XML elements/],
    ['with two names', '</saml:NameID>', '</saml:NameID><saml:NameID>root</saml:NameID>', /exactly one NameID/],
    ['with a name of 1025 characters', '>ada<', `>${'a'.repeat(1025)}<`, /too long/],
    ['without a time', / IssueInstant="[^"]*"/, '', /in the future/],
    ['with a time without a zone', /( NotBefore="[^"]*)Z"/, '$1"', /not a UTC time/],
  ])('%s', (_, from, to, words) => {
    expect(refusalOf(responseXml(said, signed(inside(assertionXml(said), from, to))))).toMatchObject(refused(words))
  })

  it.each([
    ['the assertion', 'Conditions', /^The assertion expired/],
    ['its confirmation', 'SubjectConfirmationData', /^The subject confirmation expired/],
  ])('when %s has expired, even if the rest is still valid', (_, element, words) => {
    const over = new Date(Date.now() - 120_000).toISOString()
    const end = new RegExp(`(<saml:${element} [^>]*NotOnOrAfter=)"[^"]*"`)
    const xml = responseXml(said, signed(inside(assertionXml(said), end, `$1"${over}"`)))
    expect(refusalOf(xml)).toMatchObject(refused(words, 'provider_clock'))
  })
})

describe('refuses a response, regardless of its assertion,', () => {
  const other = `<saml:Issuer xmlns:saml="${namespaces.assertion}">urn:other</saml:Issuer>`
  it.each<[string, string | RegExp, string, RegExp]>([
    ['from a different issuer', '<samlp:Status>', `${other}<samlp:Status>`, /response has a different issuer/],
    ['for a different request', '_this', '_another', /response belongs to a different request/],
    ['without a status', /<samlp:Status>.*<\/samlp:Status>/, '', /no status/],
    ['in SAML 1.1', 'Version="2.0"', 'Version="1.1"', /response is not SAML 2.0/],
    [
      'whose signature uses another canonicalization',
      'xml-exc-c14n#"/><ds:SignatureMethod',
      'a"/><ds:SignatureMethod',
      /canonicalization .* is not accepted/,
    ],
  ])('%s', (_, from, to, words) => {
    const xml = inside(responseXml(said, signed(assertionXml(said))), from, to)
    expect(refusalOf(xml)).toMatchObject(refused(words))
  })
})
