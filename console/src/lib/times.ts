import { unknownTime } from '@mainstay/contract/core/names'
import { dateTimeFormat, numberFormat, relativeTimeFormat } from './intl-cache'

/** A point in time as received from the API (ISO text) or created in the console. */
export type Moment = string | number | Date

export const toDate = (moment: Moment) => (moment instanceof Date ? moment : new Date(moment))

const unknown = Date.parse(unknownTime)

/** Whether the date is valid and not the placeholder for an unknown time. */
export const isKnown = (date: Date): boolean => !Number.isNaN(date.getTime()) && date.getTime() !== unknown

const steps = [
  ['minute', 60_000, 3_600_000],
  ['hour', 3_600_000, 86_400_000],
  ['day', 86_400_000, 30 * 86_400_000],
  ['month', 30.44 * 86_400_000, 365 * 86_400_000],
  ['year', 365.25 * 86_400_000, Infinity],
] as const

const midnight = (time: number): number => new Date(time).setHours(0, 0, 0, 0)

/**
 * Formats a time relative to now: "now", "5 minutes ago", "yesterday", "in 2 months". Days are those of the calendar, so
 * that "tomorrow" is never the day after.
 */
export function formatRelative(moment: Moment, locale: string, now: number = Date.now()): string {
  const time = toDate(moment).getTime()
  const distance = Math.abs(time - now)
  const inWords = relativeTimeFormat(locale, { numeric: 'auto' })
  if (distance < 45_000) return inWords.format(0, 'second')
  const [unit, size] = steps.find(([, , below]) => distance < below) ?? steps[4]
  if (unit === 'day') return inWords.format(Math.round((midnight(time) - midnight(now)) / size), unit)
  return relativeTimeFormat(locale).format(Math.round((time - now) / size), unit)
}

/** Formats date and time with the time zone: "21 Nov 2026, 10:42:07 CET". */
export const formatExact = (moment: Moment, locale: string, timeZone?: string) =>
  dateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long', ...(timeZone && { timeZone }) }).format(
    toDate(moment),
  )

/** Formats date and time for places where the time zone is clear from the context: "21 Nov 2026, 10:42". */
export const formatDateTime = (moment: Moment, locale: string, timeZone?: string) =>
  dateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', ...(timeZone && { timeZone }) }).format(
    toDate(moment),
  )

/** Formats a time of day: "10:42". */
export const formatTime = (moment: Moment, locale: string, timeZone?: string) =>
  dateTimeFormat(locale, { timeStyle: 'short', ...(timeZone && { timeZone }) }).format(toDate(moment))

/** Formats a time of day with seconds, for log lines and other sequences: "10:42:07". */
export const formatClock = (moment: Moment, locale: string, timeZone?: string) =>
  dateTimeFormat(locale, { timeStyle: 'medium', ...(timeZone && { timeZone }) }).format(toDate(moment))

export const formatDate = (moment: Moment, locale: string, timeZone?: string) =>
  dateTimeFormat(locale, { dateStyle: 'medium', ...(timeZone && { timeZone }) }).format(toDate(moment))

/** Formats a day without the year: "Oct 25". */
export const formatDay = (moment: Moment, locale: string, timeZone?: string) =>
  dateTimeFormat(locale, { month: 'short', day: 'numeric', ...(timeZone && { timeZone }) }).format(toDate(moment))

/** Formats a duration in its two largest units: "2 hr 5 min", "48 sec". */
export function formatDuration(milliseconds: number, locale: string): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const all = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3_600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const
  const first = all.findIndex(([, count]) => count > 0)
  const shown = first === -1 ? all.slice(3) : all.slice(first, first + 2).filter(([, count]) => count > 0)
  return shown
    .map(([unit, count]) => numberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count))
    .join(' ')
}
