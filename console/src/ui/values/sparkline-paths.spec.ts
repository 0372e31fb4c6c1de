import { expect, test } from 'vitest'
import { sparklinePaths } from './sparkline-paths'

const box = { width: 30, height: 12 }

test('values go from the lower to the upper edge', () => {
  expect(sparklinePaths([0, 5, 10, 0], box)).toEqual([
    { line: 'M0 11L10 6L20 1L30 11', area: 'M0 12L0 11L10 6L20 1L30 11L30 12Z' },
  ])
})

test('a gap is a gap and not a line across it', () => {
  expect(sparklinePaths([1, 1, null, 1, 1], box)).toHaveLength(2)
})

test('a lone value is a dot, no values are nothing', () => {
  expect(sparklinePaths([4], box)[0]?.line).toBe('M15 1L15 1')
  expect(sparklinePaths([null, null], box)).toEqual([])
  expect(sparklinePaths([], box)).toEqual([])
})

test('values beyond the scale stay inside the picture', () => {
  expect(sparklinePaths([-5, 500], { ...box, high: 100 })[0]?.line).toBe('M0 11L30 1')
})

test('a flat line of zeros lies at the bottom', () => {
  expect(sparklinePaths([0, 0], box)[0]?.line).toBe('M0 11L30 11')
})
