import { Secret } from '@mainstay/engines/ports/secret'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createDataKey, seal, unseal } from './sealing'
import { makeToken } from './tokens'

const text = fc.string({ unit: 'grapheme', maxLength: 300 })
const place = fc.string({ maxLength: 40 })

it('a sealed text can be opened with its key and place', () => {
  fc.assert(
    fc.property(text, place, (secret, at) => {
      const key = createDataKey()
      const sealed = seal(new Secret(secret), key, at)
      expect(unseal(sealed, key, at)?.reveal()).toBe(secret)
    }),
  )
})

it('a sealed text cannot be opened with another key or place', () => {
  fc.assert(
    fc.property(text, place, place, (secret, at, elsewhere) => {
      fc.pre(at !== elsewhere)
      const key = new Secret(makeToken())
      const sealed = seal(new Secret(secret), key, at)
      expect(unseal(sealed, new Secret(makeToken()), at)).toBeNull()
      expect(unseal(sealed, key, elsewhere)).toBeNull()
    }),
  )
})

it('a sealed text cannot be opened if bytes were changed, removed or added', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(), (secret, where, change, length) => {
      const key = createDataKey()
      const sealed = seal(new Secret(secret), key, 'here')
      const changed = Buffer.from(sealed)
      const at = where % sealed.length
      changed[at] = sealed[at]! ^ change
      expect(unseal(changed, key, 'here')).toBeNull()
      expect(unseal(sealed.subarray(0, length % sealed.length), key, 'here')).toBeNull()
      expect(unseal(Buffer.concat([sealed, Buffer.of(change)]), key, 'here')).toBeNull()
    }),
  )
})

it('a sealed text reveals nothing about its content and is different each time', () => {
  const [key, secret] = [createDataKey(), new Secret('gAAAAAB-a-token-of-a-cloud')]
  const [once, again] = [seal(secret, key, 'here'), seal(secret, key, 'here')]
  expect(once.equals(again)).toBe(false)
  expect(once.toString('latin1')).not.toContain(secret.reveal())
  expect(once.toString('latin1')).not.toContain(key.reveal())
})
