import { useT } from '../../../i18n/use-t'
import { momentText } from './schedule-words'
import { useClock } from './use-clock'

/** The time of a run on the local clock, with UTC in the tooltip. */
export function RunTime({ at }: { at: string }) {
  const t = useT('protection')
  const { tag, zone } = useClock()
  const date = new Date(at)
  return (
    <time dir="auto" dateTime={at} title={t('schedule.inUtc', { time: momentText(date, tag, 'UTC') })}>
      {momentText(date, tag, zone)}
    </time>
  )
}
