import { expect, test } from 'vitest'
import { type Row, quantile } from '../../bench/protocol'
import { judge } from './bench-table.mjs'

const list: Row = { name: 'list', unit: 'ms', value: 30, against: { name: 'of 100', value: 15 } }
const faults = (rows: Row[], bound: object, whole = true) => judge(rows, { list: bound }, whole).faults

test('accepts values and ratios up to their bound, including the bound itself', () => {
  expect(faults([list], { max: 30, maxRatio: 2, min: 30, minRatio: 2 })).toEqual([])
  expect(faults([list], { max: 29 })).toEqual(['list: 30.0 ms > 29'])
  expect(faults([list], { min: 31 })).toEqual(['list: 30.0 ms < 31'])
  expect(faults([list], { maxRatio: 1.9 })).toEqual(['list: ratio 2.00 > 1.9'])
  expect(faults([list], { minRatio: 2.1 })).toEqual(['list: ratio 2.00 < 2.1'])
})

test('reports NaN and a missing reference as violations', () => {
  expect(faults([{ ...list, value: NaN }], { max: 30 })).toHaveLength(1)
  expect(faults([{ name: 'list', unit: 'ms', value: 30 }], { maxRatio: 3 })).toHaveLength(1)
})

test('reports a bound without a measurement if all benches ran', () => {
  expect(faults([{ ...list, name: 'other' }], { max: 30 })).toEqual(['list: has a bound but was not measured'])
  expect(faults([{ ...list, name: 'other' }], { max: 30 }, false)).toEqual([])
  expect(faults([], {}, false)).toEqual(['nothing was measured'])
  expect(faults([list, list], {})).toEqual(['two rows have the same name'])
})

test('the table shows value, ratio and bound', () => {
  expect(judge([list], { list: { maxRatio: 3 } }, true).lines[0]).toMatch(
    /list +30\.0 ms +× 2\.00 {2}against 15\.0 ms of 100 \(maxRatio 3\)/,
  )
})

test('a quantile is one of the measured values', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(quantile(hundred, 0.95)).toBe(95)
  expect(quantile([7], 0.95)).toBe(7)
  expect(() => quantile([], 0.5)).toThrow('nothing')
})
