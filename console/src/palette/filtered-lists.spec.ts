import { expect, it } from 'vitest'
import { setKnownPages } from '../nav/known-pages'
import { adminRoutes as routes } from '../admin-routes'
import { filteredLists } from './filtered-lists'

setKnownPages(routes)

it.each([
  ['status:error', ['server', 'image', 'volume', 'node']],
  ['Tag:web', ['server', 'image']],
  ['tags:web status:error disk', ['server', 'image']],
  ['-type:ecdsa', ['image', 'key']],
  ['attached:true', ['volume']],
  ['status:', []],
  ['web', []],
  ['http://10.0.0.1', []],
  ['fe80::1', []],
  ['foo:bar status:error', []],
])('finds the lists that support %s: %j', (text, kinds) => {
  expect(filteredLists(text).map(({ kind }) => kind.name)).toEqual(kinds)
})
