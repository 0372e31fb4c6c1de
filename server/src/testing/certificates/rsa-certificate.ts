import { generateKeyPairSync } from 'node:crypto'
import { isIP } from 'node:net'
import forge from 'node-forge'
import { rsaKey } from './rsa-key'

const DAY_MS = 24 * 3600 * 1000

interface Options {
  names: readonly string[]
  days?: number
  /** Key size in bits; 2048 by default. */
  bits?: number
}

/**
 * Creates a self-signed certificate with an RSA key, as PEM; `keyStore` returns both as PKCS#12. Uses only pure
 * JavaScript, so that it also works in browser specs, which have no Node.js buffers.
 */
export function makeRsaCertificate({ names, days = 90, bits }: Options) {
  const privateKey = bits ? generateKeyPairSync('rsa', { modulusLength: bits }).privateKey : rsaKey()
  const key = forge.pki.privateKeyFromPem(privateKey.export({ type: 'pkcs1', format: 'pem' }) as string)
  const made = forge.pki.createCertificate()
  made.publicKey = forge.pki.setRsaPublicKey(key.n, key.e)
  made.validity.notBefore = new Date(Date.now() - DAY_MS)
  made.validity.notAfter = new Date(Date.now() + days * DAY_MS)
  const subject = [{ name: 'commonName', value: names[0]! }]
  made.setSubject(subject)
  made.setIssuer(subject)
  const altNames = names.map((value) => (isIP(value) ? { type: 7, ip: value } : { type: 2, value }))
  made.setExtensions([{ name: 'subjectAltName', altNames }])
  made.sign(key, forge.md.sha256.create())
  return {
    cert: forge.pki.certificateToPem(made),
    key: forge.pki.privateKeyToPem(key),
    keyStore: (password: string, options: object): Buffer =>
      Buffer.from(forge.asn1.toDer(forge.pkcs12.toPkcs12Asn1(key, [made], password, options)).getBytes(), 'latin1'),
  }
}
