/* Times in texts from and for others. `Date.parse` reads a text without a zone in the zone of this machine. */

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:(Z)|([+-]\d\d):?(\d\d)?)?)?$/i

function parseIso(text: string, zoneOtherwise: string): number {
  const [, date, time, utc, hours, minutes = '00'] = iso.exec(text.trim()) ?? []
  if (date === undefined) return Number.NaN
  // a date begins at midnight UTC
  if (time === undefined) return Date.parse(date)
  const zone = hours === undefined ? (utc ?? zoneOtherwise) : `${hours}:${minutes}`
  return zone === '' ? Number.NaN : Date.parse(`${date}T${time}${zone.toUpperCase()}`)
}

/** Milliseconds since 1970 of an ISO 8601 date, or of a time with its zone; NaN for anything else. */
export const isoTime = (text: string): number => parseIso(text, '')

/** The same; a time without a zone is in UTC. */
export const isoTimeOrUtc = (text: string): number => parseIso(text, 'Z')

const httpForms = [
  /^[a-z]{3}, \d{1,2} [a-z]{3} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})$/i,
  /^[a-z]{6,9}, \d\d-[a-z]{3}-\d\d \d\d:\d\d:\d\d GMT$/i,
]
/** The third form of RFC 9110 has no zone and is in UTC. */
const asctime = /^[a-z]{3} [a-z]{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/i

/** Milliseconds since 1970 of a date in a header of HTTP (RFC 9110, 5.6.7); NaN for anything else, which is to be ignored. */
export function httpTime(text: string): number {
  const plain = text.trim()
  if (asctime.test(plain)) return Date.parse(`${plain} GMT`)
  return httpForms.some((form) => form.test(plain)) ? Date.parse(plain) : Number.NaN
}

/** A time as Python's `isoformat` writes it, `2026-11-28T20:06:45.732000+00:00`: some clients read that form alone. */
export const inMicroseconds = (time: Date): string => time.toISOString().replace('Z', '000+00:00')
