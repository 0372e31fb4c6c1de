import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { byteUnitFor, byteUnits, bytesIn, bytesParts, formatBytes } from './bytes'

test.each([
  [0, '0\u00a0B'],
  [1, '1\u00a0B'],
  [1023, '1,023\u00a0B'],
  [1024, '1\u00a0KiB'],
  [1536, '1.5\u00a0KiB'],
  [1024 ** 3 * 12.34, '12.3\u00a0GiB'],
  [1024 ** 4 * 123.4, '123\u00a0TiB'],
  [1024 ** 6, '1\u00a0EiB'],
  [-2048, '-2\u00a0KiB'],
])('formats %d bytes as %s', (size, said) => expect(formatBytes(size, 'en')).toBe(said))

test('rounds a size just below the next unit up to that unit instead of showing 1,024', () => {
  expect(formatBytes(1024 ** 2 - 1, 'en')).toBe('1\u00a0MiB')
  fc.assert(
    fc.property(fc.integer({ min: 1024, max: Number.MAX_SAFE_INTEGER }), (size) => {
      expect(bytesParts(size, 'en').value).not.toBe('1,024')
    }),
  )
})

test('keeps the values in a column comparable with a fixed unit', () => {
  expect(bytesParts(512 * bytesIn('MiB'), 'en', 'GiB')).toEqual({ value: '0.5', unit: 'GiB' })
})

test('uses the number format for the language', () => {
  expect(formatBytes(1536, 'de')).toBe('1,5\u00a0KiB')
})

test('keeps number and unit in order within Arabic text', () => {
  expect(formatBytes(2048, 'ar')).toMatch(/^\u2066.*KiB\u2069$/)
})

test('each unit is 1024 times the previous one [CO-043]', () => {
  expect(byteUnits.map(bytesIn)).toEqual([0, 1, 2, 3, 4, 5, 6].map((power) => 1024 ** power))
})

test('chooses a larger unit for a larger size', () => {
  expect([0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18].map((size) => byteUnitFor(size))).toEqual([
    'B',
    'B',
    'KiB',
    'MiB',
    'GiB',
    'TiB',
    'PiB',
  ])
})
