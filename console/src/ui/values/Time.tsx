import { useLocale } from 'react-aria-components/I18nProvider'
import { formatDateTime, formatExact, formatRelative, isKnown, toDate, type Moment } from '../../lib/times'
import { useNow } from '../../lib/use-now'

export interface TimeProps {
  at: Moment
  /** `relative` ("5 minutes ago") in lists; `exact` in details. The other one is on hover. */
  show?: 'relative' | 'exact' | 'both' | undefined
}

/** "(5 minutes ago)" goes to the next line as a whole. */
const unbroken = (text: string) => text.replaceAll(' ', '\u00a0')

/** A moment. Keeps itself true, and always knows the exact time with its zone. */
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
