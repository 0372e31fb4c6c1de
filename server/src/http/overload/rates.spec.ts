import { expect, test } from 'vitest'
import { createRates } from './rates'

test('allows a burst, then a fixed rate, and returns the time to wait', () => {
  let now = 0
  const rates = createRates({ burst: 3, perSecond: 0.5 }, () => now)
  expect([1, 2, 3].map(() => rates.take('a'))).toEqual([0, 0, 0])
  expect(rates.take('a')).toBe(2)
  expect(rates.take('b')).toBe(0)
  now += 2000
  expect([rates.take('a'), rates.take('a')]).toEqual([0, 2])
  now += 3600_000
  expect([1, 2, 3, 4].map(() => rates.take('a'))).toEqual([0, 0, 0, 2])
})

test('remembers only the 50 000 most recently used keys', () => {
  const rates = createRates({ burst: 1, perSecond: 0.001 }, () => 0)
  rates.take('first')
  for (let key = 0; key < 49_999; key++) rates.take(`${key}`)
  expect(rates.take('first')).toBeGreaterThan(0)
  rates.take('one more')
  expect([rates.take('first'), rates.take('0')]).toEqual([1000, 0])
})
