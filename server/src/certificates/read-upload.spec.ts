import 'reflect-metadata'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { X509Certificates } from '@peculiar/x509'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeTestCertificate, type TestCertificate } from '../testing/certificates/certificates'
import { makeRsaCertificate } from '../testing/certificates/rsa-certificate'
import { judge, warningsOf } from './judge'
import { readUpload } from './read-upload'

let authority: TestCertificate
let own: TestCertificate
beforeAll(async () => {
  authority = await makeTestCertificate({ names: [], isAuthority: true, subject: 'CN=authority' })
  own = await makeTestCertificate({ names: ['console.example', '192.0.2.7'], issuer: authority })
})

const file = (name: string, bytes: Buffer | string) => ({ name, bytes: Buffer.from(bytes) })
const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256
const read = (...files: Parameters<typeof readUpload>) => judge(readUpload(...files))

/** Key store with a P-256 key and the password `secret`, created by OpenSSL 3. */
const storeOfOpenssl = Buffer.from(
  [
    'MIIEPAIBAzCCA/IGCSqGSIb3DQEHAaCCA+MEggPfMIID2zCCApIGCSqGSIb3DQEHBqCCAoMwggJ/AgEAMIICeAYJKoZIhvcNAQcB',
    'MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAg+yAgq++6YgQICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFM7',
    'FHxsjOd0EDlbXGiaqeGAggIQV6mqc/yg1hBO2TzKs4r50zV+/rw8l4D70C3R2T5MiWmXMnsmrrSXQEf0XVOGWhajyh2wtpQqfHRq',
    'iq5bpall8/BIvHB+KD6KVsTzmpsFslUId3xB4NzH4M9QsV4ij2EURJyGDJRLmJG01IponwPgnuV1Y1ILQs6j76hoPnrGhWUfP7xy',
    'im8/MdgEorEr0fmWxOE2WzK9EDfoicmXxmTPex+JC8TA01EhKXKvCleyTEFxF0sgSlB57TwqrqochEfOjzeo/8C6as4QYeWJR5G0',
    'geq6XJtbEuMhX1lggS6d+/iJbjVz7LXGGFh/vzGzXM8iQ0CyLFYTV2jLtSTIWGVbLd/xJrXI8Tzc1IsCixCcmVteh1SYyiySKPZd',
    'NRE2c2dAaB/RGmJEzFXHddtFEmm7Himh4O40voURdHaQjjUhNeZtlPQ7shrYVEObkviFenLkhkAe+SHszdkxUIF1/h0vrGGfHOQs',
    'vCvhvUh2QKuNkBhUtxxyjAP0QUJ+CFJE14d8XtHbiMjieUa7cJqYwslQuAyq+e/rpFGY/ZqhKLfLFUW4lxSrvUAgGNbO43SYFjps',
    'el6owifuYhMS9Iq01iXebDbK34bGmzcQCUNDSbOD4lxARj53kRl1a3DrMhlS5M0z1pBGBK6smG3PU3ArZqsX36tafBuZdoSLOv1A',
    '6QJnzLHboThdtKcz5HfdleYh22C9MIIBQQYJKoZIhvcNAQcBoIIBMgSCAS4wggEqMIIBJgYLKoZIhvcNAQwKAQKgge8wgewwVwYJ',
    'KoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECJLrUnOD2KNiAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ83iZ/r0Z',
    'UurqrdxapC+hHwSBkLjKXUC1nkUsset1NAYocrjqxDjhS94R/v4YXTPEtUGeobr80u8svVHehBNIoZlh1WCKQ4YGHiNuifoNVC4J',
    '79NuzooVF15hsACLTgqu1GJ6YhVgAStF42rmCv2Kxw3DlVhSMmHvjMigLz7zULMFvgNvSMCmi2jQNZjdtj1IF1zwPkM9upbp/1/T',
    'OXgwE3GvRTElMCMGCSqGSIb3DQEJFTEWBBT9h2iW7iNtPdHvD7PcOdfp4xptOzBBMDEwDQYJYIZIAWUDBAIBBQAEIOIoVghjcQV6',
    'W0lJk5gp1+6lQHP7FbTAfwUlCIfoCMNgBAjgEsLwsSTRKQICCAA=',
  ].join(''),
  'base64',
)

