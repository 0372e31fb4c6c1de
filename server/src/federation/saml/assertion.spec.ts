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

/* What a provider signs may still be meant for somebody else, or for another time; what stands around it is signed by nobody. */

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

it('an assertion for us, now, that answers this request says who has signed in', () => {
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

  it('are claims by their names, and never by a FriendlyName', () => {
    expect(readWith(attribute('Name="urn:evil" FriendlyName="uid"', 'boss'))).toEqual({
      sub: 'ada',
      'urn:evil': 'boss',
    })
    const both = attribute(`Name="${uid}" FriendlyName="uid"`, 'ada') + attribute('Name="uid"', 'ada')
    expect(readWith(both)).toEqual({ sub: 'ada', [uid]: 'ada', uid: 'ada' })
    expect(readWith(attribute('Name="groups"', 'ops', 'it'))).toMatchObject({ groups: ['ops', 'it'] })
  })

  it('that are encrypted are not taken for missing: the assertion is refused', () => {
    const encrypted = `${attribute('Name="uid"', 'ada')}<saml:EncryptedAttribute/>`
    expect(readWith(encrypted)).toMatchObject(refused(/encrypted attributes/, 'provider_untrusted'))
  })
})

describe('a signed assertion is refused', () => {
  it.each<[string, string | RegExp, string, RegExp]>([
    ['for nobody in particular', /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, '', /for whom it is/],
    [
      'for us and for others at once',
      '</saml:Conditions>',
      '<saml:AudienceRestriction><saml:Audience>urn:other</saml:Audience></saml:AudienceRestriction></saml:Conditions>',
      /is for “urn:other”/,
    ],
    ['without conditions', /<saml:Conditions.*<\/saml:Conditions>/, '', /no conditions/],
    ['with a condition that is not known', '</saml:Conditions>', '<saml:Condition/></saml:Conditions>', /not known/],
    ['that answers no request', / InResponseTo="[^"]*"/, '', /answers no request/],
    ['that answers another request', '_this', '_another', /assertion answers another request/],
    ['whose confirmation has no end', /(ConfirmationData) NotOnOrAfter="[^"]*"/, '$1', /has no end/],
    ['for who holds a key', 'cm:bearer', 'cm:holder-of-key', /not confirmed/],
    ['of SAML 1.1', 'Version="2.0"', 'Version="1.1"', /SAML 2.0/],
    ['that names no sign-in', /<saml:AuthnStatement.*<\/saml:AuthnStatement>/, '', /somebody has signed in/],
    ['with elements in the name', '</saml:NameID>', '<a>b</a></saml:NameID>', /elements in it/],
    ['with two names', '</saml:NameID>', '</saml:NameID><saml:NameID>root</saml:NameID>', /or several/],
    ['with a name of 1025 characters', '>ada<', `>${'a'.repeat(1025)}<`, /too long/],
    ['without a time', / IssueInstant="[^"]*"/, '', /of the future/],
    ['of a time without a zone', /( NotBefore="[^"]*)Z"/, '$1"', /no time in UTC/],
  ])('%s', (_, from, to, words) => {
    expect(refusalOf(responseXml(said, signed(inside(assertionXml(said), from, to))))).toMatchObject(refused(words))
  })

  it.each([
    ['the assertion', 'Conditions', /^The assertion ended/],
    ['its confirmation', 'SubjectConfirmationData', /^The confirmation of the subject ended/],
  ])('when %s has ended, whatever else lasts', (_, element, words) => {
    const over = new Date(Date.now() - 120_000).toISOString()
    const end = new RegExp(`(<saml:${element} [^>]*NotOnOrAfter=)"[^"]*"`)
    const xml = responseXml(said, signed(inside(assertionXml(said), end, `$1"${over}"`)))
    expect(refusalOf(xml)).toMatchObject(refused(words, 'provider_clock'))
  })
})

describe('a response is refused, whatever assertion is in it,', () => {
  const other = `<saml:Issuer xmlns:saml="${namespaces.assertion}">urn:other</saml:Issuer>`
  it.each<[string, string | RegExp, string, RegExp]>([
    ['of another issuer', '<samlp:Status>', `${other}<samlp:Status>`, /response is of another issuer/],
    ['that answers another request', '_this', '_another', /response answers another request/],
    ['without a status', /<samlp:Status>.*<\/samlp:Status>/, '', /no status/],
    ['of SAML 1.1', 'Version="2.0"', 'Version="1.1"', /response is not one of SAML 2.0/],
    [
      'whose signature is made canonical otherwise',
      'xml-exc-c14n#"/><ds:SignatureMethod',
      'a"/><ds:SignatureMethod',
      /canonicalization .* is not accepted/,
    ],
  ])('%s', (_, from, to, words) => {
    const xml = inside(responseXml(said, signed(assertionXml(said))), from, to)
    expect(refusalOf(xml)).toMatchObject(refused(words))
  })
})
