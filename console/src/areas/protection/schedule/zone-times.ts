import { dateTimeFormat } from '../../../lib/intl-cache'

const MINUTE_MS = 60_000
export const DAY_MINUTES = 24 * 60
/** How far ahead clock changes are looked for. */
const AHEAD_DAYS = 366

/** How many minutes the clocks of a time zone are ahead of UTC. */
export function offsetAt(at: Date, zone: string): number {
  const parts = dateTimeFormat('en-US', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
    timeZone: zone,
  }).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((it) => it.type === type)?.value)
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return shown / MINUTE_MS - Math.floor(at.getTime() / MINUTE_MS)
}

/** A change of the clocks of a time zone, such as the start of daylight saving time. */
export interface ClockChange {
  at: Date
  /** The offset that applies from then on, in minutes. */
  offset: number
}

/** The changes of the clocks in the next 12 months. */
export function clockChanges(from: Date, zone: string): ClockChange[] {
  const start = Math.floor(from.getTime() / MINUTE_MS)
  const offsetIn = (minute: number) => offsetAt(new Date(minute * MINUTE_MS), zone)
  const changes: ClockChange[] = []
  let before = offsetIn(start)
  for (let day = 1; day <= AHEAD_DAYS; day++) {
    const until = start + day * DAY_MINUTES
    const offset = offsetIn(until)
    if (offset === before) continue
    let [old, changed] = [until - DAY_MINUTES, until]
    while (changed - old > 1) {
      const middle = Math.floor((old + changed) / 2)
      if (offsetIn(middle) === offset) changed = middle
      else old = middle
    }
    changes.push({ at: new Date(changed * MINUTE_MS), offset })
    before = offset
  }
  return changes
}

/** Whether the clocks of a time zone show UTC, also in the next 12 months. */
export const isUtc = (zone: string, at: Date): boolean =>
  offsetAt(at, zone) === 0 && clockChanges(at, zone).length === 0
