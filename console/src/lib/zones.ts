import { dateTimeFormat } from './intl-cache'

/** The time zone of this browser. */
export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Name of a time zone, such as "Central European Time". */
export const zoneName = (zone: string, tag: string, at: Date): string =>
  // which has no name in most languages, only an offset
  zone === 'UTC'
    ? zone
    : (dateTimeFormat(tag, { timeZone: zone, timeZoneName: 'longGeneric' })
        .formatToParts(at)
        .find(({ type }) => type === 'timeZoneName')?.value ?? zone)
