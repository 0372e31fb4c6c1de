import type { Said } from '@mainstay/contract/core/said'
import type { AlertSeverity, AlertType, AlertUnit } from '@mainstay/contract/monitoring/alert-rules'
import type { Alert } from '@mainstay/contract/monitoring/alerts'
import { messageNow } from '../i18n/said'
import type { Translate } from '../i18n/use-t'
import { AlertsIcon, InfoIcon, type Icon } from '../ui/icons'
import type { Tone } from '../ui/tone'

type T = Translate<'alerts'>

const said = (it: Said): string => messageNow(it) ?? it.key

export const severityTones: Readonly<Record<AlertSeverity, Tone>> = {
  ...{ critical: 'bad', error: 'bad', warning: 'warn', info: 'busy' },
}
/** Icon that overrides the tone’s own: an informational alert must not look like a running operation. */
export const severityIcon = (severity: AlertSeverity): Icon | undefined =>
  severity === 'info' ? InfoIcon : severity === 'critical' ? AlertsIcon : undefined

/** Description of the problem, from the contract messages that are loaded with the alerts catalogue. */
export const alertText = (type: AlertType): string => said({ key: `monitoring.alert_${type}`, values: {} })
/** Title for a rule's open alerts: "old-erp failed", "4 virtual machines failed". */
export const alertTitle = (alerts: readonly Alert[]): string =>
  said({
    key: `monitoring.alert_title_${alerts[0]!.type}`,
    values: { count: alerts.length, name: alerts[0]!.object_name },
  })
/** Recommended action. */
export const adviceText = (type: AlertType): string => said({ key: `monitoring.alert_advice_${type}`, values: {} })

/** A value or threshold with its unit: "97%", "5 days". */
export const valueText = (value: number | null, unit: AlertUnit | null, t: T): string =>
  value === null || unit === null ? '–' : t(`value.${unit}`, { value })

/** Whether the alert needs attention: raised, and neither ignored nor suspended. */
export const isOpen = ({ state, enabled, suspended }: Alert): boolean => state === 'raised' && enabled && !suspended

/** Groups alerts by rule, in the order of the first alert of each rule. */
export const byRule = (alerts: readonly Alert[]): Alert[][] => [
  ...alerts
    .reduce(
      (groups, alert) => groups.set(alert.type, [...(groups.get(alert.type) ?? []), alert]),
      new Map<AlertType, Alert[]>(),
    )
    .values(),
]
