import { expect, it, test } from 'vitest'
import { dayNumber, firstWeekday, isDay, isMonth, monthAfter, weeksOf } from './month'

test.each([
  ['en', 7],
  ['de', 1],
  ['ar', 6],
])('begins the week as the language says: %s', (tag, first) => {
  expect(firstWeekday(tag)).toBe(first)
})

it('completes the first and the last week of a month', () => {
  const weeks = weeksOf('2026-11', 1)
  expect(weeks).toHaveLength(6)
  expect([weeks[0]![0], weeks[0]![6], weeks.at(-1)![0], weeks.at(-1)![6]]).toEqual([
    ...['2026-10-26', '2026-11-01'],
    ...['2026-11-30', '2026-12-06'],
  ])
  // a month that begins with the week and ends with it
  expect(weeksOf('2027-02', 1).flat()).toHaveLength(28)
  expect(weeksOf('2026-11', 7)[0]![0]).toBe('2026-11-01')
})

it('counts months', () => {
  expect([monthAfter('2026-12', 1), monthAfter('2026-01', -1)]).toEqual(['2027-01', '2025-12'])
})

it('accepts only days and months that exist', () => {
  expect(['2026-11', '2026-13', '1969-12', 'x'].map(isMonth)).toEqual([true, false, false, false])
  expect(['2026-11-20', '2026-02-30', '2026-11', 'x'].map(isDay)).toEqual([true, false, false, false])
})

it('writes only the number of a day, also in languages that add a word', () => {
  expect(dayNumber('2026-11-05', 'ja')).toBe('5')
})
