import 'reflect-metadata'
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { X509Certificates } from '@peculiar/x509'
import forge from 'node-forge'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { isKeyStore } from '@mainstay/contract/settings/certificate'

/** Contents of an upload: certificates in file order, and the private key. */
export interface ReadUpload {
  certificates: X509Certificate[]
  key: KeyObject
}

interface UploadedFile {
  name: string
  bytes: Buffer
}

/** Maximum number of key derivation rounds. More would block the server for too long. */
const MOST_ROUNDS = 100_000
const MOST_CERTIFICATES = 20

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]+?-----END \1-----/g
const pemsOf = (bytes: Buffer): { label: string; text: string }[] =>
  [...bytes.toString('latin1').matchAll(PEM)].map(([text, label]) => ({ label: label!, text }))

const unreadable = (field: 'cert' | 'key', cause?: unknown) => {
  const problem = fieldProblem(field, field === 'cert' ? 'settings.no_certificate_in_file' : 'settings.no_key_in_file')
  return Object.assign(problem, { cause })
}
const wrongPassword = () => fieldProblem('password', 'settings.wrong_file_password')

function certificatesIn(file: UploadedFile): X509Certificate[] {
  const pems = pemsOf(file.bytes)
  try {
    const single = pems.filter(({ label }) => /^(X509 |TRUSTED )?CERTIFICATE$/.test(label))
    if (single.length > 0) return single.slice(0, MOST_CERTIFICATES).map(({ text }) => new X509Certificate(text))
    const bundle = pems.find(({ label }) => /^(PKCS7|CMS)$/.test(label))
    if (bundle || /\.p7[bc]$/i.test(file.name)) {
      const found = new X509Certificates(bundle ? bundle.text : new Uint8Array(file.bytes))
      return [...found].slice(0, MOST_CERTIFICATES).map(({ rawData }) => new X509Certificate(Buffer.from(rawData)))
    }
    return [new X509Certificate(file.bytes)]
  } catch (error) {
    throw unreadable('cert', error)
  }
}

function keyIn(file: UploadedFile, password: string | undefined, field: 'cert' | 'key'): KeyObject | null {
  const pem = pemsOf(file.bytes).find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (!pem && field === 'cert') return null
  const passphrase = password === undefined ? {} : { passphrase: password }
  const isSealed = pem !== undefined && /ENCRYPTED/.test(pem.text)
  if (isSealed && password === undefined) throw fieldProblem('password', 'settings.key_needs_password')
  if (pem) {
    try {
      return createPrivateKey({ key: pem.text, ...passphrase })
    } catch (error) {
      throw isSealed ? wrongPassword() : unreadable(field, error)
    }
  }
  for (const type of ['pkcs8', 'sec1', 'pkcs1'] as const)
    try {
      return createPrivateKey({ key: file.bytes, format: 'der', type, ...passphrase })
    } catch {
      // try the next encoding
    }
  throw unreadable(field)
}

/** Refuses a key store that requires more than `MOST_ROUNDS` rounds of key derivation. */
function refuseManyRounds(node: forge.asn1.Asn1, depth = 0): void {
  if (depth > 40) throw unreadable('cert')
  const { UNIVERSAL } = forge.asn1.Class
  const parts = Array.isArray(node.value) ? node.value : []
  parts.forEach((part, at) => {
    const salt = parts[at - 1]
    const isRounds =
      part.type === forge.asn1.Type.INTEGER && part.tagClass === UNIVERSAL && salt?.type === forge.asn1.Type.OCTETSTRING
    const bytes = isRounds ? forge.util.bytesToHex(part.value as string) : '0'
    if (bytes.length > 12 || Number.parseInt(bytes || '0', 16) > MOST_ROUNDS)
      throw fieldProblem('cert', 'settings.too_many_rounds', { most: MOST_ROUNDS })
    refuseManyRounds(part, depth + 1)
    // an octet string may contain another DER structure
    if (part.type === forge.asn1.Type.OCTETSTRING && typeof part.value === 'string') {
      let inner: forge.asn1.Asn1 | null = null
      try {
        inner = forge.asn1.fromDer(part.value)
      } catch {
        // the octet string is not a DER structure
      }
      if (inner) refuseManyRounds(inner, depth + 1)
    }
  })
}

const derOf = (node: forge.asn1.Asn1): Buffer => Buffer.from(forge.asn1.toDer(node).getBytes(), 'latin1')

/** Reads a PKCS#12 key store. The library parses only RSA keys; other keys are read from the ASN.1 structure. */
function keyStoreIn(file: UploadedFile, password = ''): ReadUpload {
  let outer: forge.asn1.Asn1
  try {
    outer = forge.asn1.fromDer(file.bytes.toString('latin1'))
  } catch (error) {
    throw unreadable('cert', error)
  }
  refuseManyRounds(outer)
  let store: forge.pkcs12.Pkcs12Pfx
  try {
    store = forge.pkcs12.pkcs12FromAsn1(outer, false, password)
  } catch (error) {
    throw /password|MAC/i.test((error as Error).message) ? wrongPassword() : unreadable('cert', error)
  }
  const { certBag, keyBag, pkcs8ShroudedKeyBag } = forge.pki.oids as Record<string, string>
  const bagsOf = (bagType: string) => store.getBags({ bagType })[bagType] ?? []
  try {
    const certificates = bagsOf(certBag!)
      .slice(0, MOST_CERTIFICATES)
      .map(({ cert, asn1 }) => new X509Certificate(derOf(cert ? forge.pki.certificateToAsn1(cert) : asn1)))
    const [bag] = [...bagsOf(pkcs8ShroudedKeyBag!), ...bagsOf(keyBag!)]
    if (!bag) throw fieldProblem('cert', 'settings.no_private_key')
    const der = derOf(bag.key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(bag.key)) : bag.asn1)
    return { certificates, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
  } catch (error) {
    if ((error as Error).name === 'Problem') throw error
    throw unreadable('cert', error)
  }
}

/**
 * Reads the certificates and the private key from PEM, DER, PKCS#7 or PKCS#12 files. Throws a `certificate_unreadable`,
 * `certificate_without_key` or `certificate_password_wrong` error on the offending field.
 */
export function readUpload(cert: UploadedFile, key: UploadedFile | null, password?: string): ReadUpload {
  if (isKeyStore(cert.name)) return keyStoreIn(cert, password)
  const certificates = certificatesIn(cert)
  // a PEM file may also contain the key
  const found = key ? keyIn(key, password, 'key') : keyIn(cert, password, 'cert')
  if (!found) throw fieldProblem('key', 'settings.choose_private_key')
  return { certificates, key: found }
}
