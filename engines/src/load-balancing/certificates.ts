import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { Problem, fieldProblem, problemOf, withFieldNames } from '@mainstay/contract/core/problems'
import type { PoolCertificate, SniCertificateDraft } from '@mainstay/contract/load-balancing/pools'
import { says, type RuleText } from '@mainstay/contract/core/said'

/*
 * Validates certificates before a load balancer terminates TLS with them, because a single invalid certificate would
 * take down all its pools.
 */

const MOST_CERTIFICATES = 20
const KEY_TYPES = ['rsa', 'ec', 'ed25519']

/** Certificate chain and key in PEM, and the certificate details to display. */
export interface SoundPair {
  certificate: string
  key: string
  shown: PoolCertificate
}

/**
 * Returns the certificate chain in order, starting with the certificate that matches the key. Throws a
 * `certificate_unreadable`, `certificate_key_mismatch`, `certificate_expired` or `certificate_unusable` error for the
 * invalid field: `certificate` or `private_key`.
 */
export function soundPair(certificate: string, privateKey: string, now = Date.now()): SoundPair {
  const all = readCertificates(certificate, 'certificate')
  const key = readKey(privateKey)
  const leaf = all.find((one) => one.checkPrivateKey(key))
  if (!leaf) throw fieldProblem('private_key', 'settings.key_of_another_certificate')
  const refuse = (message: RuleText) => problemOf(message, { field: 'certificate' })
  const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)]
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  if (to <= now) throw refuse(says('loadBalancing.certificate_ended', { day: dayOf(to) }))
  if (from > now) throw refuse(says('loadBalancing.certificate_begins', { day: dayOf(from) }))
  const pair = {
    certificate: chainOf(leaf, all)
      .map((one) => one.toString())
      .join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
  try {
    // same security level as Debian's OpenSSL, which HAProxy uses
    createSecureContext({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.2', ciphers: 'DEFAULT@SECLEVEL=2' })
  } catch (error) {
    const problem = refuse(says('loadBalancing.certificate_weak'))
    throw Object.assign(problem, { cause: error })
  }
  return { ...pair, shown: shownOf(leaf) }
}

/**
 * Resolves SNI certificates: validates new certificates, and looks up those given by fingerprint in `before`. Throws
 * the same errors as `soundPair`, for the fields of the invalid certificate.
 */
export function sniPairs<Known extends { shown: PoolCertificate }>(
  drafts: readonly SniCertificateDraft[],
  before: readonly Known[],
): (SoundPair | Known)[] {
  const seen = new Set<string>()
  return drafts.map((draft, index) => {
    const at = `sni_certificates.${index}`
    const pair =
      'fingerprint' in draft
        ? before.find(({ shown }) => shown.fingerprint === draft.fingerprint)
        : soundPairAt(at, draft.certificate, draft.private_key)
    if (!pair) throw fieldProblem(`${at}.fingerprint`, 'loadBalancing.no_such_certificate')
    if (seen.has(pair.shown.fingerprint)) throw fieldProblem(`${at}.certificate`, 'loadBalancing.certificate_twice')
    seen.add(pair.shown.fingerprint)
    return pair
  })
}

function soundPairAt(at: string, certificate: string, privateKey: string): SoundPair {
  try {
    return soundPair(certificate, privateKey)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw withFieldNames(error, (field) => `${at}.${field}`)
  }
}

/** Parses the certificates in a PEM text. Throws a `certificate_unreadable` error for the field. */
export function readCertificates(text: string, field: string): X509Certificate[] {
  const refuse = (message: RuleText) => problemOf(message, { field })
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw refuse(says('loadBalancing.no_certificate_in_text'))
  if (blocks.length > MOST_CERTIFICATES)
    throw refuse(says('loadBalancing.too_many_certificates', { most: MOST_CERTIFICATES }))
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    throw Object.assign(refuse(says('loadBalancing.certificate_unreadable')), { cause: error })
  }
}

function readKey(text: string): KeyObject {
  const refuse = (message: RuleText) => problemOf(message, { field: 'private_key' })
  if (/ENCRYPTED/.test(text)) throw refuse(says('loadBalancing.key_has_password'))
  let key: KeyObject
  try {
    key = createPrivateKey({ key: text, format: 'pem' })
  } catch (error) {
    throw Object.assign(refuse(says('loadBalancing.key_unreadable')), { cause: error })
  }
  if (!KEY_TYPES.includes(key.asymmetricKeyType ?? '')) throw refuse(says('loadBalancing.key_type'))
  return key
}

/** Builds the certificate chain for the leaf. Certificates that are not part of the chain are dropped. */
function chainOf(leaf: X509Certificate, all: readonly X509Certificate[]): X509Certificate[] {
  const chain = [leaf]
  for (;;) {
    const last = chain.at(-1)!
    const issuer = all.find((one) => !chain.includes(one) && last.checkIssued(one) && last.verify(one.publicKey))
    if (!issuer) return chain
    chain.push(issuer)
  }
}

const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ')

const shownOf = (leaf: X509Certificate): PoolCertificate => ({
  subject: oneLine(leaf.subject),
  issuer: oneLine(leaf.issuer),
  names: [...(leaf.subjectAltName ?? '').matchAll(/(?:DNS|IP Address):("?)([^,"]+)\1/g)].map(([, , name]) => name!),
  not_before: new Date(leaf.validFrom).toISOString(),
  not_after: new Date(leaf.validTo).toISOString(),
  fingerprint: leaf.fingerprint256,
})
