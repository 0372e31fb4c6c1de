import { expect, it, test } from 'vitest'
import { dayAfter, dayAt, daysFrom, isZone, startOfDay } from './local-days'

test.each([
  ['UTC', '2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['Europe/Berlin', '2026-11-20', '2026-11-19T23:00:00.000Z'],
  ['Asia/Kathmandu', '2026-11-20', '2026-11-19T18:15:00.000Z'],
  ['America/New_York', '2026-11-20', '2026-11-20T05:00:00.000Z'],
  // the days of both changes of the clocks, and those after them
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00.000Z'],
  ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00.000Z'],
  // the clocks go from 24:00 to 01:00, so that there is no midnight
  ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
  // the clocks go from 01:00 back to 00:00, so that there are two midnights
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
])('knows when a day of %s begins: %s', (zone, day, start) => {
  expect(new Date(startOfDay(day, zone)).toISOString()).toBe(start)
})

it('divides the time of a zone into days without gaps', () => {
  for (const zone of ['Europe/Berlin', 'Africa/Cairo', 'America/Havana', 'Australia/Lord_Howe', 'Pacific/Chatham'])
    for (let day = '2026-01-01'; day < '2027-01-01'; day = dayAfter(day)) {
      const start = startOfDay(day, zone)
      expect([zone, dayAt(start - 1, zone), dayAt(start, zone)]).toEqual([zone, dayAfter(day, -1), day])
    }
})

it('counts days', () => {
  expect(dayAfter('2026-02-28')).toBe('2026-03-01')
  expect(daysFrom('2026-03-28', '2026-03-30')).toBe(2)
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['+01:00', false],
  ['Europe/Atlantis', false],
  ['', false],
])('knows whether %s is a time zone', (zone, known) => {
  expect(isZone(zone)).toBe(known)
})
