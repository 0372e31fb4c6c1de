import { randomUUID } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import { makeRsaCertificate } from '../certificates/rsa-certificate'

/* Scripted SAML responses, signed with a test key. */

export const SAML_ISSUER = 'https://saml.company.example/metadata'

/** Creates a key with its certificate. */
export const makeSamlKey = () => makeRsaCertificate({ names: ['saml.company.example'] })
export type SamlKey = ReturnType<typeof makeSamlKey>

const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const attributeTexts = (of: Record<string, readonly string[]>) =>
  Object.entries(of)
    .map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${values.map((it) => `<saml:AttributeValue>${it}</saml:AttributeValue>`).join('')}</saml:Attribute>`,
    )
    .join('')

/** Contents of a response. Times are in seconds from now. */
export interface Said {
  acs: string
  audience: string
  requestId: string
  sub: string
  issuer?: string
  attributes?: Record<string, readonly string[]>
  /** Validity period of the assertion. */
  from?: number
  to?: number
  issued?: number
  recipient?: string
  destination?: string
  status?: string
  sessionEnds?: number
  format?: string
}

/** The unsigned assertion. */
export function assertionXml(said: Said, id = `_${randomUUID()}`): string {
  const { issuer = SAML_ISSUER, from = -10, to = 300, issued = 0, recipient = said.acs, sessionEnds } = said
  const format = said.format ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'
  const ends = sessionEnds === undefined ? '' : ` SessionNotOnOrAfter="${at(sessionEnds)}"`
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${id}" Version="2.0" IssueInstant="${at(issued)}">`,
    `<saml:Issuer>${issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${format}">${said.sub}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">`,
    `<saml:SubjectConfirmationData NotOnOrAfter="${at(to)}" Recipient="${recipient}" InResponseTo="${said.requestId}"/>`,
    `</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${at(from)}" NotOnOrAfter="${at(to)}">`,
    `<saml:AudienceRestriction><saml:Audience>${said.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${at(issued)}"${ends}><saml:AuthnContext/></saml:AuthnStatement>`,
    `<saml:AttributeStatement>${attributeTexts(said.attributes ?? {})}</saml:AttributeStatement></saml:Assertion>`,
  ].join('')
}

/** Wraps content in a response. */
export const responseXml = (said: Said, inner: string, id = `_${randomUUID()}`): string =>
  [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${id}" Version="2.0" IssueInstant="${at(0)}"`,
    ` Destination="${said.destination ?? said.acs}" InResponseTo="${said.requestId}">`,
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${said.status ?? 'Success'}"/></samlp:Status>`,
    `${inner}</samlp:Response>`,
  ].join('')

export interface Signing {
  key: SamlKey
  /** The element to sign, which also contains the signature. */
  what?: 'Assertion' | 'Response'
  algorithm?: string
  digest?: string
  /** The second transform. */
  canonicalization?: string
}

/** Signs an element of a document. The signature is inserted after its first child, or at its beginning. */
export function signXml(
  xml: string,
  {
    key,
    what = 'Assertion',
    algorithm = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest = sha256,
    canonicalization = exclusive,
  }: Signing,
): string {
  const place = `//*[local-name(.)='${what}']`
  const signer = new SignedXml({
    ...{ privateKey: key.key, publicCert: key.cert, signatureAlgorithm: algorithm },
    canonicalizationAlgorithm: exclusive,
  })
  signer.addReference({
    xpath: place,
    digestAlgorithm: digest,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', canonicalization],
  })
  signer.computeSignature(xml, { prefix: 'ds', location: { reference: `${place}/*[1]`, action: 'after' } })
  return signer.getSignedXml()
}

/** A response with a signed assertion. */
export const signedResponse = (said: Said, signing: Signing): string =>
  responseXml(said, signXml(assertionXml(said), signing))

const element = (xml: string, name: string): string =>
  new RegExp(`<(\\w+:)?${name}[ >].*?</(\\w+:)?${name}>`, 's').exec(xml)![0]

/**
 * The eight signature wrapping attacks from "On Breaking SAML" (Somorovsky and others, 2012). The signature remains
 * valid, and the attacker's assertion is placed where a careless parser looks.
 */
export function wrapped(way: number, said: Said, evil: Said, key: SamlKey): string {
  const evilAssertion = assertionXml(evil, '_evil')
  // the first two attacks require a signed response
  if (way <= 2) {
    const response = signXml(responseXml(said, assertionXml(said)), { key, what: 'Response' })
    const signature = element(response, 'Signature')
    const original = response.replace(signature, '')
    const evilResponse = responseXml(evil, evilAssertion, '_evilResponse')
    const [head, tail] = evilResponse.split(/(?<=^<samlp:Response[^>]*>)/) as [string, string]
    return way === 1
      ? `${head}${signature.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`)}${tail}`
      : `${head}${original}${signature}${tail}`
  }
  const signed = signXml(assertionXml(said), { key })
  const signature = element(signed, 'Signature')
  const original = signed.replace(signature, '')
  const withSignature = (inner: string) => evilAssertion.replace('</saml:Issuer>', `</saml:Issuer>${inner}`)
  const around: Record<number, string> = {
    3: `${evilAssertion}${signed}`,
    4: evilAssertion.replace('</saml:Assertion>', `${signed}</saml:Assertion>`),
    5: `${withSignature(signature)}${original}`,
    6: withSignature(signature.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`)),
    7: `<samlp:Extensions>${evilAssertion}</samlp:Extensions>${signed}`,
    8: withSignature(signature.replace('</ds:Signature>', `<ds:Object>${original}</ds:Object></ds:Signature>`)).replace(
      '_evil"',
      `${/ID="([^"]+)"/.exec(signed)![1]}"`,
    ),
  }
  return responseXml(said, around[way]!)
}

const base64 = (pem: string): string => pem.replaceAll(/-----.*-----|\s/g, '')

/** Metadata for one provider, as if written by hand. `use`: key usage of each certificate. */
export const metadataXml = (its: {
  certificates: readonly string[]
  issuer: string
  sso_url: string
  binding?: string
  use?: readonly string[]
}): string =>
  `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${its.issuer}">
    <!-- written by hand --><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    ${its.certificates
      .map(
        (it, at) =>
          `<md:KeyDescriptor use="${its.use?.[at] ?? 'signing'}"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${base64(it)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
      )
      .join('')}
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${its.binding ?? 'Redirect'}" Location="${its.sso_url}"/>
  </md:IDPSSODescriptor></md:EntityDescriptor>`
