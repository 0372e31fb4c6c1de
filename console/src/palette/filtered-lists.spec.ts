import { expect, it } from 'vitest'
import { filteredLists } from './filtered-lists'

it.each([
  ['status:error', ['server', 'volume', 'image']],
  ['Tag:web', ['server', 'image']],
  ['tags:web status:error disk', ['server', 'image']],
  ['-type:ecdsa', ['image', 'key']],
  ['attached:true', ['volume']],
  ['status:', []],
  ['web', []],
  ['http://10.0.0.1', []],
  ['fe80::1', []],
  ['foo:bar status:error', []],
])('%s is a filter of %j', (text, kinds) => {
  expect(filteredLists(text).map(({ kind }) => kind.name)).toEqual(kinds)
})
