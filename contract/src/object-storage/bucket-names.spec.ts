import { englishText } from '../core/english'
import { expect, test } from 'vitest'
import { bucketNameFaults } from './bucket-names'

test('a bucket name has 3 to 63 characters', () => {
  for (const length of [3, 63]) expect(bucketNameFaults('b'.repeat(length)), String(length)).toEqual([])
  for (const length of [2, 64])
    expect(bucketNameFaults('b'.repeat(length)).map(englishText), String(length)).toEqual(['Use 3 to 63 characters'])
})
