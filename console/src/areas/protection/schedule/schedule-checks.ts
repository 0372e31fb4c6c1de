import { EVERY, nextRuns, numbersOf, type ScheduleTimes } from '@mainstay/contract/protection/schedules'
import { isHourly, type Clock } from './schedule-words'
import { clockChanges, offsetAt, type ClockChange } from './zone-times'

/** Number of days of each month, in a leap year. */
const lengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const FEBRUARY = 2
const LEAP_DAY = 29
const YEAR_MS = 365 * 24 * 3600_000

/** A day of the month that some months of the schedule do not have. */
export interface SkippedDay {
  day: number
  months: number[]
  /** It exists in leap years. */
  isLeapDay: boolean
}

/** The days of a schedule that do not exist in some of its months. Empty if it has all days. */
export function skippedDays({ day, month }: Pick<ScheduleTimes, 'day' | 'month'>): SkippedDay[] {
  if (day === EVERY) return []
  const chosen = numbersOf('month', month) ?? []
  return (numbersOf('day', day) ?? []).flatMap((one) => {
    const isLeapDay = one === LEAP_DAY
    const months = chosen.filter((it) => one > lengths[it - 1]! || (isLeapDay && it === FEBRUARY))
    return months.length === 0 ? [] : [{ day: one, months, isLeapDay }]
  })
}

/** The first change of the clocks in the next 12 months that moves runs of a schedule to other local times. */
export function movingChange(schedule: ScheduleTimes, { zone, at }: Clock): ClockChange | undefined {
  // whole hours stay whole hours
  if (isHourly(schedule)) return undefined
  const now = offsetAt(at, zone)
  const changes = clockChanges(at, zone)
  const end = new Date(at.getTime() + YEAR_MS)
  return changes.find(({ at: from, offset }, index) => {
    if (offset === now) return false
    const [run] = nextRuns(schedule, new Date(from.getTime() - 1), 1)
    return run !== undefined && run < (changes[index + 1]?.at ?? end)
  })
}
