import { describe, expect, it } from 'vitest'
import { BackupPlanDraft } from './backup-plans'
import { cronOf, listOf, nextRuns, numbersOf, schedulePresets, weekOf, type ScheduleTimes } from './schedules'

const every = { month: '*', day_of_week: '*', day: '*', hour: '2', minute: '0', week: '*' }
const runs = (change: Partial<ScheduleTimes>, after: string, most = 3) =>
  nextRuns({ ...every, ...change }, new Date(after), most).map((time) => time.toISOString().slice(0, 16))
const fault = (schedule: object) =>
  BackupPlanDraft.safeParse({ name: 'nightly', schedule: { ...every, ...schedule } }).error?.issues[0]?.path.join('.')

describe('a schedule of a backup plan', () => {
  it('has months from 1 to 12, and days from 1 to 31 [CO-045]', () => {
    expect(numbersOf('month', '1,12')).toEqual([1, 12])
    expect(numbersOf('day', '31,1')).toEqual([1, 31])
    for (const month of ['0', '13', '', 'x', '1,1']) expect(fault({ month })).toBe('schedule.month')
    for (const day of ['0', '32', '-1', '1.5']) expect(fault({ day })).toBe('schedule.day')
    expect(runs({ month: '2', day: '1' }, '2026-03-01T00:00Z', 2)).toEqual(['2027-02-01T02:00', '2028-02-01T02:00'])
  })

  it('has weekdays from Monday 0 to Sunday 6 [CO-046]', () => {
    // 2026-11-30 is a Monday
    expect(runs({ day_of_week: '0' }, '2026-11-29T00:00Z', 2)).toEqual(['2026-11-30T02:00', '2026-12-07T02:00'])
    expect(runs({ day_of_week: '6' }, '2026-11-29T00:00Z', 1)).toEqual(['2026-11-29T02:00'])
    for (const day_of_week of ['7', '-1']) expect(fault({ day_of_week })).toBe('schedule.day_of_week')
  })

  it('has hours in which it starts [CO-047]', () => {
    expect(runs({ hour: '0,23' }, '2026-11-30T00:00Z')).toEqual([
      '2026-11-30T23:00',
      '2026-12-01T00:00',
      '2026-12-01T23:00',
    ])
    for (const hour of ['24', '2:30']) expect(fault({ hour })).toBe('schedule.hour')
  })

  it('accepts an asterisk for all values [CO-048]', () => {
    expect(numbersOf('day_of_week', '*')).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(numbersOf('hour', '*')).toHaveLength(24)
    expect(listOf('day_of_week', [6, 5, 4, 3, 2, 1, 0])).toBe('*')
    expect(runs({ hour: '*' }, '2026-11-30T05:30Z', 2)).toEqual(['2026-11-30T06:00', '2026-11-30T07:00'])
  })

  it('runs only at times that match all of its fields', () => {
    // Friday the 13th
    expect(runs({ day: '13', day_of_week: '4' }, '2026-11-14T00:00Z', 2)).toEqual([
      '2027-08-13T02:00',
      '2028-10-13T02:00',
    ])
    expect(runs({ day: '31' }, '2026-11-01T00:00Z')).toEqual([
      '2026-12-31T02:00',
      '2027-01-31T02:00',
      '2027-03-31T02:00',
    ])
    expect(runs({ month: '2', day: '29' }, '2026-11-01T00:00Z', 2)).toEqual(['2028-02-29T02:00', '2032-02-29T02:00'])
    expect(runs({ week: '53' }, '2026-11-30T00:00Z', 1)).toEqual(['2026-12-28T02:00'])
    expect(runs({ month: '2', day: '30' }, '2026-11-01T00:00Z')).toEqual([])
    expect(fault({ month: '2', day: '30' })).toBe('schedule')
  })

  it('counts weeks from the one with the first Thursday', () => {
    const weeks = ['2026-01-01', '2026-12-31', '2027-01-01', '2027-01-04', '2024-12-30'].map((day) =>
      weekOf(new Date(day)),
    )
    expect(weeks).toEqual([1, 53, 53, 1, 1])
  })

  it('is converted to a crontab line, in which Sunday is 0', () => {
    expect(cronOf({ ...every, day: '1,15', day_of_week: '0,6', minute: '30' })).toBe('30 2 1,15 * +1,0')
    expect(cronOf(every)).toBe('0 2 * * *')
  })

  it('has three presets [ST-028]', () => {
    expect(Object.keys(schedulePresets)).toEqual(['custom', 'rotation-7', 'rotation-14'])
  })
})
