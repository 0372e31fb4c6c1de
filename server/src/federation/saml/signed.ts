import { XMLSerializer } from '@xmldom/xmldom'
import { SignedXml } from 'xml-crypto'
import { limits } from '../../limits'
import { attribute, elementsIn, is, named, parseXml } from './xml'

/*
 * Reads only signed content: the bytes covered by the signature are parsed again, and only the result is used. This
 * prevents signature wrapping, because a second assertion elsewhere in the document is not in these bytes.
 */

/** A missing or invalid signature, or one that does not cover the assertion. The message is for administrators. */
export class BadSignature extends Error {}

const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const canonicalizations = [exclusive, `${exclusive}WithComments`]
const digests = ['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']
const algorithms = [
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]

const only = <Value>(all: Record<string, Value>, names: readonly string[]): Record<string, Value> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))

function onlyChild(parent: Element, name: string): Element {
  const found = named(parent, 'signature', name)
  if (found.length !== 1) throw new BadSignature(`The signature has ${found.length} elements ${name}`)
  return found[0]!
}

const algorithmIn = (parent: Element, name: string): string => attribute(onlyChild(parent, name), 'Algorithm') ?? ''

function requireAlgorithm(what: string, algorithm: string, known: readonly string[]): void {
  if (!known.includes(algorithm)) throw new BadSignature(`The ${what} ${algorithm.slice(0, 100)} is not accepted`)
}

/**
 * Throws unless the transforms are the two that SAML requires. Each transform processes the whole assertion, and anyone
 * can send a signature that lists thousands of them.
 */
function checkTransforms(transforms: Element): void {
  const all = elementsIn(transforms)
  const accepted = [[enveloped], canonicalizations]
  if (all.length !== accepted.length || !all.every((it) => is(it, 'signature', 'Transform')))
    throw new BadSignature('The signature must have two transforms: enveloped-signature and exclusive canonicalization')
  for (const [at, known] of accepted.entries())
    requireAlgorithm('transformation', attribute(all[at]!, 'Algorithm') ?? '', known)
}

/** Throws unless the signature covers exactly its parent element and uses accepted algorithms. */
function checkShape(signature: Element, id: string): void {
  const info = onlyChild(signature, 'SignedInfo')
  if (new XMLSerializer().serializeToString(info).length > limits.samlResponse.signedInfoCharacters)
    throw new BadSignature(`The SignedInfo has more than ${limits.samlResponse.signedInfoCharacters} characters`)
  requireAlgorithm('canonicalization', algorithmIn(info, 'CanonicalizationMethod'), canonicalizations)
  requireAlgorithm('signature algorithm', algorithmIn(info, 'SignatureMethod'), algorithms)
  const reference = onlyChild(info, 'Reference')
  requireAlgorithm('digest', algorithmIn(reference, 'DigestMethod'), digests)
  if (attribute(reference, 'URI') !== `#${id}`)
    throw new BadSignature('The signature in the assertion refers to another element')
  checkTransforms(onlyChild(reference, 'Transforms'))
  if (named(signature, 'signature', 'Object').length > 0) throw new BadSignature('The signature contains objects')
}

type Algorithm = SignedXml['SignatureAlgorithms'][string]

/**
 * The algorithm, extended to accept the key of any of the certificates, so that the document is canonicalized only
 * once.
 */
const byAnyOf = (Known: Algorithm, certificates: readonly string[]): Algorithm =>
  class extends Known {
    override verifySignature: InstanceType<Algorithm>['verifySignature'] = (
      material: never,
      _: unknown,
      value: never,
    ) => certificates.some((it) => new Known().verifySignature(material, it, value))
  }

/** Exposes a method that xml-crypto's types omit: the canonical text of the loaded signature's `SignedInfo`. */
interface SignedInfoReader {
  getCanonSignedInfoXml(document: Document): string
}

/**
 * Throws `BadSignature` unless the `SignedInfo` was signed with a certificate's key. `checkSignature` verifies the
 * signature only after the transforms and the digest; this check first ensures that only the provider can cause that
 * work.
 */
function checkSignedInfo(verifier: SignedXml, signature: Element): void {
  const Algorithm = verifier.SignatureAlgorithms[verifier.signatureAlgorithm ?? '']
  if (Algorithm === undefined) throw new BadSignature('The signature algorithm is not accepted')
  const value = (onlyChild(signature, 'SignatureValue').textContent ?? '').replaceAll(/\s/g, '')
  const info = (verifier as unknown as SignedInfoReader).getCanonSignedInfoXml(signature.ownerDocument)
  // the key argument is ignored: each algorithm tries all certificates
  if (!new Algorithm().verifySignature(info, '', value)) throw new BadSignature(notByProvider)
}

const notByProvider = 'The signature does not match any certificate of the provider'

/** Returns the text that the signature covers. Throws `BadSignature`. */
function coveredBy(certificates: readonly string[], signature: Element, text: string): string {
  const verifier = new SignedXml({ publicCert: certificates[0]! })
  const known = Object.entries(only(verifier.SignatureAlgorithms, algorithms))
  verifier.SignatureAlgorithms = Object.fromEntries(known.map(([name, it]) => [name, byAnyOf(it, certificates)]))
  verifier.HashAlgorithms = only(verifier.HashAlgorithms, digests)
  verifier.CanonicalizationAlgorithms = only(verifier.CanonicalizationAlgorithms, [enveloped, ...canonicalizations])
  let isWhole: boolean
  try {
    verifier.loadSignature(signature)
    checkSignedInfo(verifier, signature)
    isWhole = verifier.checkSignature(text)
  } catch (error) {
    if (error instanceof BadSignature) throw error
    if (error instanceof Error && error.message.startsWith('invalid signature'))
      throw new BadSignature(notByProvider, { cause: error })
    throw new BadSignature(`The signature cannot be checked: ${said(error)}`, { cause: error })
  }
  if (!isWhole) throw new BadSignature('The assertion was changed after it was signed')
  const [covered, ...more] = verifier.getSignedReferences()
  if (covered === undefined || more.length > 0)
    throw new BadSignature('The signature does not cover exactly one element')
  return covered
}

const said = (error: unknown): string => (error instanceof Error ? error.message : 'unknown').slice(0, 200)

/**
 * Returns an assertion directly within a response, as covered by its signature. `certificates`: PEM; one match is
 * enough. Throws `BadSignature` or `BadXml`.
 */
export function readSigned(assertion: Element, text: string, certificates: readonly string[]): Element {
  const id = attribute(assertion, 'ID')
  if (id === null || !/^[A-Za-z_][\w.-]{0,255}$/.test(id)) throw new BadSignature('The assertion has no ID')
  const signatures = named(assertion, 'signature', 'Signature')
  if (signatures.length === 0)
    throw new BadSignature('The assertion is not signed. Configure the provider to sign assertions')
  if (signatures.length > 1) throw new BadSignature('The assertion has several signatures')
  checkShape(signatures[0]!, id)
  const signed = parseXml(coveredBy(certificates, signatures[0]!, text), { comments: 'refused' })
  if (!is(signed, 'assertion', 'Assertion') || attribute(signed, 'ID') !== id)
    throw new BadSignature('The signed element is not the assertion')
  return signed
}
