import { afterEach, expect, it, vi } from 'vitest'
import { SignedXml } from 'xml-crypto'
import { limits } from '../../limits'
import {
  assertionXml,
  makeSamlKey,
  responseXml,
  signedResponse,
  wrapped,
  type Said,
} from '../../testing/outside/saml-response'
import { readSigned } from './signed'
import { namespaces, parseXml } from './xml'

afterEach(() => vi.restoreAllMocks())

const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const key = makeSamlKey()
const said: Said = { acs: 'https://here.example', audience: 'https://here.example', requestId: '_r', sub: 'ada' }

const assertionsIn = (xml: string): Element[] =>
  Array.from(parseXml(xml, { comments: 'refused' }).getElementsByTagNameNS(namespaces.assertion, 'Assertion'))
const read = (assertion: Element, xml: string, certificates = [key.cert]) => {
  try {
    return readSigned(assertion, xml, certificates).textContent ?? ''
  } catch {
    return 'refused'
  }
}

it('reads a signed assertion with one or several certificates', () => {
  const xml = signedResponse(said, { key })
  const others = [makeSamlKey().cert, makeSamlKey().cert]
  expect(read(assertionsIn(xml)[0]!, xml)).toContain('ada')
  expect(read(assertionsIn(xml)[0]!, xml, [...others, key.cert])).toContain('ada')
  expect(read(assertionsIn(xml)[0]!, xml, others)).toBe('refused')
})

/** A response with many elements and a forged signature, whose reference lists these transforms. */
function hostile(transforms: readonly string[], elements: number): string {
  const algorithm = (name: string, its: string) => `<ds:${name} Algorithm="${its}"/>`
  const signature = [
    `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>`,
    algorithm('CanonicalizationMethod', exclusive),
    algorithm('SignatureMethod', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'),
    `<ds:Reference URI="#_a"><ds:Transforms>${transforms.map((it) => algorithm('Transform', it)).join('')}</ds:Transforms>`,
    algorithm('DigestMethod', 'http://www.w3.org/2001/04/xmlenc#sha256'),
    `<ds:DigestValue>AAAA</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>`,
  ].join('')
  const assertion = assertionXml(said, '_a').replace('</saml:Issuer>', `</saml:Issuer>${signature}`)
  return responseXml(said, assertion.replace('</saml:Assertion>', `${'<a/>'.repeat(elements)}</saml:Assertion>`))
}
const wordsOf = (xml: string): string => {
  try {
    readSigned(assertionsIn(xml)[0]!, xml, [key.cert])
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

it.each([
  ['two canonicalizations', [exclusive, exclusive]],
  ['the two in the wrong order', [exclusive, enveloped]],
  ['one transform', [exclusive]],
  ['three transforms', [enveloped, exclusive, exclusive]],
  ['1 500 transforms', Array.from({ length: 1500 }, () => exclusive)],
])('refuses a signature with %s without canonicalizing the document', (_, transforms) => {
  const canonicalize = vi.spyOn(SignedXml.prototype, 'getCanonXml')
  expect(wordsOf(hostile(transforms, 10))).toMatch(/transforms|transformation|SignedInfo/)
  expect(canonicalize).not.toHaveBeenCalled()
})

it('refuses a forged signature before it computes a digest', () => {
  const check = vi.spyOn(SignedXml.prototype, 'checkSignature')
  expect(wordsOf(hostile([enveloped, exclusive], 10))).toMatch(/not match any certificate/)
  expect(check).not.toHaveBeenCalled()
})

it('refuses a SignedInfo that exceeds the size limit', () => {
  const xml = hostile([enveloped, exclusive], 1)
  const padded = xml.replace('<ds:DigestValue>AAAA', `<ds:DigestValue>${'A'.repeat(8192)}`)
  expect(wordsOf(padded)).toBe('The SignedInfo has more than 8192 characters')
})

it('refuses a response with thousands of namespace declarations before it is parsed', () => {
  const tag = (at: number) => `<a ${Array.from({ length: 700 }, (_, of) => `xmlns:n${at}_${of}="n"`).join(' ')}/>`
  const xml = responseXml(said, tag(1) + tag(2) + tag(3))
  expect(() => parseXml(xml, { comments: 'refused', tags: limits.samlResponse.tags })).toThrow(/namespace declarations/)
})

it('accepts canonicalization with comments, and 500 values of an attribute', () => {
  const groups = Array.from({ length: 500 }, (_, at) => `group ${at}`)
  const xml = signedResponse({ ...said, attributes: { groups } }, { key })
  expect(() => parseXml(xml, { comments: 'refused', tags: limits.samlResponse.tags })).not.toThrow()
  expect(read(assertionsIn(xml)[0]!, xml)).toContain('group 499')
  const withComments = signedResponse(said, { key, canonicalization: `${exclusive}WithComments` })
  expect(read(assertionsIn(withComments)[0]!, withComments)).toContain('ada')
})

it.each([3, 4, 5, 6, 7, 8])('never reads unsigned content of a wrapped assertion: variant %i', (way) => {
  const xml = wrapped(way, said, { ...said, sub: 'root' }, key)
  const all = assertionsIn(xml)
  expect(all).toHaveLength(2)
  expect(assertionXml({ ...said, sub: 'root' })).toContain('root')
  for (const assertion of all) expect(read(assertion, xml)).not.toContain('root')
})
