import { expect, test } from 'vitest'
import { rememberFlavorIds } from './flavor-ids'

test('reads all flavors once for many servers, and rereads them after a minute or for an unknown flavor', async () => {
  let now = 0
  let reads = 0
  const cloud = new Map([['1 64 small', 'a']])
  const remembered = rememberFlavorIds(() => now)
  const idOf = async (key: string) => {
    const read = async () => {
      reads++
      return new Map(cloud)
    }
    return (await remembered.get([key], read)).get(key)
  }
  expect(await Promise.all(Array.from({ length: 250 }, () => idOf('1 64 small')))).toEqual(Array(250).fill('a'))
  expect(reads).toBe(1)
  cloud.set('2 128 new', 'b')
  expect([await idOf('2 128 new'), reads]).toEqual(['b', 2])
  // a deleted flavor is not looked up each time its server is read
  expect([await idOf('9 9 gone'), await idOf('9 9 gone'), reads]).toEqual([undefined, undefined, 3])
  now = 61_000
  expect([await idOf('1 64 small'), reads]).toEqual(['a', 4])
})
