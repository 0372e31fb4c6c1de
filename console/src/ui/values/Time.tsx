import { useLocale } from 'react-aria-components/I18nProvider'
import { formatDateTime, formatExact, formatRelative, isKnown, toDate, type Moment } from '../../lib/times'
import { useNow } from '../../lib/use-now'

export interface TimeProps {
  at: Moment
  /** `relative` ("5 minutes ago") for lists, `exact` for details. The other form is shown on hover. */
  show?: 'relative' | 'exact' | 'both' | undefined
}

/** Keeps "(5 minutes ago)" on one line. */
const unbroken = (text: string) => text.replaceAll(' ', '\u00a0')

/** A point in time. Updates itself and provides the exact time with its time zone. */
export function Time({ at, show = 'relative' }: TimeProps) {
  const { locale } = useLocale()
  const now = useNow()
  const date = toDate(at)
  if (!isKnown(date)) return <>–</>
  const exact = formatExact(date, locale)
  const relative = formatRelative(date, locale, now)
  return (
    <time dir="auto" dateTime={date.toISOString()} title={show === 'exact' ? relative : exact}>
      {show === 'relative'
        ? relative
        : show === 'exact'
          ? exact
          : `${formatDateTime(date, locale)} (${unbroken(relative)})`}
    </time>
  )
}
