import { X509Certificate, type KeyObject } from 'node:crypto'
import { mostCertificates, type SigningCertificate } from '@mainstay/contract/identity/identity-providers'
import { attribute, BadXml, contentOf, is, named, parseXml } from './xml'

/** Provider settings that are required for a sign-in. */
export interface SamlSettings {
  issuer: string
  sso_url: string
  certificates: string[]
}
/** Settings, with the reasons why certificates were skipped. */
export interface ReadMetadata extends SamlSettings {
  skipped: string[]
}

const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
const POST = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'

/** An invalid certificate, or one with an unsupported key. */
export class BadCertificate extends Error {}

/** Parses a certificate, given as PEM or as Base64 as in metadata. Throws `BadCertificate`. */
export function readCertificate(text: string): SigningCertificate {
  const base64 = text.replaceAll(/-----(BEGIN|END) CERTIFICATE-----/g, '').replaceAll(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new BadCertificate('This is not a certificate')
  let found: X509Certificate
  let key: KeyObject
  try {
    const lines = base64.match(/.{1,64}/g)!.join('\n')
    found = new X509Certificate(`-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`)
    // throws here if the key type is unknown
    key = found.publicKey
  } catch (error) {
    throw new BadCertificate('This is not a certificate', { cause: error })
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type !== 'rsa') throw new BadCertificate('Its key is not RSA. Only RSA signatures are supported')
  if ((details?.modulusLength ?? 0) < 2048) throw new BadCertificate('Its key has fewer than 2048 bits')
  return {
    pem: found.toString(),
    subject: found.subject.replaceAll('\n', ', '),
    fingerprint: found.fingerprint256.replaceAll(':', '').toLowerCase(),
    not_after: new Date(found.validTo).toISOString(),
  }
}

/** Descriptors of identity providers in metadata for one or more entities. */
function* providersIn(root: Element): Generator<{ entity: Element; role: Element }> {
  const entities = is(root, 'metadata', 'EntityDescriptor') ? [root] : named(root, 'metadata', 'EntityDescriptor')
  for (const entity of entities)
    for (const role of named(entity, 'metadata', 'IDPSSODescriptor')) yield { entity, role }
}

function signInAddress(role: Element): string {
  const services = named(role, 'metadata', 'SingleSignOnService')
  const [found] = services.filter((it) => attribute(it, 'Binding') === REDIRECT)
  const address = found && attribute(found, 'Location')
  if (!address) {
    const hasPost = services.some((it) => attribute(it, 'Binding') === POST)
    throw new BadXml(
      hasPost
        ? 'The provider accepts requests only by POST. Configure it to accept them by redirect'
        : 'The metadata have no sign-in URL',
    )
  }
  if (!URL.canParse(address) || !/^https?:/.test(address)) throw new BadXml('The sign-in URL is not valid')
  return address
}

/** Maximum number of skipped certificates to report individually. */
const MOST_SKIPPED = 20

/**
 * Signing certificates. Invalid ones are skipped; if there are too many, those that expire last are kept. Throws
 * `BadCertificate` if none is valid.
 */
function certificatesIn(role: Element): Pick<ReadMetadata, 'certificates' | 'skipped'> {
  const texts = named(role, 'metadata', 'KeyDescriptor')
    .filter((it) => attribute(it, 'use') !== 'encryption')
    .flatMap((it) => named(it, 'signature', 'KeyInfo'))
    .flatMap((it) => named(it, 'signature', 'X509Data'))
    .flatMap((it) => named(it, 'signature', 'X509Certificate'))
    .map(contentOf)
  if (texts.length === 0) throw new BadXml('The metadata have no signing certificate')
  const good: (SigningCertificate & { place: number })[] = []
  const skipped: string[] = []
  for (const [at, text] of [...new Set(texts.map((it) => it.replaceAll(/\s/g, '')))].entries())
    try {
      good.push({ ...readCertificate(text), place: at + 1 })
    } catch (error) {
      if (!(error instanceof BadCertificate)) throw error
      skipped.push(`Certificate ${at + 1}: ${error.message}`)
    }
  if (good.length === 0) throw new BadCertificate(`No certificate of the metadata can be used. ${skipped[0]}`)
  const kept = good.toSorted((one, two) => two.not_after.localeCompare(one.not_after)).slice(0, mostCertificates)
  for (const it of good)
    if (!kept.includes(it))
      skipped.push(`Certificate ${it.place}: there are more than ${mostCertificates}, and it expires before the others`)
  const more = skipped.splice(MOST_SKIPPED).length
  if (more > 0) skipped.push(`${more} more certificates are not used`)
  return { certificates: good.filter((it) => kept.includes(it)).map(({ pem }) => pem), skipped }
}

/**
 * Parses the metadata of the provider with this entity ID, or of the only provider. Throws `BadXml` or
 * `BadCertificate`.
 */
export function readMetadata(text: string, issuer: string | null): ReadMetadata {
  const found = [...providersIn(parseXml(text, { comments: 'allowed' }))]
  const ids = [...new Set(found.map(({ entity }) => attribute(entity, 'entityID') ?? ''))]
  if (found.length === 0) throw new BadXml('These are not metadata of a SAML identity provider')
  if (issuer === null && ids.length > 1)
    throw new BadXml('These are metadata of several providers. Enter the entity ID of one')
  const one = found.find(({ entity }) => issuer === null || attribute(entity, 'entityID') === issuer)
  if (!one) throw new BadXml(`The metadata belong to another provider: ${ids.join(', ').slice(0, 255)}`)
  const id = attribute(one.entity, 'entityID') ?? ''
  if (id === '' || id.length > 1024) throw new BadXml('The entity ID in the metadata is empty or too long')
  return { issuer: id, sso_url: signInAddress(one.role), ...certificatesIn(one.role) }
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`)

/** Metadata of this service, for providers. */
export const ownMetadata = (entityId: string, acs: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escaped(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${POST}" Location="${escaped(acs)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`

/** Authentication request for the redirect binding. */
export const authnRequest = (its: { id: string; issued: Date; entityId: string; acs: string; to: string }): string =>
  `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${its.id}" Version="2.0" IssueInstant="${its.issued.toISOString()}" Destination="${escaped(its.to)}" ProtocolBinding="${POST}" AssertionConsumerServiceURL="${escaped(its.acs)}"><saml:Issuer>${escaped(its.entityId)}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`
