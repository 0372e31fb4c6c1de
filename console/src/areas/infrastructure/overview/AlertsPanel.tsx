import { alertKind, alerts } from '@mainstay/contract/monitoring/alerts'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { adviceText, alertTitle, byRule, severityIcon, severityTones } from '../../../notices/alert-words'
import { openAlerts } from '../../../notices/open-alerts'
import { Panel } from '../../../ui/Panel'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import css from './overview.module.css'

const MOST = 50
const ofInfrastructure = { ...openAlerts, group: 'in:node,platform,storage' }
/** Interval for checking whether the rules have been evaluated. */
const everyMs = 10_000

/** Open alerts about nodes, the platform and storage, the most severe first, with advice. */
export function AlertsPanel() {
  const t = useT('alerts')
  const own = useT('infrastructure')
  const shell = useT('shell')
  const { rows, problem, isLoading } = useList(alerts.list, alertKind, {
    ...{ stateIn: 'memory', limit: MOST, only: ofInfrastructure },
  })
  // until the rules have been evaluated, the absence of alerts does not mean that there are no problems
  const isChecked = useView(alerts.evaluation, {}, { everyMs }).data?.is_current === true
  return (
    <Panel title={own('overview.needs')} action={<Link to="/alerts">{t('all')}</Link>}>
      {problem && <p className={css.note}>{problemText(problem, shell)}</p>}
      {!problem && rows.length === 0 && (
        <p className={css.note}>{isChecked && !isLoading ? own('overview.needs.nothing') : t('checking')}</p>
      )}
      <ul className={css.alerts}>
        {byRule(rows).map((group) => {
          const [first] = group
          const { type, severity, datetime, details, object_kind, object_id } = first!
          const page = group.length === 1 ? viewPath(object_kind, object_id) : undefined
          const title = alertTitle(group)
          return (
            <li key={type}>
              <p className={css.line}>
                <StatusBadge tone={severityTones[severity]} icon={severityIcon(severity)}>
                  {t(`severity.${severity}`)}
                </StatusBadge>
                <Time at={datetime} />
              </p>
              <p>{page ? <Link to={page}>{title}</Link> : title}</p>
              {group.length === 1 && details !== null && <p className={css.note}>{details}</p>}
              <p className={css.note}>{adviceText(type)}</p>
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}
