import { tasks } from '@mainstay/contract/core/tasks'
import type { BackupRun } from '@mainstay/contract/infrastructure/management-backup'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { useNow } from '../../../lib/use-now'
import { Link } from '../../../nav/Link'
import { useMay } from '../../../session/may'
import { Panel } from '../../../ui/Panel'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import css from './RunDays.module.css'
import { BACKUP_TASK } from './use-backup'

const DAYS = 14

interface Day {
  start: Date
  run: BackupRun | undefined
}

/** Returns the last days in local time, oldest first, each with its last run. `runs` must be sorted newest first. */
function lastDays(runs: readonly BackupRun[], now: number): Day[] {
  return Array.from({ length: DAYS }, (_, index) => {
    const start = new Date(now)
    start.setHours(0, 0, 0, 0)
    start.setDate(start.getDate() - (DAYS - 1 - index))
    const end = new Date(start)
    end.setDate(end.getDate() + 1)
    const isThen = (at: number) => at >= start.getTime() && at < end.getTime()
    return { start, run: runs.find(({ started_at }) => isThen(Date.parse(started_at))) }
  })
}

/** Shows the result of the backup on each of the last days, and why backups failed. */
export function RunDays({ runs }: { runs: readonly BackupRun[] }) {
  const t = useT('infrastructure')
  const format = useFormat()
  const may = useMay()
  const days = lastDays(runs, useNow())
  const failures = days.filter(({ run }) => run && run.error !== null)
  const title = t('backup.days', { days: DAYS })
  return (
    <Panel title={title}>
      <div className={css.place}>
        <ol className={css.days} aria-label={title}>
          {days.map(({ start, run }, index) => (
            <DayTile key={start.getTime()} start={start} run={run} isToday={index === DAYS - 1} />
          ))}
        </ol>
        {failures.length > 0 && (
          <ul className={css.failures}>
            {failures.map(({ start, run }) => (
              <li key={start.getTime()}>
                {t('backup.days.failure', {
                  day: format.day(start),
                  reason: <bdi key="reason">{run!.error}</bdi>,
                })}
              </li>
            ))}
          </ul>
        )}
        {failures.length > 0 && may(tasks.list.needs) && (
          <p className={css.foot}>
            <Link to="/tasks" search={{ name: `exact:${BACKUP_TASK}` }}>
              {t('backup.days.tasks')}
            </Link>
          </p>
        )}
      </div>
    </Panel>
  )
}

function DayTile({ start, run, isToday }: Day & { isToday: boolean }) {
  const t = useT('infrastructure')
  const format = useFormat()
  const isFailed = run !== undefined && run.error !== null
  return (
    <li
      className={classes(css.day, run && (isFailed ? css.bad : css.ok), isToday && css.today)}
      aria-current={isToday ? 'date' : undefined}
    >
      <span className={css.mark} />
      <bdi className={css.date}>{format.day(start)}</bdi>
      {!run && (
        <span className={css.time}>
          <span aria-hidden="true">–</span>
          <VisuallyHidden>{t('backup.days.none')}</VisuallyHidden>
        </span>
      )}
      {run && (
        <span className={css.time}>
          {isFailed ? t('backup.days.failed') : <bdi>{format.time(run.started_at)}</bdi>}
          {!isFailed && <VisuallyHidden> {t('backup.days.succeeded')}</VisuallyHidden>}
        </span>
      )}
    </li>
  )
}
