import { EVERY, type ScheduleTimes } from '@mainstay/contract/protection/schedules'
import { beforeAll, describe, expect, it, test } from 'vitest'
import { loadTexts, textsNow } from '../../../i18n/use-t'
import { movingChange, skippedDays } from './schedule-checks'
import { presetOf, presetValues, timesOf, valuesOf } from './schedule-values'
import { otherDayNotes, scheduleSentence } from './schedule-words'
import { zoneName } from '../../../lib/zones'
import { clockChanges, isUtc, offsetAt } from './zone-times'

beforeAll(() => loadTexts('protection'))

const winter = new Date('2026-11-22T08:46:00Z')
const summer = new Date('2026-07-01T00:00:00Z')
const berlin = { tag: 'en', zone: 'Europe/Berlin', at: winter }
const newYork = { tag: 'en', zone: 'America/New_York', at: winter }
const utc = { tag: 'en', zone: 'UTC', at: winter }
const times = (given: Partial<ScheduleTimes>): ScheduleTimes => ({
  ...{ month: EVERY, week: EVERY, day_of_week: EVERY, day: EVERY, hour: '2', minute: '0' },
  ...given,
})
const inWords = (given: Partial<ScheduleTimes>, clock = utc) =>
  scheduleSentence(times(given), textsNow('protection'), clock)

describe('the sentence of a schedule', () => {
  test.each<[Partial<ScheduleTimes>, string]>([
    [{}, 'Every day at 02:00'],
    [{ hour: '2,14' }, 'Every day at 02:00 and 14:00'],
    [{ hour: EVERY }, 'Every hour of every day'],
    [{ day_of_week: '6' }, 'Every week on Sunday at 02:00'],
    [{ day_of_week: '0,1,2,3,4' }, 'Every week on Monday to Friday at 02:00'],
    [{ day_of_week: '0,1,5', month: '1' }, 'Every week in January on Monday, Tuesday, and Saturday at 02:00'],
    [{ day: '1,15' }, 'On days 1 and 15 of every month at 02:00'],
    [{ day: '31', month: '12', hour: '23' }, 'On day 31 of December at 23:00'],
    [{ day: '13', day_of_week: '4' }, 'On day 13 of every month, but only on Friday, at 02:00'],
    [{ month: '6,7,8' }, 'Every day in June to August at 02:00'],
    [{ minute: '0,30' }, 'Every day at 02:00 and 02:30'],
    [{ week: '1,2,3,40' }, 'Every day at 02:00, only in weeks 1 to 3 and 40 of the year'],
  ])('names days and times: %j', (given, sentence) => {
    expect(inWords(given)).toBe(sentence)
  })

  it('has the times of day on the clock of the user, which depend on the time of the year', () => {
    expect(inWords({ hour: '2,14' }, berlin)).toBe('Every day at 03:00 and 15:00')
    expect(inWords({ hour: '2,14' }, { ...berlin, at: summer })).toBe('Every day at 04:00 and 16:00')
    expect(inWords({}, { ...berlin, zone: 'Asia/Kolkata' })).toBe('Every day at 07:30')
  })

  it('says that days are in UTC if they differ from those of the user', () => {
    expect(inWords({ day_of_week: '0' }, newYork)).toBe('Every week on Monday at 21:00 (days in UTC)')
    expect(inWords({ day_of_week: '0', hour: '14' }, newYork)).toBe('Every week on Monday at 09:00')
    // without limited days, the day does not matter
    expect(inWords({}, newYork)).toBe('Every day at 21:00')
    const t = textsNow('protection')
    expect(otherDayNotes(times({ day: '1', hour: '2,14' }), t, newYork)).toEqual([
      'Days are in UTC. In your time zone, runs at 21:00 are on the day before.',
    ])
    expect(otherDayNotes(times({ day: '1', hour: '23' }), t, berlin)).toEqual([
      'Days are in UTC. In your time zone, runs at 00:00 are on the day after.',
    ])
    expect(otherDayNotes(times({ hour: '23' }), t, berlin)).toEqual([])
  })
})

test('finds the days that some of the chosen months do not have', () => {
  expect(skippedDays(times({ day: '31' }))).toEqual([{ day: 31, months: [2, 4, 6, 9, 11], isLeapDay: false }])
  expect(skippedDays(times({ day: '1,30', month: '1,2' }))).toEqual([{ day: 30, months: [2], isLeapDay: false }])
  expect(skippedDays(times({ day: '29', month: '2' }))).toEqual([{ day: 29, months: [2], isLeapDay: true }])
  expect(skippedDays(times({ day: '31', month: '1,3' }))).toEqual([])
  expect(skippedDays(times({}))).toEqual([])
})

test('finds clock changes to the minute', () => {
  expect(clockChanges(winter, 'Europe/Berlin')).toEqual([
    { at: new Date('2027-03-28T01:00:00Z'), offset: 120 },
    { at: new Date('2027-10-31T01:00:00Z'), offset: 60 },
  ])
  expect(clockChanges(winter, 'Asia/Kolkata')).toEqual([])
  expect([offsetAt(winter, 'Asia/Kolkata'), offsetAt(winter, 'America/New_York')]).toEqual([330, -300])
  expect(isUtc('UTC', winter)).toBe(true)
  // at this time of the year, the clocks of London show UTC
  expect(isUtc('Europe/London', winter)).toBe(false)
  expect(zoneName('Europe/Berlin', 'en', winter)).toBe('Central European Time')
})

test('finds the clock change that moves runs to other local times', () => {
  const change = (given: Partial<ScheduleTimes>, clock = berlin) => movingChange(times(given), clock)
  expect(change({})).toEqual({ at: new Date('2027-03-28T01:00:00Z'), offset: 120 })
  // only runs in winter
  expect(change({ month: '1,12' })).toBeUndefined()
  expect(change({ month: '1' }, { ...berlin, at: summer })).toEqual({
    ...{ at: new Date('2026-10-25T01:00:00Z'), offset: 60 },
  })
  expect(change({}, utc)).toBeUndefined()
  expect(change({ hour: EVERY })).toBeUndefined()
})

test('recognizes the preset of a schedule by its values', () => {
  for (const preset of ['rotation-7', 'rotation-14', 'custom'] as const)
    expect(presetOf(presetValues(preset))).toBe(preset)
  const daily = presetValues('rotation-7')
  expect(presetOf({ ...daily, rotation: 8 })).toBe('custom')
  expect(presetOf({ ...daily, hour: [3] })).toBe('custom')
  expect(presetOf({ ...daily, minute: '30' })).toBe('custom')
})

test('stores a list with all numbers as an asterisk, and reads it back', () => {
  const stored = times({ month: '1,2', hour: '0,12', minute: '15', week: '3' })
  const values = valuesOf(stored, 7)
  expect(values).toMatchObject({ month: [1, 2], hour: [0, 12], day_of_week: [0, 1, 2, 3, 4, 5, 6], minute: '15' })
  expect(timesOf(values)).toEqual(stored)
})
