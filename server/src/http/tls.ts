import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import * as x509 from '@peculiar/x509'
import type { Config } from '../config'

export interface Tls {
  cert: string
  key: string
}

const VALID_DAYS = 365
const RENEW_DAYS = 30
const DAY_MS = 24 * 3600 * 1000

async function makeCertificate(host: string): Promise<Tls> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const names = [...new Set(['localhost', '127.0.0.1', '::1', hostname(), host])].filter(
    (it) => it !== '0.0.0.0' && it !== '::',
  )
  const cert = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=Mainstay',
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + VALID_DAYS * DAY_MS),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
        ),
      ],
    },
    webcrypto as Crypto,
  )
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    cert: cert.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
  }
}

async function readPair(certificate: string, key: string): Promise<Tls> {
  const read = async (what: string, file: string) => {
    try {
      return await readFile(file, 'utf8')
    } catch (error) {
      throw new Error(`MAINSTAY_TLS: the ${what} ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`)
    }
  }
  return { cert: await read('certificate', certificate), key: await read('key', key) }
}

/** The stored self-signed certificate; null if it expires soon or does not match the host. */
async function keptPair(certificate: string, key: string, host: string): Promise<Tls | null> {
  try {
    const pair = await readPair(certificate, key)
    const read = new X509Certificate(pair.cert)
    const expiresSoon = Date.parse(read.validTo) < Date.now() + RENEW_DAYS * DAY_MS
    const fits = host === '0.0.0.0' || host === '::' || (isIP(host) ? read.checkIP(host) : read.checkHost(host))
    return expiresSoon || !fits ? null : pair
  } catch {
    return null
  }
}

/**
 * Certificate and key for the server, PEM; null for plain HTTP. A self-signed certificate is stored in the data folder
 * and renewed a month before it expires. Throws an error with a readable message if a file cannot be read.
 */
export async function openTls(tls: Config['tls'], dataFolder: string, host: string): Promise<Tls | null> {
  if (tls.kind === 'none') return null
  if (tls.kind === 'files') return readPair(tls.certificate, tls.key)
  const folder = path.join(dataFolder, 'tls')
  const [certificate, key] = [path.join(folder, 'certificate.pem'), path.join(folder, 'key.pem')]
  const kept = await keptPair(certificate, key, host)
  if (kept) return kept
  const made = await makeCertificate(host)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(key, made.key, { mode: 0o600 })
  await chmod(key, 0o600)
  await writeFile(certificate, made.cert)
  return made
}
