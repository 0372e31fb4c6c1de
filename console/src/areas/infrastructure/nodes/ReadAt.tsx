import { useFormat } from '../../../i18n/use-format'
import { useNow } from '../../../lib/use-now'
import { ClockIcon } from '../../../ui/icons'
import css from './LoadBar.module.css'

/** Shows when an outdated value was measured: the time if it was today, otherwise also the date. */
export function ReadAt({ at }: { at: string }) {
  const format = useFormat()
  const isToday = format.date(at) === format.date(useNow())
  return (
    <time className={css.old} dateTime={at} title={format.exact(at)}>
      <ClockIcon />
      {isToday ? format.time(at) : format.day(at)}
    </time>
  )
}
