import { expect, test } from 'vitest'
import { clamp, formatPercent } from './numbers'

test('rounds a percentage to two decimal places [CO-044]', () => {
  expect(formatPercent(0.123456, 'en')).toBe('12.35%')
  expect(formatPercent(1, 'en')).toBe('100%')
})

test('clamps a number to its limits', () => {
  expect([clamp(-1, 0, 1), clamp(0.5, 0, 1), clamp(2, 0, 1)]).toEqual([0, 0.5, 1])
})
