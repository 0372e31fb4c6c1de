import { EVERY, numbersOf, type ScheduleField, type ScheduleTimes } from '@mainstay/contract/protection/schedules'
import type { Key } from '../../../i18n/catalogues'
import type { Translate } from '../../../i18n/use-t'
import { dateTimeFormat, listFormat } from '../../../lib/intl-cache'
import { formatNumber } from '../../../lib/numbers'
import { DAY_MINUTES, offsetAt } from './zone-times'

type T = Translate<'protection'>

/** The language and the time zone of a text, and the moment whose offset from UTC applies. */
export interface Clock {
  tag: string
  zone: string
  at: Date
}

// any year does: only the month is shown
export const monthName = (month: number, tag: string, style: 'long' | 'short' = 'long'): string =>
  dateTimeFormat(tag, { month: style, timeZone: 'UTC' }).format(Date.UTC(2024, month - 1, 1))

// 1 January 2024 is a Monday
export const weekdayName = (weekday: number, tag: string, style: 'long' | 'short' = 'long'): string =>
  dateTimeFormat(tag, { weekday: style, timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + weekday))

/** A time of day, given in minutes: "03:00". In all languages with 24 hours, which are easier to compare with UTC. */
export const timeOfDay = (minutes: number, tag: string): string =>
  dateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' }).format(
    minutes * 60_000,
  )

/** Date and time of day: "Nov 23, 2026, 03:00". */
export const momentText = (at: Date, tag: string, zone: string): string =>
  dateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23', timeZone: zone }).format(at)

export const listText = (items: Iterable<string>, tag: string): string =>
  listFormat(tag, { type: 'conjunction' }).format(items)

/** A time of day at which a plan starts, on the clocks of a time zone. */
export interface LocalStart {
  /** Minutes since midnight. */
  minutes: number
  /** -1 if that is the day before the day in UTC, 1 if it is the day after. */
  day: number
}

/** The start time of an hour and minute in UTC, in a time zone with this offset. */
export function localStart(utcMinutes: number, offset: number): LocalStart {
  const day = Math.floor((utcMinutes + offset) / DAY_MINUTES)
  return { minutes: utcMinutes + offset - day * DAY_MINUTES, day }
}

/** The start times of a schedule in a time zone with this offset, the earliest of the day first. */
export const localStarts = ({ hour, minute }: Pick<ScheduleTimes, 'hour' | 'minute'>, offset: number): LocalStart[] =>
  (numbersOf('hour', hour) ?? [])
    .flatMap((hours) => (numbersOf('minute', minute) ?? []).map((minutes) => hours * 60 + minutes))
    .map((utcMinutes) => localStart(utcMinutes, offset))
    .toSorted((a, b) => a.minutes - b.minutes)

/** Start times as a list: "03:00 and 15:00". */
export const startsText = (starts: readonly LocalStart[], tag: string): string =>
  listText(
    starts.map(({ minutes }) => timeOfDay(minutes, tag)),
    tag,
  )

export const isHourly = ({ hour, minute }: Pick<ScheduleTimes, 'hour' | 'minute'>): boolean =>
  hour === EVERY && minute === '0'

/** Shortest run of numbers that is written as a range. */
const LEAST_RANGE = 3

function rangesOf(numbers: readonly number[]): number[][] {
  const ranges: number[][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range?.at(-1) === number - 1) range.push(number)
    else ranges.push([number])
  }
  return ranges
}

/** The numbers of a list as names: "Monday to Friday", "1, 2, and 15". */
function namesText(field: ScheduleField, list: string, nameOf: (number: number) => string, t: T, tag: string): string {
  const items = rangesOf(numbersOf(field, list) ?? []).flatMap((range) =>
    range.length < LEAST_RANGE
      ? range.map(nameOf)
      : [t('when.range', { first: nameOf(range[0]!), last: nameOf(range.at(-1)!) })],
  )
  return listText(items, tag)
}

type Days = 'days' | 'weekdays' | 'dates' | 'both'
const sentences: Readonly<Record<Days, readonly [always: Key<'protection'>, inMonths: Key<'protection'>]>> = {
  days: ['when.days', 'when.daysIn'],
  weekdays: ['when.weekdays', 'when.weekdaysIn'],
  dates: ['when.dates', 'when.datesIn'],
  both: ['when.both', 'when.bothIn'],
}

/** Whether a schedule limits the days, and some of its runs are on another day than in UTC. */
const hasOtherDays = (schedule: ScheduleTimes, starts: readonly LocalStart[]): boolean =>
  starts.some(({ day }) => day !== 0) &&
  [schedule.month, schedule.week, schedule.day_of_week, schedule.day].some((list) => list !== EVERY)

/**
 * A schedule in one sentence, with the times of day on the clock of the user: "Every week on Monday at 03:00". Days
 * stay in UTC, and the sentence says so if they differ.
 */
export function scheduleSentence(schedule: ScheduleTimes, t: T, { tag, zone, at }: Clock): string {
  const starts = localStarts(schedule, offsetAt(at, zone))
  const hasWeekdays = schedule.day_of_week !== EVERY
  const hasDates = schedule.day !== EVERY
  const kind = hasWeekdays ? (hasDates ? 'both' : 'weekdays') : hasDates ? 'dates' : 'days'
  const [always, inMonths] = sentences[kind]
  const number = (value: number) => formatNumber(value, tag)
  const sentence = t(schedule.month === EVERY ? always : inMonths, {
    hours: isHourly(schedule) ? 'all' : 'some',
    times: startsText(starts, tag),
    count: numbersOf('day', schedule.day)?.length ?? 0,
    dates: namesText('day', schedule.day, number, t, tag),
    weekdays: namesText('day_of_week', schedule.day_of_week, (it) => weekdayName(it, tag), t, tag),
    months: namesText('month', schedule.month, (it) => monthName(it, tag), t, tag),
  })
  const whole =
    schedule.week === EVERY
      ? sentence
      : t('when.weeks', {
          sentence,
          count: numbersOf('week', schedule.week)?.length ?? 0,
          weeks: namesText('week', schedule.week, number, t, tag),
        })
  return hasOtherDays(schedule, starts) ? t('when.utcDays', { sentence: whole }) : whole
}

/** Explains which start times are on another day than in UTC. Empty if days do not matter to the schedule. */
export function otherDayNotes(schedule: ScheduleTimes, t: T, { tag, zone, at }: Clock): string[] {
  const starts = localStarts(schedule, offsetAt(at, zone))
  if (!hasOtherDays(schedule, starts)) return []
  return ([-1, 1] as const).flatMap((day) => {
    const times = starts.filter((start) => start.day === day)
    return times.length === 0
      ? []
      : [t(day < 0 ? 'when.dayBefore' : 'when.dayAfter', { times: startsText(times, tag) })]
  })
}
