import type { AlertSeverity } from '@mainstay/contract/monitoring/alert-rules'
import { useT } from '../../../i18n/use-t'
import { severityIcon, severityTones } from '../../../notices/alert-words'
import { StatusBadge } from '../../../ui/values/StatusBadge'

/** Shows an alert's severity as a badge with an icon. */
export function Severity({ severity }: { severity: AlertSeverity }) {
  const t = useT('alerts')
  return (
    <StatusBadge tone={severityTones[severity]} icon={severityIcon(severity)}>
      {t(`severity.${severity}`)}
    </StatusBadge>
  )
}
