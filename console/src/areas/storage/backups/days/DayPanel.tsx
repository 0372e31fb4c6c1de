import { backupDays, type PointDay } from '@mainstay/contract/storage/backup-days'
import { startOfDay } from '@mainstay/contract/storage/local-days'
import { useView } from '../../../../api/use-view'
import { useFormat } from '../../../../i18n/use-format'
import { useLanguage } from '../../../../i18n/language'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Panel } from '../../../../ui/Panel'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { PointPlan } from '../PointPlan'
import { volumeBackupResource } from '../resource'
import css from './DayPanel.module.css'
import { dayName } from './month'
import type { PlannedRun } from './planned'
import type { PointQuestion } from './point-question'

interface DayPanelProps {
  day: string
  zone: string
  today: string
  /** Filters and search for the recovery points. */
  question: PointQuestion
  /** Plans that will run on this day; undefined if they are not shown. */
  planned: readonly PlannedRun[] | undefined
}

/** What each backup plan created on a day, what was created without a plan, and which plans will run. */
export function DayPanel({ day, zone, today, question, planned }: DayPanelProps) {
  const t = useT('storage')
  const { tag } = useLanguage()
  const query = { ...question, from: day, to: day, zone, by: 'plan' }
  const view = useView(backupDays.days, {}, { query, madeOf: ['volume_backup'], isEnabled: day <= today })
  return (
    <Panel title={<span aria-live="polite">{dayName(day, tag)}</span>} isFlush>
      {day <= today && (
        <ViewContent view={view}>
          {({ days }) =>
            days.length > 0 ? (
              <Created lines={days} since={startOfDay(day, zone)} question={question} />
            ) : (
              !planned?.length && (
                <p className={css.none}>
                  {t(Object.keys(question).length === 0 ? 'backups.days.none' : 'backups.days.noneFound')}
                </p>
              )
            )
          }
        </ViewContent>
      )}
      {day > today && !planned?.length && (
        <p className={css.none}>{t(planned ? 'backups.days.noPlan' : 'backups.days.notYet')}</p>
      )}
      {planned && planned.length > 0 && <Planned runs={planned} />}
    </Panel>
  )
}

interface CreatedProps {
  lines: readonly PointDay[]
  /** When the day begins. */
  since: number
  question: PointQuestion
}

function Created({ lines, since, question }: CreatedProps) {
  const t = useT('storage')
  const format = useFormat()
  // the list has no filter for the end of a period
  const search = { ...question, taken_at: `gte:${new Date(since).toISOString()}`, sort: 'taken_at:asc' }
  return (
    <>
      <ul className={css.lines}>
        {lines.map((line) => (
          <li key={line.backup_plan_id ?? ''} className={css.line}>
            <time dateTime={line.first_at} className={css.time}>
              {format.time(line.first_at)}
            </time>
            <span className={css.what}>
              <PointPlan point={line} />
              {line.stored_size > 0 && <span className={css.dim}>{format.bytes(line.stored_size)}</span>}
            </span>
            <Outcome line={line} />
          </li>
        ))}
      </ul>
      <p className={css.foot}>
        <Link to={volumeBackupResource.paths.list()} search={search}>
          {t('backups.days.showSince')}
        </Link>
      </p>
    </>
  )
}

/** "62 of 62", or what failed. */
function Outcome({ line: { points, restorable, failed, damaged } }: { line: PointDay }) {
  const t = useT('storage')
  if (damaged > 0) return <StatusBadge tone="bad">{t('backups.days.damaged', { count: damaged })}</StatusBadge>
  if (failed > 0)
    return (
      <StatusBadge tone={restorable > 0 ? 'warn' : 'bad'}>{t('backups.days.failed', { count: failed })}</StatusBadge>
    )
  return (
    <StatusBadge tone={restorable === points ? 'ok' : 'busy'}>
      {t('backups.days.outOf', { restorable, points })}
    </StatusBadge>
  )
}

function Planned({ runs }: { runs: readonly PlannedRun[] }) {
  const t = useT('storage')
  const format = useFormat()
  return (
    <>
      <h3 className={css.heading}>{t('backups.days.planned')}</h3>
      <ul className={css.lines}>
        {runs.map(({ plan, at }) => (
          <li key={plan.id} className={css.line}>
            <time dateTime={at.toISOString()} className={css.time}>
              {format.time(at)}
            </time>
            <span className={css.what}>
              <PointPlan point={{ backup_plan_id: plan.id, backup_plan_name: plan.name }} />
              <span className={css.dim}>{t('backups.days.volumes', { count: plan.volumes_count })}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
