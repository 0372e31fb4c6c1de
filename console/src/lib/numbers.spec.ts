import { expect, test } from 'vitest'
import { clamp, formatPercent } from './numbers'

test('a percentage is rounded to two digits [CO-044]', () => {
  expect(formatPercent(0.123456, 'en')).toBe('12.35%')
  expect(formatPercent(1, 'en')).toBe('100%')
})

test('clamp keeps a number inside', () => {
  expect([clamp(-1, 0, 1), clamp(0.5, 0, 1), clamp(2, 0, 1)]).toEqual([0, 0.5, 1])
})
