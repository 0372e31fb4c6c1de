import type { ScheduleTimes } from '@mainstay/contract/protection/schedules'
import { useT } from '../../../i18n/use-t'
import { isHourly, localStarts, otherDayNotes, scheduleSentence, startsText } from './schedule-words'
import css from './ScheduleSentence.module.css'
import { useClock } from './use-clock'
import { zoneName } from '../../../lib/zones'
import { isUtc } from './zone-times'

/** A schedule in one sentence, with the time zone and the start times in UTC below. */
export function ScheduleSentence({ schedule }: { schedule: ScheduleTimes }) {
  const t = useT('protection')
  const clock = useClock()
  const { tag, zone, at } = clock
  const isInUtc = isUtc(zone, at)
  const notes = [
    isInUtc
      ? t('schedule.hoursInUtc')
      : isHourly(schedule)
        ? undefined
        : t('when.zones', { zone: zoneName(zone, tag, at), times: startsText(localStarts(schedule, 0), tag) }),
    ...otherDayNotes(schedule, t, clock),
  ].filter((note) => note !== undefined)
  return (
    <div className={css.sentence}>
      <p className={css.main}>{scheduleSentence(schedule, t, clock)}</p>
      {notes.map((note) => (
        <p key={note} className={css.note}>
          {note}
        </p>
      ))}
    </div>
  )
}
