import { alertKind, alerts } from '@mainstay/contract/monitoring/alerts'
import { problemText } from '../../../api/problem-text'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { adviceText, alertText, openAlerts } from '../../../notices/alert-words'
import { useMay } from '../../../session/may'
import { OkIcon } from '../../../ui/icons'
import { Time } from '../../../ui/values/Time'
import { AlertObject } from '../alerts/AlertObject'
import { Severity } from '../alerts/Severity'
import { Panel } from './Panel'
import css from './overview.module.css'

const most = 5

/** The open alerts, the most severe first: about what, since when, and what to do next. */
export function OpenAlerts() {
  const t = useT('alerts')
  const shell = useT('shell')
  const mayRead = useMay()(alerts.list.needs)
  const { rows, total, isLoading, problem } = useList(alerts.list, alertKind, {
    ...{ stateIn: 'memory', limit: most, isEnabled: mayRead, only: openAlerts },
  })
  if (!mayRead) return null
  const count = total ?? 0
  return (
    <Panel
      title={t('open')}
      more={<Link to="/alerts">{count > rows.length ? t('all.count', { count }) : t('all')}</Link>}
      isLoading={isLoading}
    >
      {problem && <p className={css.calm}>{problemText(problem, shell)}</p>}
      {!problem && rows.length === 0 && (
        <p className={css.calm}>
          <OkIcon /> {t('open.none')}
        </p>
      )}
      <ul className={css.lines}>
        {rows.map((alert) => (
          <li key={alert.id}>
            <p>
              <Severity severity={alert.severity} /> <Time at={alert.datetime} />
            </p>
            <p>{alertText(alert.type, t)}</p>
            <p>
              <AlertObject alert={alert} />
            </p>
            <p className={css.why}>{adviceText(alert.type, t)}</p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
