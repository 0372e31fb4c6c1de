import { useMemo } from 'react'
import type { ScheduleTimes } from '@mainstay/contract/protection/schedules'
import { useT } from '../../../i18n/use-t'
import { dateTimeFormat } from '../../../lib/intl-cache'
import { Banner } from '../../../ui/feedback/Banner'
import { ClockIcon } from '../../../ui/icons'
import { movingChange, skippedDays } from './schedule-checks'
import { listText, localStarts, monthName, startsText, type Clock } from './schedule-words'

interface ScheduleNotesProps {
  schedule: ScheduleTimes
  /** No day is in all lists of the schedule. */
  isNever: boolean
  clock: Clock
}

/** What to watch out for in a schedule: that it never runs, days that some months do not have, and clock changes. */
export function ScheduleNotes({ schedule, isNever, clock }: ScheduleNotesProps) {
  const t = useT('protection')
  const { tag, zone } = clock
  const change = useMemo(() => (isNever ? undefined : movingChange(schedule, clock)), [isNever, schedule, clock])
  if (isNever) return <Banner tone="bad">{t('schedule.never')}</Banner>
  return (
    <>
      {skippedDays(schedule).map(({ day, months, isLeapDay }) => (
        <Banner key={day} tone="warn">
          {isLeapDay
            ? t('schedule.leapDay')
            : t('schedule.skipped', {
                day,
                months: listText(
                  months.map((month) => monthName(month, tag)),
                  tag,
                ),
                count: months.length,
              })}
        </Banner>
      ))}
      {change && (
        <Banner tone="warn" icon={ClockIcon}>
          {t('schedule.clockChange', {
            date: dateTimeFormat(tag, { dateStyle: 'long', timeZone: zone }).format(change.at),
            times: startsText(localStarts(schedule, change.offset), tag),
          })}
        </Banner>
      )}
    </>
  )
}
