/*
 * Days of a time zone, written as `2026-11-20`. A day begins at the first moment that has its date there, also if the
 * clocks skip or repeat midnight.
 */

const DAY_MS = 24 * 3600_000

/** Whether a name from the IANA time zone database is known here. */
export function isZone(zone: string): boolean {
  // forms such as +01:00 are read differently by different programs
  if (!/^[A-Za-z][\w+\-/]{0,63}$/.test(zone)) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** Zones whose formatter is kept. */
const MOST_FORMATS = 100
const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  if (formats.size >= MOST_FORMATS) formats.clear()
  formats.set(zone, made)
  return made
}

/** What the clocks of a zone show at a time, as if it were UTC. */
function shownAt(time: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type)!
  const at = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
  return at + (((time % 1000) + 1000) % 1000)
}

/** The day of a time in a zone. */
export const dayAt = (time: number, zone: string): string => new Date(shownAt(time, zone)).toISOString().slice(0, 10)

/** The day some days after this one. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Number of days from one day to another. */
export const daysFrom = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** When a day begins in a zone, in milliseconds since 1970. */
export function startOfDay(day: string, zone: string): number {
  const midnight = Date.parse(day)
  // the offsets before and after a change of the clocks near midnight
  const offsets = [-1, 1].map((side) => shownAt(midnight + side * DAY_MS, zone) - (midnight + side * DAY_MS))
  const candidates = offsets.map((offset) => midnight - offset).toSorted((a, b) => a - b)
  return candidates.find((time) => dayAt(time, zone) >= day) ?? candidates[1]!
}
