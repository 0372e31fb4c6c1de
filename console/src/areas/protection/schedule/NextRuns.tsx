import { useT } from '../../../i18n/use-t'
import { dateTimeFormat } from '../../../lib/intl-cache'
import { SmallTable, type SmallColumn } from '../../../patterns/table/SmallTable'
import { Time } from '../../../ui/values/Time'
import { timeOfDay } from './schedule-words'
import { useClock } from './use-clock'
import { DAY_MINUTES, isUtc, offsetAt } from './zone-times'

const minuteOfDay = (at: Date) => at.getUTCHours() * 60 + at.getUTCMinutes()

/** The next runs of a schedule, in local time and in UTC. */
export function NextRuns({ runs }: { runs: readonly Date[] }) {
  const t = useT('protection')
  const { tag, zone, at: now } = useClock()
  const isInUtc = isUtc(zone, now)
  const day = (at: Date, of: string) =>
    dateTimeFormat(tag, { weekday: 'short', month: 'short', day: 'numeric', timeZone: of }).format(at)
  const local = (at: Date) => (minuteOfDay(at) + offsetAt(at, zone) + DAY_MINUTES) % DAY_MINUTES
  const hasSameDay = (at: Date) => day(at, zone) === day(at, 'UTC')
  const utcColumn: SmallColumn<Date> = {
    id: 'utc',
    label: t('next.utc'),
    render: (at) => (
      <bdi>
        {hasSameDay(at)
          ? timeOfDay(minuteOfDay(at), tag)
          : t('next.dayAndTime', { day: day(at, 'UTC'), time: timeOfDay(minuteOfDay(at), tag) })}
      </bdi>
    ),
  }
  return (
    <SmallTable
      label={t('next.title')}
      rows={runs}
      keyOf={(at) => at.toISOString()}
      columns={[
        { id: 'day', label: t('next.day'), render: (at) => <bdi>{day(at, zone)}</bdi> },
        {
          id: 'time',
          label: t(isInUtc ? 'next.utc' : 'next.localTime'),
          render: (at) => <bdi>{timeOfDay(local(at), tag)}</bdi>,
        },
        ...(isInUtc ? [] : [utcColumn]),
        { id: 'in', label: t('next.in'), isAtEnd: true, render: (at) => <Time at={at} /> },
      ]}
    />
  )
}
