import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { badField, Problem, type ProblemCode } from '@mainstay/contract/core/problems'
import type { PoolCertificate, SniCertificateDraft } from '@mainstay/contract/load-balancing/pools'

/* What is asked of a certificate before a balancer ends TLS with it: one that is not sound would keep all its pools from their work. */

const MOST_CERTIFICATES = 20
const KEY_TYPES = ['rsa', 'ec', 'ed25519']

/** PEM of both, and what is shown of the certificate. */
export interface SoundPair {
  certificate: string
  key: string
  shown: PoolCertificate
}

/**
 * The certificate of the key first, then who issued it, and so on. Throws `certificate_unreadable`, `certificate_key_mismatch`,
 * `certificate_expired`, `certificate_unusable` with the field that is wrong: `certificate` or `private_key`.
 */
export function soundPair(certificate: string, privateKey: string, now = Date.now()): SoundPair {
  const all = readCertificates(certificate, 'certificate')
  const key = readKey(privateKey)
  const leaf = all.find((one) => one.checkPrivateKey(key))
  if (!leaf) throw badField('private_key', 'The private key belongs to another certificate', 'certificate_key_mismatch')
  const refuse = (message: string, code: ProblemCode) => badField('certificate', message, code)
  const [from, to] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)]
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  if (to <= now) throw refuse(`The certificate ended on ${dayOf(to)}`, 'certificate_expired')
  if (from > now) throw refuse(`The certificate begins on ${dayOf(from)}`, 'certificate_expired')
  const pair = {
    certificate: chainOf(leaf, all)
      .map((one) => one.toString())
      .join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
  try {
    // the level of Debian's OpenSSL, with which HAProxy reads it
    createSecureContext({ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.2', ciphers: 'DEFAULT@SECLEVEL=2' })
  } catch (error) {
    const problem = refuse(
      'This certificate or its key is too weak, or of a kind that is not served',
      'certificate_unusable',
    )
    throw Object.assign(problem, { cause: error })
  }
  return { ...pair, shown: shownOf(leaf) }
}

/**
 * The certificates that are chosen by name: those that are sent, and of those `before` the ones that are named by their fingerprint.
 * Throws as `soundPair`, at the fields of the one that is wrong.
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
    if (!pair) throw badField(`${at}.fingerprint`, 'This pool has no such certificate')
    if (seen.has(pair.shown.fingerprint)) throw badField(`${at}.certificate`, 'Send each certificate once')
    seen.add(pair.shown.fingerprint)
    return pair
  })
}

function soundPairAt(at: string, certificate: string, privateKey: string): SoundPair {
  try {
    return soundPair(certificate, privateKey)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const fields = Object.entries(error.fields).map(([field, words]) => [`${at}.${field}`, words])
    throw new Problem(error.code, error.message, { fields: Object.fromEntries(fields), data: error.data })
  }
}

/** Certificates of a PEM text. Throws `certificate_unreadable` for the field. */
export function readCertificates(text: string, field: string): X509Certificate[] {
  const refuse = (message: string) => badField(field, message, 'certificate_unreadable')
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw refuse('There is no certificate in it: paste it as PEM text')
  if (blocks.length > MOST_CERTIFICATES) throw refuse(`Use at most ${MOST_CERTIFICATES} certificates`)
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    throw Object.assign(refuse('The certificate cannot be read'), { cause: error })
  }
}

function readKey(text: string): KeyObject {
  const refuse = (message: string, code: ProblemCode = 'certificate_unreadable') =>
    badField('private_key', message, code)
  if (/ENCRYPTED/.test(text)) throw refuse('The private key is locked by a password: take it off first')
  let key: KeyObject
  try {
    key = createPrivateKey({ key: text, format: 'pem' })
  } catch (error) {
    throw Object.assign(refuse('The private key cannot be read'), { cause: error })
  }
  if (!KEY_TYPES.includes(key.asymmetricKeyType ?? ''))
    throw refuse('Use a key of RSA, of an elliptic curve, or Ed25519', 'certificate_unusable')
  return key
}

/** What belongs to none of them is left out. */
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
