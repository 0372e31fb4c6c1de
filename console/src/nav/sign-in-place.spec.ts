import { expect, test } from 'vitest'
import { partsOfSignIn } from './sign-in-place'

test.each([
  ['/login', undefined, undefined],
  ['/login/a%20b?redirectUrl=/x', 'a b', undefined],
  ['/login/sales/the%2Fone#top', 'sales', 'the/one'],
  ['/login/%E0%A4%A/%zz', '%E0%A4%A', '%zz'],
])('parses the domain and provider from %s, even if malformed', (place, domain, provider) => {
  expect(partsOfSignIn(place)).toEqual({ domain, provider })
})
