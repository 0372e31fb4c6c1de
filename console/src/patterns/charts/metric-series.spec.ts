import type { MetricAnswer } from '@mainstay/contract/monitoring/metric-queries'
import { expect, test } from 'vitest'
import { lastOf, valuesOf } from './metric-series'
import { meanOver, rateOf, windowOf } from './ranges'

const window = { start: 60, end: 180, step: 60 }

test('aligns values to the times in the window and keeps gaps', () => {
  const metric = {}
  const answer = (values: [number, string][]): MetricAnswer => ({
    status: 'success',
    data: { resultType: 'matrix', result: [{ metric, values }] },
  })
  expect(
    valuesOf(
      answer([
        [60, '1'],
        [180, '3.5'],
      ]),
      window,
    ),
  ).toEqual([1, null, 3.5])
  expect(
    valuesOf(
      answer([
        [60, 'NaN'],
        [120, '+Inf'],
        [180, '0'],
      ]),
      window,
    ),
  ).toEqual([null, null, 0])
  expect(valuesOf({ status: 'success', data: { resultType: 'matrix', result: [] } }, window)).toEqual([
    ...[null, null, null],
  ])
  expect([lastOf([1, 2, null]), lastOf([null])]).toEqual([2, null])
})

test('aligns windows to whole steps, so that points do not move as time passes', () => {
  expect(windowOf('1h', 3_600_000 * 5 + 29_999)).toEqual({ start: 14_400, end: 18_000, step: 30 })
  expect(windowOf('1h', 3_600_000 * 5 + 30_000)).toMatchObject({ end: 18_030 })
})

test('queries counters as a five-minute rate, averaged over larger steps [CA-038]', () => {
  expect(meanOver(rateOf('mainstay_a{b="c"}'), 30)).toBe('rate(mainstay_a{b="c"}[5m])')
  expect(meanOver(`sum(${rateOf('mainstay_a')})`, 3600)).toBe('avg_over_time((sum(rate(mainstay_a[5m])))[3600s:5m])')
})
