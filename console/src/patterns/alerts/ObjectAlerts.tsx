import { alertKind, alerts } from '@mainstay/contract/monitoring/alerts'
import { useList } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { adviceText, alertTitle, severityIcon, severityTones } from '../../notices/alert-words'
import { openAlerts } from '../../notices/open-alerts'
import { useMay } from '../../session/may'
import { Banner } from '../../ui/feedback/Banner'
import { Time } from '../../ui/values/Time'
import css from './ObjectAlerts.module.css'

const most = 5

/** Open alerts for an object, shown above its details. Renders nothing if there are none. */
export default function ObjectAlerts({ kind, id }: { kind: string; id: string }) {
  const t = useT('alerts')
  const mayRead = useMay()(alerts.list.needs)
  const only = { ...openAlerts, object_kind: kind, object_id: id }
  const { rows } = useList(alerts.list, alertKind, { stateIn: 'memory', limit: most, isEnabled: mayRead, only })
  if (!mayRead || rows.length === 0) return null
  return (
    <ul className={css.alerts} aria-label={t('about')}>
      {rows.map((alert) => (
        <li key={alert.id}>
          <Banner tone={severityTones[alert.severity]} icon={severityIcon(alert.severity)} title={alertTitle([alert])}>
            <p>
              {alert.details ?? adviceText(alert.type)} <Time at={alert.datetime} />
            </p>
          </Banner>
        </li>
      ))}
    </ul>
  )
}
