import { useMemo } from 'react'
import { formatBytes, type ByteUnit } from '../lib/bytes'
import { listFormat } from '../lib/intl-cache'
import { formatNumber, formatPercent } from '../lib/numbers'
import {
  formatClock,
  formatDate,
  formatDateTime,
  formatDay,
  formatDuration,
  formatExact,
  formatRelative,
  formatTime,
  type Moment,
} from '../lib/times'
import { currentLanguage, useLanguage } from './language'

const formatsIn = (tag: string) => ({
  /** Formats a size: 1536 becomes "1.5 KiB". */
  bytes: (sizeBytes: number, unit?: ByteUnit) => formatBytes(sizeBytes, tag, unit),
  number: (value: number, options?: Intl.NumberFormatOptions) => formatNumber(value, tag, options),
  /** Formats a fraction: 0.12345 becomes "12.35%". */
  percent: (share: number, digits?: number) => formatPercent(share, tag, digits),
  /** Formats date and time: "21 Nov 2026, 10:42". */
  dateTime: (moment: Moment) => formatDateTime(moment, tag),
  date: (moment: Moment) => formatDate(moment, tag),
  /** Formats a day without the year: "21 Nov". */
  day: (moment: Moment) => formatDay(moment, tag),
  /** Formats a time of day: "10:42". */
  time: (moment: Moment) => formatTime(moment, tag),
  /** Formats a time of day with seconds, for log lines and other sequences: "10:42:07". */
  clock: (moment: Moment) => formatClock(moment, tag),
  /** Date and time with seconds and time zone. */
  exact: (moment: Moment) => formatExact(moment, tag),
  /** Formats a time relative to now: "5 minutes ago". On screen, use `<Time>`, which updates automatically. */
  relative: (moment: Moment) => formatRelative(moment, tag),
  /** Formats a duration: "2 hr 5 min". */
  duration: (milliseconds: number) => formatDuration(milliseconds, tag),
  /** Formats a list: "a, b and c". */
  list: (items: Iterable<string>) => listFormat(tag, { type: 'conjunction' }).format(items),
})

export type Formats = ReturnType<typeof formatsIn>

/** Formats numbers, sizes and times in the current language. On screen, prefer `<Bytes>` and `<Time>`. */
export function useFormat(): Formats {
  const { tag } = useLanguage()
  return useMemo(() => formatsIn(tag), [tag])
}

/** The formats of `useFormat`, for use outside components. */
export const formatNow = () => formatsIn(currentLanguage().tag)
