import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

const DAY_MS = 24 * 3600 * 1000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** A certificate with its key, as PEM and DER. */
export interface TestCertificate {
  cert: string
  key: string
  der: Buffer
  keyDer: Buffer
  /** Certificate and keys for signing other certificates. */
  issuer: { certificate: x509.X509Certificate; keys: CryptoKeyPair }
}

const pem = (label: string, bytes: ArrayBuffer): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes)
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')}\n-----END ${label}-----\n`

/** Creates a certificate, signed by `issuer` or self-signed. `days`: validity in days from now; may be negative. */
export async function makeTestCertificate(options: {
  names: readonly string[]
  days?: number
  issuer?: TestCertificate
  isAuthority?: boolean
  subject?: string
}): Promise<TestCertificate> {
  const { names, days = 90, issuer, isAuthority = false, subject = `CN=${names[0] ?? 'authority'}` } = options
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const common = {
    notBefore: new Date(Date.now() - 400 * DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      ...(names.length === 0
        ? []
        : [
            new x509.SubjectAlternativeNameExtension(
              names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
            ),
          ]),
    ],
  }
  const certificate = issuer
    ? await x509.X509CertificateGenerator.create(
        {
          ...common,
          subject,
          issuer: issuer.issuer.certificate.subject,
          publicKey: keys.publicKey,
          signingKey: issuer.issuer.keys.privateKey,
        },
        webcrypto as Crypto,
      )
    : await x509.X509CertificateGenerator.createSelfSigned({ ...common, name: subject, keys }, webcrypto as Crypto)
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    cert: `${certificate.toString('pem')}\n`,
    key: pem('PRIVATE KEY', pkcs8),
    der: Buffer.from(certificate.rawData),
    keyDer: Buffer.from(pkcs8),
    issuer: { certificate, keys },
  }
}