describe('a certificate upload', () => {
  it('accepts every certificate file type, with the key in a separate file', () => {
    const key = file('key.pem', own.key)
    const bundle = new X509Certificates([own.issuer.certificate, authority.issuer.certificate])
    const bundlePem = bundle.export()
    for (const [cert, chain] of [
      [file('a.pem', own.cert + authority.cert), 2],
      [file('a.CRT', own.cert), 1],
      [file('a.cer', own.der), 1],
      [file('a.der', own.der), 1],
      [file('a.p7b', bundlePem), 2],
      [file('a.p7c', Buffer.from(bundle.export('raw'))), 2],
    ] as const) {
      const pair = read(cert, key)
      expect(fingerprint(pair.cert), cert.name).toBe(fingerprint(own.cert))
      expect(pair.cert.match(/BEGIN CERTIFICATE/g), cert.name).toHaveLength(chain)
    }
  })

  it('accepts a single file with the key and the chain in any order', () => {
    const pair = read(file('all.pem', authority.cert + own.key + own.cert), null)
    expect(fingerprint(pair.cert)).toBe(fingerprint(own.cert))
    expect(pair.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
  })

  it('accepts PEM and DER keys, with or without a password', () => {
    const cert = file('a.pem', own.cert)
    const sealed = createPrivateKey(own.key).export({
      ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
    } as never) as unknown as string
    for (const key of [file('a.key', own.key), file('a.der', own.keyDer)])
      expect(read(cert, key).key).toBe(read(cert, file('b.pem', own.key)).key)
    expect(read(cert, file('a.pem', sealed), 'secret').key).toContain('BEGIN PRIVATE KEY')
    for (const password of ['wrong', undefined])
      expect(() => read(cert, file('a.pem', sealed), password)).toThrow(
        expect.objectContaining({ code: 'certificate_password_wrong', fields: { password: [expect.any(String)] } }),
      )
  })

  it('opens key stores from OpenSSL and from older programs, and limits key derivation rounds', () => {
    expect(read(file('a.p12', storeOfOpenssl), null, 'secret').cert).toContain('BEGIN CERTIFICATE')
    const made = makeRsaCertificate({ names: ['console.example'] })
    const store = (options: object) => file('a.pfx', made.keyStore('secret', options))
    expect(read(store({ algorithm: '3des' }), null, 'secret').key).toContain('BEGIN PRIVATE KEY')
    expect(() => read(store({ algorithm: '3des' }), null, 'wrong')).toThrow(
      expect.objectContaining({ code: 'certificate_password_wrong' }),
    )
    expect(() => read(store({ algorithm: 'aes256', count: 100_001 }), null, 'secret')).toThrow(
      expect.objectContaining({ code: 'certificate_unreadable', message: expect.stringContaining('100000') }),
    )
  })
})

describe('a certificate upload is refused', () => {
  const refused = (work: () => unknown, code: string, field: string) =>
    expect(work).toThrow(expect.objectContaining({ code, fields: { [field]: [expect.any(String)] } }))

  it('if the file contains no readable certificate', () => {
    const key = file('key.pem', own.key)
    for (const [name, bytes] of [
      ['a.pem', 'no certificate'],
      ['a.der', own.der.subarray(0, 100)],
      ['a.p7b', Buffer.alloc(1000, 0x30)],
      ['a.p12', own.der],
      ['a.pfx', Buffer.alloc(0)],
      ['a.pem', own.key],
    ] as const)
      refused(() => read(file(name, bytes), key), 'certificate_unreadable', 'cert')
    refused(() => read(file('a.pem', own.cert), file('a.key', 'no key')), 'certificate_unreadable', 'key')
  })

  it('without a key, or with a key for another certificate', async () => {
    refused(() => read(file('a.pem', own.cert), null), 'certificate_without_key', 'key')
    const other = await makeTestCertificate({ names: ['console.example'] })
    refused(() => read(file('a.pem', own.cert), file('a.key', other.key)), 'certificate_key_mismatch', 'key')
  })

  it('if the certificate has expired or has no host name', async () => {
    const over = await makeTestCertificate({ names: ['console.example'], days: -1 })
    refused(() => read(file('a.pem', over.cert), file('a.key', over.key)), 'certificate_expired', 'cert')
    const nameless = await makeTestCertificate({ names: [] })
    refused(() => read(file('a.pem', nameless.cert), file('a.key', nameless.key)), 'certificate_unusable', 'cert')
  })
})

it('warns about a certificate that expires soon, is for another host, or is not trusted by clients', async () => {
  const soon = await makeTestCertificate({ names: ['console.example'], days: 20, issuer: authority })
  expect(warningsOf(soon.cert + authority.cert, 'console.example')).toEqual(['The certificate expires in 19 days'])
  expect(warningsOf(own.cert + authority.cert, '192.0.2.7')).toEqual([])
  expect(warningsOf(own.cert + authority.cert, 'other.example')[0]).toMatch(/is not valid for other\.example/)
  expect(warningsOf(own.cert, null)[0]).toMatch(/issuer certificate is missing/)
  const alone = await makeTestCertificate({ names: ['console.example'] })
  expect(warningsOf(alone.cert, null)[0]).toMatch(/certificate is self-signed/)
})

it('warns about a served certificate that has expired or is not yet valid', async () => {
  const { cert } = await makeTestCertificate({ names: ['console.example'], issuer: authority })
  const { validFrom, validTo } = new X509Certificate(cert)
  const warning = 'The certificate is not valid at this time: browsers reject it'
  expect(warningsOf(cert, null, Date.parse(validTo) - 1000)).not.toContain(warning)
  for (const now of [Date.parse(validTo), Date.parse(validFrom) - 1000])
    expect(warningsOf(cert, null, now)).toContain(warning)
})
