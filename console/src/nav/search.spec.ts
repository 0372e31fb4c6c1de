import { expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search'

it('writes a readable query string and parses it back', () => {
  const search = { status: 'in:ACTIVE,ERROR', search: 'web 1', empty: '', redirectUrl: '/compute?a=b' }
  expect(stringifySearch(search)).toBe('?status=in:ACTIVE,ERROR&search=web+1&redirectUrl=/compute%3Fa%3Db')
  expect(parseSearch(stringifySearch(search))).toEqual({
    status: 'in:ACTIVE,ERROR',
    search: 'web 1',
    redirectUrl: '/compute?a=b',
  })
})
