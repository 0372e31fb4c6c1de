import { useMemo } from 'react'
import { nextRuns } from '@mainstay/contract/protection/schedules'
import { useT } from '../../../i18n/use-t'
import { Panel } from '../../../ui/Panel'
import { NextRuns } from './NextRuns'
import { isComplete, timesOf } from './schedule-values'
import css from './SchedulePreview.module.css'
import { ScheduleNotes } from './ScheduleNotes'
import { ScheduleSentence } from './ScheduleSentence'
import { useClock } from './use-clock'
import { useScheduleValues } from './use-schedule-values'

/** Runs that are shown. */
const MOST = 5

/** The effect of the schedule in the surrounding form: one sentence, what to watch out for, and the next runs. */
export function SchedulePreview() {
  const t = useT('protection')
  const clock = useClock()
  const values = useScheduleValues()
  const schedule = useMemo(() => (isComplete(values) ? timesOf(values) : null), [values])
  const runs = useMemo(() => (schedule ? nextRuns(schedule, clock.at, MOST) : []), [schedule, clock])
  return (
    <Panel title={t('next.heading')}>
      <div className={css.preview}>
        <div aria-live="polite" className={css.says}>
          {schedule ? <ScheduleSentence schedule={schedule} /> : <p className={css.note}>{t('next.incomplete')}</p>}
        </div>
        {schedule && <ScheduleNotes schedule={schedule} isNever={runs.length === 0} clock={clock} />}
        {runs.length > 0 && <NextRuns runs={runs} />}
      </div>
    </Panel>
  )
}
