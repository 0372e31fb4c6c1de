import * as z from 'zod'
import { says } from '../core/said'

/*
 * Schedules of backup plans. All times are UTC. Each field of a schedule is a comma-separated list of numbers; `*`
 * means all numbers. A plan runs at every time that matches all fields.
 */

/** The fields of a schedule, each with its smallest and largest number. */
export const scheduleRanges = {
  month: [1, 12],
  /** ISO 8601 week of the year. */
  week: [1, 53],
  /** Monday is 0. */
  day_of_week: [0, 6],
  day: [1, 31],
  hour: [0, 23],
  minute: [0, 59],
} as const satisfies Record<string, readonly [least: number, most: number]>
export type ScheduleField = keyof typeof scheduleRanges
export const scheduleFields = Object.keys(scheduleRanges) as ScheduleField[]

export const EVERY = '*'

/**
 * Parses a list such as `1,15`. Returns null unless it consists of whole numbers in the allowed range without
 * duplicates.
 */
export function numbersOf(field: ScheduleField, list: string): number[] | null {
  const [least, most] = scheduleRanges[field]
  if (list === EVERY) return Array.from({ length: most - least + 1 }, (_, index) => least + index)
  const words = list.split(',').map((word) => word.trim())
  const numbers = words.map((word) => (/^\d{1,2}$/.test(word) ? Number(word) : Number.NaN))
  const isValid = numbers.every((number) => number >= least && number <= most)
  return isValid && new Set(numbers).size === numbers.length ? numbers.toSorted((a, b) => a - b) : null
}

/** Formats numbers as a list, in the form that is stored. */
export const listOf = (field: ScheduleField, numbers: Iterable<number>): string => {
  const sorted = [...new Set(numbers)].toSorted((a, b) => a - b)
  const [least, most] = scheduleRanges[field]
  return sorted.length === most - least + 1 ? EVERY : sorted.join(',')
}

const List = (field: ScheduleField) =>
  z
    .string()
    .max(200)
    .transform((list, context) => {
      const numbers = numbersOf(field, list)
      if (numbers) return list.trim() === EVERY ? EVERY : numbers.join(',')
      const [least, most] = scheduleRanges[field]
      context.addIssue({ code: 'custom', ...{ message: says('protection.schedule_list', { least, most }) } })
      return z.NEVER
    })

export const MIN_ROTATION = 1
export const MAX_ROTATION = 100
export const Rotation = z
  .int()
  .min(MIN_ROTATION, says('protection.rotation', { least: MIN_ROTATION, most: MAX_ROTATION }))
  .max(MAX_ROTATION, says('protection.rotation', { least: MIN_ROTATION, most: MAX_ROTATION }))

/** Schema for the times of a schedule. The console does not set minutes and weeks of the year, but other clients do. */
export const scheduleShape = {
  month: List('month').default(EVERY).describe('Months, 1 to 12.'),
  day_of_week: List('day_of_week').default(EVERY).describe('Days of the week, from Monday 0 to Sunday 6.'),
  day: List('day').default(EVERY).describe('Days of the month, 1 to 31.'),
  hour: List('hour').describe('Hours in which the plan starts, 0 to 23, in UTC.'),
  minute: List('minute').default('0').describe('Minutes, 0 to 59.'),
  week: List('week').default(EVERY).describe('ISO weeks of the year, 1 to 53.'),
}
const Times = z.strictObject(scheduleShape)
export type ScheduleTimes = z.output<typeof Times>

/** Presets of the console (S1§4). `custom` starts with empty lists. */
export const schedulePresets = {
  custom: { month: '', day_of_week: '', day: '', hour: '', rotation: 7 },
  'rotation-7': { month: EVERY, day_of_week: EVERY, day: EVERY, hour: '2', rotation: 7 },
  'rotation-14': { month: EVERY, day_of_week: EVERY, day: EVERY, hour: '2', rotation: 14 },
} as const
export type SchedulePreset = keyof typeof schedulePresets

const DAY_MS = 24 * 3600_000

/** Returns the ISO 8601 week of the year for a time, in UTC. */
export function weekOf(time: Date): number {
  const day = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()))
  // the week belongs to the year of its Thursday
  day.setUTCDate(day.getUTCDate() + 3 - mondayFirst(day))
  const firstOfYear = Date.UTC(day.getUTCFullYear(), 0, 1)
  return Math.floor((day.getTime() - firstOfYear) / DAY_MS / 7) + 1
}

/** Returns the day of the week in UTC; Monday is 0. */
const mondayFirst = (time: Date): number => (time.getUTCDay() + 6) % 7

/** Whether a schedule has runs in the week of this time, in UTC. */
export const runsInWeek = ({ week }: ScheduleTimes, time: Date): boolean =>
  numbersOf('week', week)?.includes(weekOf(time)) ?? false

/** Whether a schedule has runs on the day of this time, in UTC. */
function runsOnDay(schedule: ScheduleTimes, time: Date): boolean {
  const has = (field: ScheduleField, number: number) => numbersOf(field, schedule[field])?.includes(number) ?? false
  return (
    has('month', time.getUTCMonth() + 1) &&
    has('day', time.getUTCDate()) &&
    has('day_of_week', mondayFirst(time)) &&
    runsInWeek(schedule, time)
  )
}

/**
 * Number of days in which to search for a run. The next 29 February can be eight years away, and one on a given day of
 * the week even further.
 */
const SEARCH_DAYS = 366 * 40

/**
 * Returns the first runs of a schedule after a time, at most `most` of them. Empty if the schedule never runs, for
 * example on 30 February.
 */
export function nextRuns(schedule: ScheduleTimes, after: Date, most: number): Date[] {
  const [hours, minutes] = [numbersOf('hour', schedule.hour) ?? [], numbersOf('minute', schedule.minute) ?? []]
  if (hours.length === 0 || minutes.length === 0) return []
  const found: Date[] = []
  const start = Date.UTC(after.getUTCFullYear(), after.getUTCMonth(), after.getUTCDate())
  for (let index = 0; index < SEARCH_DAYS && found.length < most; index++) {
    const day = new Date(start + index * DAY_MS)
    if (!runsOnDay(schedule, day)) continue
    for (const hour of hours)
      for (const minute of minutes) {
        const run = new Date(day.getTime() + (hour * 60 + minute) * 60_000)
        if (run > after && found.length < most) found.push(run)
      }
  }
  return found
}

/**
 * Formats the schedule as a crontab line, without the weeks of the year (see `runsInWeek`). The plus sign means that
 * both the day of the month and the day of the week must match.
 */
export function cronOf({ month, day_of_week, day, hour, minute }: ScheduleTimes): string {
  const sundayFirst =
    day_of_week === EVERY
      ? EVERY
      : `+${numbersOf('day_of_week', day_of_week)!
          .map((number) => (number + 1) % 7)
          .join(',')}`
  return `${minute} ${hour} ${day} ${month} ${sundayFirst}`
}
