import { says, type RuleText } from '@mainstay/contract/core/said'
import { createSecureContext, rootCertificates } from 'node:tls'
import { isIP } from 'node:net'
import { X509Certificate, type KeyObject } from 'node:crypto'
import { fieldProblem, problemOf } from '@mainstay/contract/core/problems'
import { EXPIRES_SOON_DAYS, type Certificate } from '@mainstay/contract/settings/certificate'
import type { ReadUpload } from './read-upload'

/** PEM certificate chain and private key. */
export interface CertificatePair {
  cert: string
  key: string
}

const DAY_MS = 24 * 3600 * 1000

/** DNS names and IP addresses in the subject alternative name, such as `DNS:a.example, IP Address:10.0.0.5`. */
const namesOf = ({ subjectAltName = '' }: X509Certificate): string[] =>
  [...subjectAltName.matchAll(/(?:DNS|IP Address):("?)([^,"]+)\1/g)].map(([, , name]) => name!)

const oneLine = (name: string): string => name.split('\n').join(', ')

/** Describes the first certificate in a PEM chain. */
export function describe(chain: string, now = Date.now()): Certificate {
  const first = new X509Certificate(chain)
  const [from, to] = [Date.parse(first.validFrom), Date.parse(first.validTo)]
  return {
    subject: oneLine(first.subject ?? ''),
    issuer: oneLine(first.issuer ?? ''),
    names: namesOf(first),
    not_before: new Date(from).toISOString(),
    not_after: new Date(to).toISOString(),
    days_left: Math.floor((to - now) / DAY_MS),
    fingerprint: first.fingerprint256,
  }
}

const isNow = (certificate: X509Certificate, now: number): boolean =>
  Date.parse(certificate.validFrom) <= now && now < Date.parse(certificate.validTo)

const isGoodFor = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined

/** The certificate that matches the key, followed by its issuers. Unrelated certificates are dropped. */
function chainOf(certificates: readonly X509Certificate[], key: KeyObject): X509Certificate[] {
  const leaf = certificates.find((one) => one.checkPrivateKey(key))
  if (!leaf) throw fieldProblem('key', 'settings.key_of_another_certificate')
  const chain = [leaf]
  for (;;) {
    const last = chain.at(-1)!
    const issuer = certificates.find(
      (one) => !chain.includes(one) && last.checkIssued(one) && last.verify(one.publicKey),
    )
    if (!issuer) return chain
    chain.push(issuer)
  }
}

const isItsOwnIssuer = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey)

let roots: X509Certificate[] | null = null
const isOfKnownRoot = (certificate: X509Certificate): boolean =>
  (roots ??= rootCertificates.map((pem) => new X509Certificate(pem))).some((root) => certificate.checkIssued(root))

/** Warnings about the served chain. `host`: host name used to reach the panel; null skips the host name check. */
export function warningsOf(pem: string, host: string | null, now = Date.now()): string[] {
  const chain = (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  )
  const [first] = chain
  if (!first) return []
  const last = chain.at(-1)!
  const { days_left: days } = describe(pem, now)
  const warnings: string[] = []
  if (!isNow(first, now)) warnings.push('The certificate is not valid at this time: browsers reject it')
  else if (days < EXPIRES_SOON_DAYS) warnings.push(`The certificate expires in ${days} days`)
  if (host !== null && !isGoodFor(first, host))
    warnings.push(`The certificate is not valid for ${host}, the address of this server: browsers show a warning`)
  if (chain.slice(1).some((one) => !isNow(one, now)))
    warnings.push('A certificate in the chain is not valid at this time')
  if (isItsOwnIssuer(first)) warnings.push('The certificate is self-signed: browsers show a warning')
  else if (!isItsOwnIssuer(last) && !isOfKnownRoot(last))
    warnings.push('The issuer certificate is missing: add it to the file, or clients may not trust the certificate')
  return warnings
}

/**
 * Builds the chain and key to serve from an upload. Throws a `certificate_key_mismatch`, `certificate_expired` or
 * `certificate_unusable` error on the offending field.
 */
export function judge({ certificates, key }: ReadUpload, now = Date.now()): CertificatePair {
  const chain = chainOf(certificates, key)
  const [leaf] = chain
  const refuse = (message: RuleText) => problemOf(message, { field: 'cert' })
  if (Date.parse(leaf!.validTo) <= now)
    throw refuse(says('loadBalancing.certificate_ended', { day: new Date(leaf!.validTo).toISOString().slice(0, 10) }))
  if (Date.parse(leaf!.validFrom) > now)
    throw refuse(
      says('loadBalancing.certificate_begins', { day: new Date(leaf!.validFrom).toISOString().slice(0, 10) }),
    )
  if (namesOf(leaf!).length === 0) throw refuse(says('settings.certificate_without_host'))
  const pair = {
    cert: chain.map((one) => one.toString()).join(''),
    key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
  try {
    createSecureContext({ ...pair, minVersion: 'TLSv1.2' })
  } catch (error) {
    throw Object.assign(refuse(says('settings.certificate_weak')), {
      cause: error,
    })
  }
  return pair
}
