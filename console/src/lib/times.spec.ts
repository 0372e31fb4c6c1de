import { expect, test } from 'vitest'
import { formatDay, formatDuration, formatExact, formatRelative } from './times'

// noon, because days are those of the local calendar
const now = new Date(2026, 10, 21, 12).getTime()
const minute = 60_000
const day = 24 * 60 * minute

test.each([
  [0, 'now'],
  [30_000, 'now'],
  [minute, '1 minute ago'],
  [59.6 * minute, '60 minutes ago'],
  [5 * 60 * minute, '5 hours ago'],
  [day, 'yesterday'],
  [39 * 60 * minute, '2 days ago'],
  [-33 * 60 * minute, 'tomorrow'],
  [-39 * 60 * minute, 'in 2 days'],
  [29 * day, '29 days ago'],
  [40 * day, '1 month ago'],
  [400 * day, '1 year ago'],
  [-2 * day, 'in 2 days'],
])('formats a time %d ms ago as %s', (back, said) => expect(formatRelative(now - back, 'en', now)).toBe(said))

test('shows seconds and time zone in an exact time', () => {
  const said = formatExact('2026-11-21T12:00:07Z', 'en-GB', 'Europe/Berlin')
  expect(said).toContain('13:00:07')
  expect(said).toMatch(/CET|GMT\+1/)
})

test('shows the two largest units of a duration', () => {
  expect(formatDuration(0, 'en')).toBe('0 sec')
  expect(formatDuration(48_000, 'en')).toBe('48 sec')
  expect(formatDuration((2 * 60 + 5) * minute + 9_000, 'en')).toBe('2 hr 5 min')
  expect(formatDuration(3 * day, 'en')).toBe('3 days')
})

test('omits the year from axis dates', () => {
  expect(formatDay('2026-10-25T12:00:00Z', 'en', 'Europe/Berlin')).toBe('Oct 25')
  expect(formatDay('2026-10-25T12:00:00Z', 'de', 'Europe/Berlin')).toBe('25. Okt.')
})
