import { useFormat } from '../../../i18n/use-format'
import { useNow } from '../../../lib/use-now'
import { ClockIcon } from '../../../ui/icons'
import css from './LoadBar.module.css'

/** The time at which a figure was read that is no longer current: of today, or with its day. */
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
