import { useMemo, useState } from 'react'
import { dayAt } from '@mainstay/contract/storage/local-days'
import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { backupPlanKind, backupPlans } from '@mainstay/contract/protection/backup-plans'
import { backupDays, type PointDay } from '@mainstay/contract/storage/backup-days'
import { problemText } from '../../../../api/problem-text'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useLanguage } from '../../../../i18n/language'
import { useT } from '../../../../i18n/use-t'
import { useNow } from '../../../../lib/use-now'
import { localZone, zoneName } from '../../../../lib/zones'
import { useSearchParam } from '../../../../nav/use-param'
import { PageColumns } from '../../../../patterns/PageColumns'
import { useMay } from '../../../../session/may'
import { Button } from '../../../../ui/Button'
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel'
import { IconButton } from '../../../../ui/IconButton'
import { NextIcon, PreviousIcon } from '../../../../ui/icons'
import css from './PointCalendar.module.css'
import { DayPanel } from './DayPanel'
import { firstWeekday, isDay, isMonth, monthAfter, monthName, monthOf, weeksOf } from './month'
import { plannedRuns } from './planned'
import { planQuestion, type PointQuestion } from './point-question'
import { PointCalendar } from './PointCalendar'
import { useChangeAddress } from './PointViews'

const none: readonly never[] = []

/** Recovery points by day: a month, and the chosen day beside it. Both are in the address. */
export default function CalendarView({ question }: { question: PointQuestion }) {
  const t = useT('storage')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const change = useChangeAddress()
  const may = useMay()
  const { tag } = useLanguage()
  const [zone] = useState(localZone)
  const today = dayAt(useNow(), zone)
  const [askedMonth, askedDay] = [useSearchParam('month'), useSearchParam('day')]
  const day = askedDay !== undefined && isDay(askedDay) ? askedDay : today
  const month = askedMonth !== undefined && isMonth(askedMonth) ? askedMonth : monthOf(day)
  const weeks = weeksOf(month, firstWeekday(tag))
  const [from, to] = [weeks[0]![0]!, weeks.at(-1)!.at(-1)!]

  const view = useView(backupDays.days, {}, { query: { ...question, from, to, zone }, madeOf: ['volume_backup'] })
  const counts = useMemo(() => new Map(view.data?.days.map((one): [string, PointDay] => [one.day, one])), [view.data])
  const maySeePlans = may(backupPlans.list.needs)
  const asked = maySeePlans ? planQuestion(question) : null
  const plans = useList(backupPlans.list, backupPlanKind, {
    ...{ stateIn: 'memory', limit: WHOLE_LIMIT, only: asked ?? {}, isEnabled: asked !== null },
  }).rows
  const planned = plannedRuns(asked === null ? none : plans, to, zone)

  const show = (next: { month: string; day: string }) => change(next, true)
  return (
    <>
      <PageColumns
        side={
          <DayPanel
            {...{ day, zone, today, question }}
            planned={asked === null ? undefined : (planned.get(day) ?? none)}
          />
        }
      >
        <div className={css.head}>
          <IconButton
            label={t('backups.days.earlier')}
            icon={PreviousIcon}
            onPress={() => show({ month: monthAfter(month, -1), day })}
          />
          <h2 className={css.month} aria-live="polite">
            {monthName(month, tag)}
          </h2>
          <IconButton
            label={t('backups.days.later')}
            icon={NextIcon}
            onPress={() => show({ month: monthAfter(month, 1), day })}
          />
          <Button onPress={() => show({ month: monthOf(today), day: today })}>{t('backups.days.today')}</Button>
          <span className={css.zone}>{t('backups.days.zone', { zone: zoneName(zone, tag, new Date(from)) })}</span>
        </div>
        {view.problem ? (
          <ErrorPanel
            title={patterns('view.loadFailed')}
            why={problemText(view.problem, shell)}
            id={view.problem.requestId}
            onRetry={view.reload}
          />
        ) : (
          <PointCalendar
            {...{ month, weeks, counts, planned, today, day }}
            isLoading={view.isLoading}
            onDay={(chosen) => show({ month, day: chosen })}
            onMonth={(chosen) => show({ month: chosen, day })}
          />
        )}
        <p className={css.note}>
          {t('backups.days.note')}{' '}
          {maySeePlans && t(asked === null ? 'backups.days.noteNoPlans' : 'backups.days.notePlans')}
        </p>
      </PageColumns>
    </>
  )
}
