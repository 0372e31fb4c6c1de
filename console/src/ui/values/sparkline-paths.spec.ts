import { expect, test } from 'vitest'
import { sparklinePaths } from './sparkline-paths'

const box = { width: 30, height: 12 }

test('scales values from the bottom to the top edge', () => {
  expect(sparklinePaths([0, 5, 10, 0], box)).toEqual([
    { line: 'M0 11L10 6L20 1L30 11', area: 'M0 12L0 11L10 6L20 1L30 11L30 12Z' },
  ])
})

test('breaks the line at a gap', () => {
  expect(sparklinePaths([1, 1, null, 1, 1], box)).toHaveLength(2)
})

test('draws a single value as a dot and nothing without values', () => {
  expect(sparklinePaths([4], box)[0]?.line).toBe('M15 1L15 1')
  expect(sparklinePaths([null, null], box)).toEqual([])
  expect(sparklinePaths([], box)).toEqual([])
})

test('clips values beyond the scale to the drawing area', () => {
  expect(sparklinePaths([-5, 500], { ...box, high: 100 })[0]?.line).toBe('M0 11L30 1')
})

test('draws a flat line of zeros at the bottom', () => {
  expect(sparklinePaths([0, 0], box)[0]?.line).toBe('M0 11L30 11')
})
