import { expect, it } from 'vitest'
import { makeSamlKey, metadataXml, SAML_ISSUER } from '../../testing/outside/saml-response'
import { makeRsaCertificate } from '../../testing/rsa-certificate'
import { readMetadata } from './metadata'

const [key, other] = [makeSamlKey().cert, makeSamlKey().cert]
const its = { issuer: SAML_ISSUER, sso_url: 'https://saml.company.example/sso' }

it('metadata say with which keys a provider signs, and not with which others encrypt for it', () => {
  const text = metadataXml({ ...its, certificates: [other, key], use: ['encryption', 'signing'] })
  const { certificates } = readMetadata(text, null)
  expect(certificates.map((it) => it.replaceAll(/\s/g, ''))).toEqual([key.replaceAll(/\s/g, '')])
})

it.each<[string, Partial<typeof its>, string, RegExp]>([
  ['with a key that is short', {}, makeRsaCertificate({ names: ['a'], bits: 1024 }).cert, /2048 bits/],
  ['without an entity id', { issuer: '' }, key, /entity id.*empty/],
  ['with an entity id of 1025 characters', { issuer: 'a'.repeat(1025) }, key, /too long/],
])('metadata are refused %s', (_, wrong, certificate, words) => {
  expect(() => readMetadata(metadataXml({ ...its, ...wrong, certificates: [certificate] }), null)).toThrow(words)
})
