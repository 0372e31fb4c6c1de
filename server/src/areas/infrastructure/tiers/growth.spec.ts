import { expect, it } from 'vitest'
import { fullAt, growthOf, type Measurement } from './growth'

const HOUR = 3600
const DAY = 24 * HOUR
const now = new Date('2026-11-22T14:10:00Z')
const dayAfter = (count: number) => new Date(now.getTime() + count * DAY * 1000)
/** Measurements at an interval, of a space that grows by `perDay` bytes. */
const growing = (perDay: number, days: number, step = HOUR): Measurement[] =>
  Array.from({ length: (days * DAY) / step + 1 }, (_, at) => [at * step, 1000 + (perDay * at * step) / DAY])

it('computes the growth per day, also if measurements are missing or the space shrinks', () => {
  expect(growthOf(growing(240, 30))).toBe(240)
  expect(growthOf(growing(-48, 10))).toBe(-48)
  expect(growthOf(growing(0, 2))).toBe(0)
  const gaps = growing(240, 30).filter(([time]) => time < 5 * DAY || time > 20 * DAY)
  expect(growthOf(gaps)).toBe(240)
})

it('weighs all measurements, so that a short peak changes the growth only a little', () => {
  const peak = growing(240, 30).map(([time, used]): Measurement => [time, time === 30 * DAY ? used + 100_000 : used])
  expect(growthOf(peak)).toBeGreaterThan(240)
  expect(growthOf(peak)).toBeLessThan(280)
})

it('requires measurements of at least one day', () => {
  expect(growthOf([])).toBeNull()
  expect(growthOf([[0, 5]])).toBeNull()
  expect(growthOf(growing(240, 1).slice(1))).toBeNull()
  expect(growthOf(growing(240, 1))).toBe(240)
})

it('returns when 95% of a tier are used: now if they are, and never without growth or within 10 years', () => {
  expect(fullAt({ used: 500, total: 1000, growth: 45 }, now)).toEqual(dayAfter(10))
  expect(fullAt({ used: 950, total: 1000, growth: 45 }, now)).toEqual(now)
  expect(fullAt({ used: 990, total: 1000, growth: null }, now)).toEqual(now)
  for (const growth of [null, 0, -5]) expect(fullAt({ used: 500, total: 1000, growth }, now)).toBeNull()
  expect(fullAt({ used: 0, total: 1e12, growth: 1 }, now)).toBeNull()
})
