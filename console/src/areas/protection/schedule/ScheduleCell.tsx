import type { ScheduleTimes } from '@mainstay/contract/protection/schedules'
import { useT } from '../../../i18n/use-t'
import { scheduleSentence } from './schedule-words'
import { useClock } from './use-clock'

/** A schedule in a table: one sentence on the local clock, with the same in UTC in the tooltip. */
export function ScheduleCell({ schedule }: { schedule: ScheduleTimes }) {
  const t = useT('protection')
  const clock = useClock()
  const inUtc = scheduleSentence(schedule, t, { ...clock, zone: 'UTC' })
  return <bdi title={t('schedule.inUtc', { time: inUtc })}>{scheduleSentence(schedule, t, clock)}</bdi>
}
