/*
 * Parsing and formatting of times for other systems. `Date.parse` reads a time without a zone in the local time zone.
 */

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:(Z)|([+-]\d\d):?(\d\d)?)?)?$/i

function parseIso(text: string, zoneOtherwise: string): number {
  const [, date, time, utc, hours, minutes = '00'] = iso.exec(text.trim()) ?? []
  if (date === undefined) return Number.NaN
  // a date without a time means midnight UTC
  if (time === undefined) return Date.parse(date)
  const zone = hours === undefined ? (utc ?? zoneOtherwise) : `${hours}:${minutes}`
  return zone === '' ? Number.NaN : Date.parse(`${date}T${time}${zone.toUpperCase()}`)
}

/** Converts an ISO 8601 date, or a time with a zone, to milliseconds since 1970; NaN for anything else. */
export const isoTime = (text: string): number => parseIso(text, '')

/** Like `isoTime`, but reads a time without a zone as UTC. */
export const isoTimeOrUtc = (text: string): number => parseIso(text, 'Z')

const httpForms = [
  /^[a-z]{3}, \d{1,2} [a-z]{3} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})$/i,
  /^[a-z]{6,9}, \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d GMT$/i,
]
/** The third format of RFC 9110 has no zone and means UTC. */
const asctime = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i

/**
 * Converts a date in an HTTP header (RFC 9110, 5.6.7) to milliseconds since 1970; NaN for anything else, which callers
 * must ignore.
 */
export function httpTime(text: string): number {
  const plain = text.trim()
  if (asctime.test(plain)) return Date.parse(`${plain} GMT`)
  return httpForms.some((form) => form.test(plain)) ? Date.parse(plain) : Number.NaN
}

/**
 * Returns the time in the format of Python's `isoformat`, `2026-11-28T20:06:45.732000+00:00`, the only one that some
 * clients parse.
 */
export const inMicroseconds = (time: Date): string => time.toISOString().replace('Z', '000+00:00')
