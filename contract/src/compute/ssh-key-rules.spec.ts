import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePublicKey, publicKeyFaultText, sshKeyTypes } from './ssh-key-rules'
import { PublicKeyText, SshKeyName } from './ssh-keys'

const field = (bytes: Buffer | string) => {
  const body = Buffer.from(bytes as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
const line = (algorithm: string, ...fields: Buffer[]) =>
  `${algorithm} ${Buffer.concat([field(algorithm), ...fields.map(field)]).toString('base64')} ada@laptop`
const base64url = (text: string | undefined) => Buffer.from(text!, 'base64url')
/** Encodes a positive integer for a key blob, in which integers are signed. */
const positive = (bytes: Buffer) => (bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
const jwk = (key: KeyObject) => key.export({ format: 'jwk' })

const rsa = (modulusLength: number) => {
  const { n, e } = jwk(generateKeyPairSync('rsa', { modulusLength }).publicKey)
  return line('ssh-rsa', positive(base64url(e)), positive(base64url(n)))
}
const ecdsa = (curve: 'P-256' | 'P-384' | 'P-521', name: string) => {
  const { x, y } = jwk(generateKeyPairSync('ec', { namedCurve: curve }).publicKey)
  return line(`ecdsa-sha2-${name}`, Buffer.from(name), Buffer.concat([Buffer.from([4]), base64url(x), base64url(y)]))
}
const ed25519 = line('ssh-ed25519', base64url(jwk(generateKeyPairSync('ed25519').publicKey).x))
const dss = line('ssh-dss', Buffer.alloc(129, 1), Buffer.alloc(21, 1), Buffer.alloc(128, 2), Buffer.alloc(128, 3))

test('accepts keys of the types ssh-rsa, ecdsa, ed25519 and dss, and no others [VA-047]', () => {
  expect(sshKeyTypes).toEqual(['ssh-rsa', 'ecdsa', 'ed25519', 'dss'])
  expect(parsePublicKey(rsa(2048))).toMatchObject({ type: 'ssh-rsa', weak: false })
  expect(parsePublicKey(ecdsa('P-256', 'nistp256'))).toMatchObject({ type: 'ecdsa', weak: false })
  expect(parsePublicKey(ecdsa('P-384', 'nistp384'))).toMatchObject({ type: 'ecdsa' })
  expect(parsePublicKey(ecdsa('P-521', 'nistp521'))).toMatchObject({ type: 'ecdsa' })
  expect(parsePublicKey(ed25519)).toMatchObject({ type: 'ed25519', weak: false, comment: 'ada@laptop' })
  expect(parsePublicKey(dss)).toMatchObject({ type: 'dss', weak: true })
  for (const algorithm of ['ssh-ed448', 'ssh-xmss', 'rsa', 'x509v3-ssh-rsa', 'ssh-rsa-cert-v01@openssh.com']) {
    expect(parsePublicKey(line(algorithm, Buffer.alloc(32, 1)))).toBe('unknown_type')
  }
})

test('accepts a short RSA key but reports it as weak', () => {
  expect(parsePublicKey(rsa(1024))).toMatchObject({ type: 'ssh-rsa', weak: true })
  expect(parsePublicKey(rsa(2047))).toMatchObject({ weak: true })
})

test('recognizes a private key in any common format', () => {
  for (const text of [
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
    '-----BEGIN PRIVATE KEY-----\nMIIE',
    '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIE',
    'PuTTY-User-Key-File-3: ssh-ed25519\n',
  ]) {
    expect(parsePublicKey(text)).toBe('private_key')
    expect(PublicKeyText.safeParse(text).error?.issues[0]?.message).toBe(publicKeyFaultText.private_key)
  }
})

test('reports empty input and input with several keys', () => {
  expect(parsePublicKey(' \n ')).toBe('empty')
  expect(parsePublicKey(`${ed25519}\n${ed25519}`)).toBe('several_lines')
  expect(parsePublicKey(`  ${ed25519}\r\n`)).toMatchObject({ type: 'ed25519' })
})

test('the parser never throws, and accepts its own output [VA-047]', () => {
  const mutated = fc
    .tuple(fc.constantFrom(ed25519, dss), fc.nat(400), fc.string({ maxLength: 4 }))
    .map(([text, at, put]) => {
      const place = at % text.length
      return text.slice(0, place) + put + text.slice(place + 1)
    })
  fc.assert(
    fc.property(fc.oneof(fc.string(), mutated), (text) => {
      const key = parsePublicKey(text)
      expect(PublicKeyText.safeParse(text).success).toBe(typeof key !== 'string')
      if (typeof key === 'string') return
      expect(sshKeyTypes).toContain(key.type)
      expect(parsePublicKey(`${key.algorithm} ${key.blob}`)).toMatchObject({ type: key.type, blob: key.blob })
    }),
    { numRuns: 2000 },
  )
})

test('refuses a truncated key, wherever it was cut', () => {
  const [algorithm, blob] = ed25519.split(' ') as [string, string]
  const bytes = Buffer.from(blob, 'base64')
  for (let length = 1; length < bytes.length; length++) {
    // a cut between two fields leaves no key data, which is just as invalid
    const cut = `${algorithm} ${bytes.subarray(0, length).toString('base64')}`
    expect(parsePublicKey(cut)).toBe('malformed')
  }
})

test('a key name may contain only letters, digits, spaces, hyphens, underscores and dots', () => {
  for (const name of ['a', 'my key', 'ada-1_x.y', 'x'.repeat(255)])
    expect(SshKeyName.safeParse(name).success).toBe(true)
  for (const name of ['', 'a/b', 'ключ', 'x'.repeat(256), 'a\nb'])
    expect(SshKeyName.safeParse(name).success).toBe(false)
})
