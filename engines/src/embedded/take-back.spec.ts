import { Problem } from '@mainstay/contract/core/problems'
import { expect, test } from 'vitest'
import { silent } from './testing/embedded-cloud'
import { takeBack } from './take-back'

test('retries in the background while the records are unreachable', { tags: 'all' }, async () => {
  let attempts = 0
  await takeBack(silent, () => {
    if (++attempts < 3) return Promise.reject(new Problem('database_unavailable', 'away'))
    return Promise.resolve()
  })
  expect(attempts).toBe(1)
  await expect.poll(() => attempts).toBe(3)
})

test('rethrows any other failure', async () => {
  await expect(takeBack(silent, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
