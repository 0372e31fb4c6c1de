import { describe, expect, it } from 'vitest'
import { makeSamlKey, metadataXml, SAML_ISSUER } from '../../testing/outside/saml-response'
import { makeTestCertificate } from '../../testing/certificates/certificates'
import { makeRsaCertificate } from '../../testing/certificates/rsa-certificate'
import { readMetadata } from './metadata'

const curved = (await makeTestCertificate({ names: ['a'] })).cert
const [key, other] = [makeSamlKey().cert, makeSamlKey().cert]
const its = { issuer: SAML_ISSUER, sso_url: 'https://saml.company.example/sso' }

it('reads the signing keys of a provider and ignores its encryption keys', () => {
  const text = metadataXml({ ...its, certificates: [other, key], use: ['encryption', 'signing'] })
  const { certificates } = readMetadata(text, null)
  expect(certificates.map((it) => it.replaceAll(/\s/g, ''))).toEqual([key.replaceAll(/\s/g, '')])
})

it.each<[string, Partial<typeof its>, string, RegExp]>([
  ['with a short key', {}, makeRsaCertificate({ names: ['a'], bits: 1024 }).cert, /2048 bits/],
  ['without an entity ID', { issuer: '' }, key, /entity ID.*empty/],
  ['with an entity ID of 1025 characters', { issuer: 'a'.repeat(1025) }, key, /too long/],
])('refuses metadata %s', (_, wrong, certificate, words) => {
  expect(() => readMetadata(metadataXml({ ...its, ...wrong, certificates: [certificate] }), null)).toThrow(words)
})

describe('certificates in metadata', () => {
  const body = (pem: string) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const short = makeRsaCertificate({ names: ['a'], bits: 1024 }).cert

  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
  const readOf = (...certificates: string[]) => {
    const found = readMetadata(metadataXml({ ...its, certificates }), null)
    return { kept: found.certificates.map(body), skipped: found.skipped }
  }

  it.each<[string, string, RegExp]>([
    ['with an elliptic curve key', curved, /not RSA/],
    ['with a short key', short, /2048 bits/],
    ['that is not a certificate', broken, /not a certificate/],
  ])('reports one %s and keeps the other certificates', (_, bad, words) => {
    for (const [certificates, place] of [
      [[key, bad], 2],
      [[bad, key], 1],
    ] as const) {
      const { kept, skipped } = readOf(...certificates)
      expect(kept).toEqual([body(key)])
      expect(skipped).toEqual([expect.stringMatching(words)])
      expect(skipped[0]).toMatch(new RegExp(`^Certificate ${place}: `))
    }
  })

  it('finds a valid certificate after many invalid ones', () => {
    const bad = Array.from({ length: 30 }, (_, at) => broken.replace('AAAA', `AAA${String.fromCharCode(65 + at)}`))
    const { kept, skipped } = readOf(...bad, key)
    expect(kept).toEqual([body(key)])
    expect(skipped).toHaveLength(21)
    expect(skipped.at(-1)).toBe('10 more certificates are not used')
  })

  it('keeps the certificates that expire last if there are too many, and reports the rest', () => {
    const days = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    const all = days.map((it) => makeRsaCertificate({ names: [`n${it}`], days: it * 30 }).cert)
    const { kept, skipped } = readOf(...all)
    expect(kept).toEqual(all.slice(2).map(body))
    expect(skipped).toEqual([
      expect.stringMatching(/^Certificate 1: there are more than 8/),
      expect.stringMatching(/^Certificate 2: there are more than 8/),
    ])
  })

  it('refuses metadata without a valid certificate and gives the reason', () => {
    expect(() => readOf(broken, short)).toThrow(/No certificate .* Certificate 1: This is not a certificate/)
  })
})
