import { expect, test } from 'vitest'
import { hashPassword, passwordMatches } from './passwords'

const cheap = { memoryKiB: 8, passes: 1 }

test('a hash matches its password in any Unicode form, and no other password', async () => {
  const kept = await hashPassword('Zoë’s horse, 2', cheap)
  expect(kept).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$[^$]{22}\$[^$]{43}$/)
  expect(await passwordMatches('Zoë’s horse, 2', kept)).toBe(true)
  expect(await passwordMatches('Zoe\u0308’s horse, 2', kept)).toBe(true)
  expect(await passwordMatches('zoë’s horse, 2', kept)).toBe(false)
})

test('hashes the same password with a new salt each time, at the production cost by default', async () => {
  const [one, other] = await Promise.all([hashPassword('a horse', cheap), hashPassword('a horse', cheap)])
  expect(one).not.toBe(other)
  expect(await hashPassword('a horse')).toContain('$m=65536,t=3,p=1$')
})

test('accepts passwords hashed with scrypt', async () => {
  const kept = '$scrypt$ln=4,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$wRPE7st9BNQBXIejREilV2Tm8HmeC/eM/HvICETOIKE'
  expect(await passwordMatches('correct horse 12', kept)).toBe(true)
  expect(await passwordMatches('correct horse 13', kept)).toBe(false)
})

test.each([
  '',
  'x',
  '$argon2id$',
  '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA',
  '$scrypt$',
  '$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA',
])('unknown hash formats match no password: %j', async (kept) => expect(await passwordMatches('x', kept)).toBe(false))
