import { dayAfter } from '@mainstay/contract/storage/local-days'
import { dateTimeFormat } from '../../../../lib/intl-cache'

export const DAYS_OF_WEEK = 7

interface WeekInfo {
  firstDay: number
}

/** The first day of the week in a language: 1 is Monday, 7 is Sunday. */
export function firstWeekday(tag: string): number {
  // browsers have either the method or the property
  const locale = new Intl.Locale(tag) as Intl.Locale & { getWeekInfo?: () => WeekInfo; weekInfo?: WeekInfo }
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1
}

/** Day of the week of a day: 1 is Monday, 7 is Sunday. */
const weekdayOf = (day: string): number => new Date(day).getUTCDay() || DAYS_OF_WEEK

export const monthOf = (day: string): string => day.slice(0, 7)

/** The month some months after this one, such as `2026-12`. */
export function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7)
}

/** Whether a text is a month that the calendar can show, such as `2026-11`. */
export const isMonth = (text: string): boolean => /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])$/.test(text)

/** Whether a text is a day, such as `2026-11-20`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && isMonth(monthOf(text)) && new Date(text).toJSON()?.startsWith(text) === true

/** The days of the weeks of a month, by week. The first and the last week may have days of other months. */
export function weeksOf(month: string, firstDay: number): string[][] {
  const first = `${month}-01`
  const before = (weekdayOf(first) - firstDay + DAYS_OF_WEEK) % DAYS_OF_WEEK
  const weeks: string[][] = []
  for (let start = dayAfter(first, -before); monthOf(start) <= month; start = dayAfter(start, DAYS_OF_WEEK))
    weeks.push(Array.from({ length: DAYS_OF_WEEK }, (_, index) => dayAfter(start, index)))
  return weeks
}

/** A day in words: "Friday, November 20, 2026". */
export const dayName = (day: string, tag: string): string =>
  dateTimeFormat(tag, { timeZone: 'UTC', weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }).format(
    new Date(day),
  )

/** A day in short: "Nov 20". */
export const shortDay = (day: string, tag: string): string =>
  dateTimeFormat(tag, { timeZone: 'UTC', month: 'short', day: 'numeric' }).format(new Date(day))

/** The number of a day in its month, in the digits of the language. */
export const dayNumber = (day: string, tag: string): string =>
  dateTimeFormat(tag, { timeZone: 'UTC', day: 'numeric' })
    .formatToParts(new Date(day))
    .find(({ type }) => type === 'day')!.value

export const monthName = (month: string, tag: string): string =>
  dateTimeFormat(tag, { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(new Date(`${month}-01`))

/** Name of the weekday of a day: "Mon". */
export const weekdayName = (day: string, tag: string, length: 'short' | 'long'): string =>
  dateTimeFormat(tag, { timeZone: 'UTC', weekday: length }).format(new Date(day))
