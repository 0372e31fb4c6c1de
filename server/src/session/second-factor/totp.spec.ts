import { expect, it } from 'vitest'
import { base32, codeAt, fromBase32, makeSecret, stepOf, totpUri } from './totp'

/** The secret from the test vectors in RFC 6238. */
const secret = base32(Buffer.from('12345678901234567890'))
const at = (seconds: number) => new Date(seconds * 1000)

it.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('computes the code in RFC 6238 for a time of %d s: %s', (seconds, code) => {
  expect(codeAt(secret, Math.floor(seconds / 30))).toBe(code)
})

it('secrets have 160 bits and the format that authenticator apps expect', () => {
  expect(secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  expect(fromBase32(secret).toString()).toBe('12345678901234567890')
  expect(fromBase32(makeSecret())).toHaveLength(20)
  expect(makeSecret()).not.toBe(makeSecret())
  expect(totpUri(secret, 'Mainstay', 'ada@my domain')).toBe(
    `otpauth://totp/Mainstay:ada%40my%20domain?secret=${secret}&issuer=Mainstay&algorithm=SHA1&digits=6&period=30`,
  )
})

it('a code is valid from one step before its own until one step after it', () => {
  const code = codeAt(secret, 1000)
  const good = [-2, -1, 0, 1, 2].filter((by) => stepOf(secret, code, at((1000 + by) * 30 + 15), 0) !== null)
  expect(good).toEqual([-1, 0, 1])
})

it('a code is invalid once it or a later one has been used', () => {
  const now = at(1000 * 30)
  expect(stepOf(secret, codeAt(secret, 1000), now, 999)).toBe(1000)
  expect(stepOf(secret, codeAt(secret, 1000), now, 1000)).toBeNull()
  expect(stepOf(secret, codeAt(secret, 999), now, 1000)).toBeNull()
  for (const text of ['', '12345', '1234567', 'abcdef', 'ⅥⅥⅥⅥⅥⅥ']) expect(stepOf(secret, text, now, 0)).toBeNull()
})
