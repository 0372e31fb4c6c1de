import { formatTime } from '../../../lib/times'

const HOURS = 24

function today(hour: number): Date {
  const at = new Date()
  at.setUTCHours(hour, 0, 0, 0)
  return at
}

/** Formats an hour in UTC as a UTC time, such as "03:00". */
export const utcTime = (hour: number, tag: string) => formatTime(today(hour), tag, 'UTC')

/** Formats an hour in UTC as today's local time. */
export const localTime = (hour: number, tag: string) => formatTime(today(hour), tag)

/** Returns the hours in UTC, ordered by their local times. */
export function hoursByLocalTime(): number[] {
  const minutes = (hour: number) => today(hour).getHours() * 60 + today(hour).getMinutes()
  return Array.from({ length: HOURS }, (_, hour) => hour).toSorted((a, b) => minutes(a) - minutes(b))
}

/** Whether the local time zone has daylight saving time. */
export function hasSummerTime(): boolean {
  const year = new Date().getFullYear()
  return new Date(year, 0, 1).getTimezoneOffset() !== new Date(year, 6, 1).getTimezoneOffset()
}
